//! The arguments of `fix`.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use flex_core::bound::confidence::Confidence;
use flex_detect::menu::OfferKind;
use flex_detect::record::ObservedTest;

/// Proposes patches for assertions that fail by chance, from what `detect` recorded.
///
/// Example: flex-harness fix | git apply
///
/// Standard output is a unified diff, one patch for each test; standard error says what else could be done, how often it
/// would still fail, what it costs and what it catches. What looks like a bug is never changed unless you ask for it.
/// The exit code is 1 if something was found that no patch mends.
#[derive(Debug, Args)]
pub struct FixArgs {
    /// Mend only tests whose name contains one of these words
    pub filters: Vec<String>,

    /// Mend the tests of pytest in this file or folder, or with this node id, instead of cargo packages
    #[arg(long, value_name = "PATH", conflicts_with = "manifest_path")]
    pub pytest: Option<PathBuf>,

    /// Mend only tests of these packages
    #[arg(long, short, value_name = "NAME", conflicts_with = "pytest")]
    pub package: Vec<String>,

    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,

    /// What `detect` recorded [default: what it recorded last]
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// The probability that unchanged code passes a test
    #[arg(long, value_name = "P", default_value = "0.9999")]
    pub confidence: Confidence,

    /// Do this instead of the first that is possible and still catches something: of bound, empirical, learned and rerun;
    /// for annotated tests learned comes first
    #[arg(long, value_name = "OPTION", value_parser = choice())]
    pub choose: Option<OfferKind>,

    /// Change also what looks like a bug; needs --choose and the name of the test
    #[arg(long, requires_all = ["choose", "filters"])]
    pub suspected: bool,

    /// Write the patches into the files, and run each patched test once
    #[arg(long)]
    pub apply: bool,

    /// Write also into files with changes that are not committed
    #[arg(long, requires = "apply")]
    pub allow_dirty: bool,

    /// Also write a description of each patch, with pictures, into this folder [default: flex-fix]
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true, default_missing_value = "flex-fix")]
    pub pr_text: Option<PathBuf>,

    /// Print everything as JSON, instead of a diff and words
    #[arg(long)]
    pub json: bool,
}

/// What can be chosen, each with its help.
const CHOICES: [(OfferKind, &str); 8] = [
    (OfferKind::Bound, "A bound from the tail, or a tolerance"),
    (
        OfferKind::Empirical,
        "A bound from the extreme of the values",
    ),
    (OfferKind::Tolerance, "A tolerance, or a bound"),
    (OfferKind::Rerun, "Reruns"),
    (OfferKind::Learned, "A number that flex learns"),
    (
        OfferKind::Claim,
        "A claim about all runs, with the line to write",
    ),
    (OfferKind::Seed, "A fixed seed"),
    (
        OfferKind::Tighten,
        "A closer bound for what is looser than needed",
    ),
];

fn choice() -> impl TypedValueParser<Value = OfferKind> {
    let values = CHOICES.map(|(kind, help)| PossibleValue::new(kind.as_str()).help(help));
    PossibleValuesParser::new(values).try_map(|word| {
        let mut kinds = CHOICES.into_iter().map(|(kind, _)| kind);
        kinds
            .find(|kind| kind.as_str() == word)
            .ok_or("not one of the choices")
    })
}

impl FixArgs {
    /// Whether a test is to be mended.
    pub fn names(&self, test: &ObservedTest, root: &Path) -> bool {
        let is_filtered = self.filters.is_empty()
            || self
                .filters
                .iter()
                .any(|word| test.name().contains(word.as_str()));
        let is_there = self.pytest.as_ref().is_none_or(|path| {
            let text = path.to_string_lossy();
            let (file, rest) = text.split_once("::").unwrap_or((&text, ""));
            let absolute = std::path::absolute(file).unwrap_or_else(|_| file.into());
            let id = test.name().split_once("::").map_or("", |(_, id)| id);
            let is_below = |folder: &Path| root.join(&test.place.file).starts_with(folder);
            let real = absolute.canonicalize().unwrap_or_else(|_| absolute.clone());
            (is_below(&absolute) || is_below(&real)) && id.starts_with(rest)
        });
        let of_package = test.package.as_ref();
        let is_packed = self.package.is_empty()
            || of_package.is_some_and(|package| self.package.contains(package));
        is_filtered && is_there && is_packed
    }
}
