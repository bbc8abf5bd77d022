//! A question about samples, and the bound that answers it.

use std::fmt;

use flex_core::bound::ceiling::Promise;
use flex_core::bound::declared::DeclaredRate;
use flex_core::bound::guard::Settling;
use flex_core::bound::{LearnedBound, Question};
use flex_core::sample::Samples;
use flex_core::tail::Tail;

/// A question about one set of samples.
#[derive(Debug, Clone, Copy)]
pub struct Inquiry {
    pub question: Question,
    pub declared: Option<f64>,
}

/// How a value beyond the guard is settled.
pub fn settling(uncontrolled: bool) -> Settling {
    match uncontrolled {
        true => Settling::Reruns,
        false => Settling::Replay,
    }
}

/// A bound, with the samples that it was learned from.
pub struct SampledBound {
    pub inquiry: Inquiry,
    pub samples: Samples,
    pub bound: LearnedBound,
}

impl Inquiry {
    /// Puts the parts together, or says why they do not fit.
    pub fn new(question: Question, declared: Option<f64>) -> Result<Self, InquiryError> {
        if declared.is_some() && question.tail == Tail::Both {
            return Err(InquiryError::TwoSidedDeclared);
        }
        if question.light && question.promise == Promise::Expected {
            return Err(InquiryError::LightAndPredictive);
        }
        Ok(Inquiry { question, declared })
    }

    /// Learns the bound that is asked for.
    pub fn answer(self, samples: Samples) -> SampledBound {
        SampledBound {
            inquiry: self,
            bound: LearnedBound::learn(&samples, &self.question),
            samples,
        }
    }
}

impl SampledBound {
    /// The declared bound and how often it fails.
    pub fn declared(&self) -> Option<(f64, DeclaredRate)> {
        let declared = self.inquiry.declared?;
        let side = self.bound.sides.first()?.side;
        Some((declared, DeclaredRate::count(&self.samples, side, declared)))
    }
}

/// Why options do not go together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InquiryError {
    TwoSidedDeclared,
    TwoSidedFit,
    LightAndPredictive,
    /// Goes only with the default method.
    OnlyDefault(&'static str),
    /// Goes only with the published method.
    OnlyPublished(&'static str),
}

impl fmt::Display for InquiryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InquiryError::TwoSidedDeclared => {
                f.write_str("a declared bound has one side; the tail must be `upper` or `lower`")
            }
            InquiryError::TwoSidedFit => {
                f.write_str("a fit at a number of exceedances has one side")
            }
            InquiryError::LightAndPredictive => {
                f.write_str("a bound is either `light` or `predictive`")
            }
            InquiryError::OnlyDefault(option) => {
                write!(f, "{option} goes with the default method")
            }
            InquiryError::OnlyPublished(option) => write!(f, "{option} goes with --method flex"),
        }
    }
}
