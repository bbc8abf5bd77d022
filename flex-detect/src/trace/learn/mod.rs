//! Learning which functions flaky tests call and others do not (docs/design/trace.md, "Learning which functions tell").

mod characteristic;
mod corpus;
mod csv;
mod exposure;
mod labels;
mod optimise;

pub use characteristic::{cause_of, characteristics};
pub use corpus::{Corpus, CorpusFunction, CorpusTest, LearningProject};
pub use exposure::{Exposure, Spread};
pub use labels::{Label, LabelError, LabelFault, Labels, key};
pub use optimise::{ChosenFunction, Functions, LearnRule, LearnedFunctions, Tried, learn, split};
