//! `--pr-text`: a description of each patch, and its pictures, in a folder.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use flex_detect::menu::Remedy;
use flex_detect::picture::histogram;
use flex_detect::pull_request::markdown;

use super::work::FixWork;
use crate::exit::Failure;
use crate::terminal;

/// Writes a Markdown file for each patch, and an SVG for each assertion that it changes.
pub fn write(work: &FixWork<'_>, folder: &Path) -> Result<(), Failure> {
    let cannot = |path: &Path, error: &io::Error| {
        Failure::input(
            format!("cannot write {}: {error}", path.display()),
            "name another folder: --pr-text=FOLDER",
        )
    };
    fs::create_dir_all(folder).map_err(|error| cannot(folder, &error))?;
    for (number, patch) in work.plan.patches.iter().enumerate() {
        let name = file_name(number, work.record.tests[patch.test].name());
        let picture = |proposal: usize| format!("{name}-{proposal}.svg");
        for index in &patch.proposals {
            let proposal = &work.plan.proposals[*index];
            let new = proposal.choice.as_ref().ok().and_then(|choice| {
                match proposal.menu.offers[choice.offer].change {
                    Remedy::Number { limit, .. } => Some(limit),
                    _ => None,
                }
            });
            let svg = histogram(&proposal.menu, &proposal.finding.named(), new);
            let path = folder.join(picture(*index));
            fs::write(&path, svg).map_err(|error| cannot(&path, &error))?;
        }
        let text = markdown((work.record, work.findings), work.plan, patch, picture);
        let path = folder.join(format!("{name}.md"));
        fs::write(&path, text).map_err(|error| cannot(&path, &error))?;
        writeln!(terminal::notes(), "wrote {}", path.display())?;
    }
    Ok(())
}

/// A name that every file system takes.
fn file_name(number: usize, test: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let short = test.rsplit(['/', '\\']).next().unwrap_or(test);
    let name: String = short.chars().map(plain).take(60).collect();
    format!("{:02}-{}", number + 1, name.trim_matches('-'))
}
