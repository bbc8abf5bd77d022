//! `cargo flex report`: what flex learned and saw, as a page to look at.

mod args;
mod collect;

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use flex_core::words::count;

use crate::exit::{Exit, Failure};
use crate::terminal;
use args::Format;
pub use args::ReportArgs;
use collect::CollectedReport;

/// Runs the command.
pub fn run(args: &ReportArgs) -> Result<Exit, Failure> {
    let CollectedReport { report, flex } = CollectedReport::of(args)?;
    if report.is_empty() {
        return Err(Failure::input(
            "nothing is known of any test yet",
            format!("learn bounds first: {} calibrate", crate::called::name()),
        ));
    }
    for note in report.notes() {
        writeln!(terminal::stderr(), "warning: {note}")?;
    }
    let text = match args.format {
        Format::Html => report.html(),
        Format::Markdown => report.markdown(),
        Format::Json => report.json(),
    };
    let page = flex.join(flex_run::kept::REPORT_FILE);
    let out = match (&args.out, args.format) {
        (Some(out), _) => out.as_path(),
        (None, Format::Html) => page.as_path(),
        (None, Format::Markdown | Format::Json) => {
            io::stdout().write_all(text.as_bytes())?;
            return Ok(Exit::Fine);
        }
    };
    write(out, &text)?;
    let tests = count(report.test_count(), "test", "tests");
    writeln!(terminal::notes(), "wrote {}: {tests}", out.display())?;
    if args.open {
        open(out)?;
    }
    Ok(Exit::Fine)
}

/// Writes a file in one step, and no file in the place of anything else.
fn write(out: &Path, text: &str) -> Result<(), Failure> {
    let folder = match out.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let write = || -> io::Result<()> {
        if out.exists() && !out.is_file() {
            return Err(io::Error::other("it is there, and no file"));
        }
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        // Others may look at it too.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let readable = fs::Permissions::from_mode(0o644);
            file.as_file().set_permissions(readable)?;
        }
        file.write_all(text.as_bytes())?;
        file.persist(out)?;
        Ok(())
    };
    write().map_err(|error| {
        Failure::input(
            format!("cannot write {}: {error}", out.display()),
            "name another file with --out",
        )
    })
}

/// Shows a file with whatever the desktop shows such files with.
fn open(file: &Path) -> Result<(), Failure> {
    let (program, words): (_, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let file = std::path::absolute(file)?;
    let mut command = Command::new(program);
    command.args(words).arg(&file);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let opened = command.stderr(Stdio::null()).status();
    if !opened.is_ok_and(|status| status.success()) {
        writeln!(
            terminal::stderr(),
            "warning: {program} does not show it; open {} in a browser",
            file.display()
        )?;
    }
    Ok(())
}
