//! A comparison for people: a table, a picture of each series that changed, and the same as Markdown and JSON.

mod counts;
mod markdown;
mod picture;
mod table;
mod words;

use super::decided::Compared;
use crate::record::json::text as json_text;
pub use markdown::markdown;
pub use table::text;

/// The whole comparison as JSON with `version` 1. Numbers that JSON does not know are the texts `nan`, `inf` and `-inf`.
pub fn json(compared: &Compared) -> String {
    json_text(compared)
}
