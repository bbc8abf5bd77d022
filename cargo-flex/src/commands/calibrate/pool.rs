//! `--with-history`: earlier test runs, whose values ceilings may rest on.

use std::io::Write;
use std::sync::Arc;

use flex_report::history::History;

use super::args::CalibrateArgs;
use crate::exit::Failure;
use crate::history;
use crate::terminal;

/// The history that is asked for, if one is.
pub fn source(args: &CalibrateArgs) -> Result<Option<Arc<History>>, Failure> {
    let Some(stated) = &args.with_history else {
        return Ok(None);
    };
    let paths = history::stated(stated.as_slice())?;
    let history = history::read(&paths)?;
    for note in &history.notes {
        writeln!(terminal::stderr(), "warning: {note}")?;
    }
    if history.is_empty() {
        writeln!(
            terminal::stderr(),
            "warning: there are no runs in the history: it changes nothing"
        )?;
    }
    Ok(Some(Arc::new(history)))
}
