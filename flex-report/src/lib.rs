//! What flex learned and saw, to be looked at: values go in, and a page, Markdown or JSON comes out. No file is read or
//! written here.
//!
//! [`KeptFiles`] reads what runs left behind, [`Report::build`] puts it beside the bounds files, and the [`Report`] has a
//! form for each kind of reader: [`Report::html`], [`Report::markdown`] and [`Report::json`].

#![forbid(unsafe_code)]

mod build;
pub mod history;
pub mod ingest;
mod kept;
mod markdown;
mod model;
mod page;
mod threads;
mod words;

pub use build::{FoundText, Sources, SuiteFacts};
pub use kept::{KeptFile, KeptFiles};
pub use model::Report;
