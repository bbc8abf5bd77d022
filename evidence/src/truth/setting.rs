//! The settings of the truth table: what each cell asks of the engine.

use std::fmt;

use flex_core::bound::Question;
use flex_core::bound::ceiling::Promise;
use flex_core::bound::confidence::{Confidence, DEFAULT_EFFORT, Share};
use flex_core::bound::guard::Settling;
use flex_core::tail::Tail;

/// The numbers of runs of a calibration.
pub const RUNS: [usize; 5] = [30, 100, 300, 1000, 3000];

/// The confidences of the table.
pub const CONFIDENCES: [f64; 3] = [0.99, 0.999, 0.9999];
/// The numbers of sites of a test.
pub const SITES: [usize; 3] = [1, 5, 20];

/// Which ceiling is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// The default bound.
    Default,
    /// The user promises a light tail.
    Light,
    /// The rate is kept on average.
    Predictive,
    /// The quantile that the samples suggest, without a margin: what the published tools do.
    Typical,
}

impl Variant {
    /// All ceilings.
    pub const ALL: [Variant; 4] = [
        Variant::Default,
        Variant::Light,
        Variant::Predictive,
        Variant::Typical,
    ];

    /// The word for it in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Variant::Default => "default",
            Variant::Light => "light",
            Variant::Predictive => "predictive",
            Variant::Typical => "no margin",
        }
    }
}

/// A setting: a test of this confidence, with so many sites.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    pub runs: usize,
    pub confidence: f64,
    pub sites: usize,
    pub settling: Settling,
    pub variant: Variant,
}

/// The settings of a table: everything for the default, single sites that are replayed for the other variants.
pub fn settings(variants: &[Variant]) -> Vec<Setting> {
    let mut settings = Vec::new();
    for variant in variants {
        for confidence in CONFIDENCES {
            for sites in SITES {
                for settling in [Settling::Replay, Settling::Reruns] {
                    let plain = sites == 1 && settling == Settling::Replay;
                    if *variant == Variant::Default || plain {
                        settings.push(Setting {
                            runs: 0,
                            confidence,
                            sites,
                            settling,
                            variant: *variant,
                        });
                    }
                }
            }
        }
    }
    settings
}

/// The effort of each of so many sites that have nothing to do with each other.
pub fn effort_of_site(sites: usize, settling: Settling) -> f64 {
    match settling {
        // One replay clears all, so what counts is how often any is in doubt.
        Settling::Replay => 1.0 - (1.0 - DEFAULT_EFFORT).powf(1.0 / sites as f64),
        Settling::Reruns => DEFAULT_EFFORT / sites as f64,
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.sites == 1 { "" } else { "s" };
        let how = match self.settling {
            Settling::Replay => "",
            Settling::Reruns => ", not replayed",
        };
        write!(
            f,
            "n {}, C {}, {} site{s}{how}",
            self.runs, self.confidence, self.sites
        )
    }
}

impl Setting {
    /// The false-alarm rate that one site may have.
    pub fn budget(self) -> f64 {
        (1.0 - self.confidence) / self.sites as f64
    }

    /// The question to the engine.
    pub fn question(self) -> Question {
        let confidence = Confidence::new(1.0 - self.budget()).expect("a confidence in (0, 1)");
        Question {
            share: Share {
                confidence,
                effort: effort_of_site(self.sites, self.settling),
            },
            settling: self.settling,
            together: self.sites as u32,
            light: self.variant == Variant::Light,
            promise: if self.variant == Variant::Predictive {
                Promise::Expected
            } else {
                Promise::Assured
            },
            ..Question::new(Tail::Upper, confidence)
        }
    }
}
