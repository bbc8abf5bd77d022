//! Histories: lines that come from caches and artifacts, and files of others that become lines.

use flex_report::history::{DriftReport, DriftSettings, History, Since};
use flex_report::ingest::{
    Origin, benchmarks, criterion_line, history_lines, junit_lines, new_lines,
    pytest_benchmark_lines,
};

use super::two_texts;

/// Two files say the same in either order, and twice; what others wrote becomes lines that are read, or is refused.
pub fn history(bytes: &[u8]) {
    let Some((first, second)) = two_texts(bytes) else {
        return;
    };
    let report = report(&[first, second]);
    assert_eq!(report, self::report(&[second, first, second]));

    let (lines, _) = history_lines(first);
    assert!(new_lines(&[first], lines).is_empty());
    let origin = Origin::default();
    let mut measured: Vec<String> = criterion_line(first, second, &origin).into_iter().collect();
    measured.extend(pytest_benchmark_lines(first, &origin).unwrap_or_default());
    measured.extend(
        junit_lines(first)
            .map(|(lines, _)| lines)
            .unwrap_or_default(),
    );
    let (again, others) = history_lines(&measured.join("\n"));
    assert_eq!((again.len(), others), (measured.len(), 0), "{measured:?}");
}

/// What is said of a history of these files.
fn report(files: &[&str]) -> String {
    let mut history = History::default();
    for file in files {
        history.add("file", Ok(file));
    }
    let history = history.ordered();
    let settings = DriftSettings {
        runs: 1e4,
        since: Since::Ever,
        filters: Vec::new(),
    };
    let report = DriftReport::of(&history, settings);
    // Bounds are learned of these; that none can be is an answer, too.
    let _ = benchmarks(&history);
    format!("{report}{}", report.json())
}
