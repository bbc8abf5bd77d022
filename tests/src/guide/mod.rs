//! The pages of the guide, as something to be run: their commands and files, in a real project for each page.
//!
//! A page is run from top to bottom in an empty folder of its own. What is done with a block of code stands in an HTML comment
//! before it, which nobody sees who reads the page:
//!
//! | comment | the block below |
//! |---|---|
//! | none, block is `console` | its lines that begin with `$` are run; what follows each must be said, numbers aside |
//! | `<!-- exits: 1 -->` | the same, and the last command ends with this code |
//! | `<!-- file: src/lib.rs -->` | is written to this file |
//! | `<!-- append: src/lib.rs -->` | is added to this file |
//! | `<!-- says -->` | must be said by the last command, numbers aside |
//! | `<!-- from: examples/a.rs -->` | is a part of this file of the repository, which other tests run |
//! | `<!-- not run: why -->` | is left alone, for a reason |
//! | `<!-- run` … `-->` | (no block) these lines are a script that prepares what readers have already |
//!
//! A block of `text` without a comment is something to read.

mod page;
mod run;
mod words;

pub use page::{Page, Step};
pub use run::{pages_in, run};
