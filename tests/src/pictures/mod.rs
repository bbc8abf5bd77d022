//! The pictures of the guide and the README, drawn from what the engine computes and from what pages show.
//!
//! `cargo xtask pictures` writes them; a test checks that they are what would be drawn today. Chance in them has a fixed seed.

mod drawn;
mod plot;
mod terminal;

use std::fs;
use std::path::PathBuf;

use crate::folders::root;

/// Every picture: where it lies in the repository, and its SVG.
pub fn all() -> Vec<(PathBuf, String)> {
    let folder = root().join("docs/guide/pictures");
    let start = root().join("docs/guide/start-rust.md");
    let start = fs::read_to_string(start).unwrap_or_default();
    let pictures = [
        ("suite.svg", drawn::suite()),
        ("guess.svg", drawn::guess()),
        ("race.svg", drawn::race()),
        ("power.svg", drawn::power()),
        ("ceiling.svg", drawn::ceiling()),
        ("failure.svg", terminal::failure(&start)),
    ];
    pictures.map(|(name, svg)| (folder.join(name), svg)).into()
}
