//! What passes between processes: a declaration for each type of the model.

use flex_bounds::options::{OptionValue, Options, TABLE};
use flex_bounds::suite::SuiteBudget;
use flex_core::bound::confidence::Confidence;
use flex_core::sample::Extremes;
use flex_core::tail::{Domain, Side, Tail};

use super::code::{Wire, wire_as, wire_enum, wire_struct};
use crate::model::{
    About, Asks, Cause, ClaimSpec, Claimed, Comparison, Distance, Draws, FirstStack, HungRun,
    Limit, Operator, Place, Probe, RecordedHit, RecordedRun, Site, SiteId, SiteSpec, Test, TestId,
    Took, Touch,
};

/// What a process writes after the test.
#[expect(
    clippy::large_enum_variant,
    reason = "one at a time is read or written, and most are not sites"
)]
pub(super) enum Frame {
    /// A site that was not known before.
    Site(Site),
    /// A run begins, and may end the process.
    Begin(u32),
    /// A run has ended.
    Run(RecordedRun, Vec<RecordedHit>),
    /// A run has ended that tells nothing of the code, and why.
    Inconclusive(u32, String),
    /// What a claim drew in the run before, by the index of its site.
    Draws(u32, Draws),
    /// Something is wrong with the test itself.
    Mistake(String),
    /// What the runs touched that can differ.
    Probe(Probe),
    /// Where they touched it first.
    Stacks(Vec<FirstStack>),
    /// A run does not end, so the process ends itself.
    Hung(HungRun),
    /// No further run comes; so long they took.
    End(Took),
}

wire_enum! {
    Frame {
        b'S' => Site(site),
        b'B' => Begin(run),
        b'R' => Run(run, hits),
        b'I' => Inconclusive(run, why),
        b'D' => Draws(site, draws),
        b'M' => Mistake(what),
        b'P' => Probe(probe),
        b'A' => Stacks(stacks),
        b'H' => Hung(run),
        b'E' => End(took),
    }
    TestId {
        b'p' => Pytest { node },
        b'c' => Cargo { target, path },
    }
    Asks {
        b'l' => Learned(spec),
        b'd' => Declared(bounds),
        b'c' => Claim(claim),
    }
    Claimed {
        b'm' => Mean(limit),
        b'r' => Rate(limit),
        b'd' => Distributed,
        b's' => SameDistribution,
        b'w' => NoWorse { worse },
    }
    Limit {
        b'd' => Declared(comparison),
        b'n' => Near { of, within },
        b'l' => Learned(tail),
    }
    About {
        b'a' => Runs,
        b'm' => Mean { margin },
        b'r' => Rate { margin },
    }
    Side {
        b'l' => Lower,
        b'u' => Upper,
    }
    Operator {
        b'<' => Less,
        b'l' => AtMost,
        b'>' => Greater,
        b'g' => AtLeast,
    }
    Distance {
        b'a' => Absolute,
        b'r' => Relative,
        b'u' => Ulps,
    }
    Tail {
        b'u' => Upper,
        b'l' => Lower,
        b'b' => Both,
    }
    OptionValue {
        b'n' => Number(number),
        b'c' => Count(count),
        b'f' => Flag(flag),
    }
}

wire_struct! {
    Test { id, package, fingerprint, selection, place, options, suite }
    Place { file, line }
    Site { id, asks, place, text, form, distance, is_time, is_margin, ends, is_hard }
    SiteId { text, occurrence, case }
    SiteSpec { tail, domain, light, confidence, about }
    ClaimSpec { claimed, domain, margin, confidence, max_runs, undecided_fails, independent }
    Comparison { operator, bound }
    HungRun { run, after, is_hang }
    Took { all, slowest }
    RecordedRun { index, drew, failure }
    RecordedHit { site, extremes, broken }
    Draws { first, second }
    FirstStack { what, frames }
    Touch { cause, what, seeded, count, place }
    Extremes { least, greatest }
    DomainEnds { lower, upper }
}

wire_as! {
    Confidence as f64: |confidence| confidence.value(), |value| Confidence::new(value).ok();
    SuiteBudget as String: ToString::to_string, |text| text.parse().ok();
    Domain as DomainEnds: |domain| DomainEnds { lower: domain.lower(), upper: domain.upper() },
        |ends| Domain::new(ends.lower, ends.upper).ok();
    Cause as String: ToString::to_string, |name| Cause::named(&name);
    Probe as Vec<Touch>: |probe| probe.touches().to_vec(), |touches| Some(touches.into_iter().collect());
    Options as Vec<Option<OptionValue>>: values_of, options_of;
}

struct DomainEnds {
    lower: f64,
    upper: f64,
}

/// The options in the order of their table.
fn values_of(options: &Options) -> Vec<Option<OptionValue>> {
    TABLE
        .iter()
        .map(|option| options.get(option.name))
        .collect()
}

fn options_of(values: Vec<Option<OptionValue>>) -> Option<Options> {
    let mut options = Options::NONE;
    for (option, value) in TABLE.iter().zip(values) {
        if let Some(value) = value {
            options.set(option.name, value).ok()?;
        }
    }
    Some(options)
}
