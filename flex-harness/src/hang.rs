//! Runs that hang: the process ends with words, since a thread cannot be ended.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use flex_run::calibrate::GRACE;
use flex_run::model::{HungRun, Test};
use flex_run::project::env::{RecordRequest, Settings};
use flex_run::watch::{Hang, RunLimit, RunWatch, end_process};
use flex_run::wire::RecordWriter;

use crate::test::StochasticTest;

/// The exit code of libtest where a test failed.
const FAILED: i32 = 101;

/// The watch over runs of a test that is enforced: whoever started the process reads of the run that hangs.
pub(crate) fn ends_process(
    test: &'static StochasticTest,
    asked: &Test,
    slowest: Option<Duration>,
) -> RunWatch {
    let limit = RunLimit::new(stated(asked), slowest);
    let asked = asked.clone();
    let end = move |hang: &Hang, _| {
        let words = hang.report(&asked);
        let annotation = test.annotation(&words, None);
        let is_json = Settings::read().is_ok_and(|settings| settings.log_json);
        let json = match is_json {
            true => hang.json(&asked),
            false => String::new(),
        };
        end_process(&format!("{words}{annotation}{json}"), FAILED)
    };
    RunWatch::new(limit, None, Box::new(end))
}

/// The watch over runs that are recorded: the record names the run that hangs.
pub(crate) fn ends_record<W: Write + Send + 'static>(
    asked: &Test,
    request: &RecordRequest,
    writer: &Arc<Mutex<RecordWriter<W>>>,
) -> RunWatch {
    let limit = RunLimit::new(stated(asked), request.slowest);
    let all_by = request.millis.and_then(|millis| {
        let left = Duration::from_millis(millis) + GRACE;
        Instant::now().checked_add(left)
    });
    let (asked, writer) = (asked.clone(), Arc::clone(writer));
    let end = move |hang: &Hang, is_hang| {
        let hung = HungRun {
            run: u32::try_from(hang.run).unwrap_or(u32::MAX),
            after: hang.after,
            is_hang,
        };
        let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever reads the record sees at least that it has no end.
        let _ = writer.hung(hung);
        end_process(&hang.report(&asked), FAILED)
    };
    RunWatch::new(limit, all_by, Box::new(end))
}

fn stated(asked: &Test) -> Option<Duration> {
    let seconds = asked.options.timeout?;
    // So long that it cannot be counted is as good as never.
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}
