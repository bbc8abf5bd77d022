//! Verdicts as JSON, a line each, for `FLEX_LOG=json`. Written by hand: nothing that a test links knows JSON otherwise.

use flex_core::seed::SeedRequest;
use flex_core::tail::Side;

use super::super::failure::{FailedTest, Reason};
use super::super::problem::{Confirmed, Judged, Problem, ProblemCause};
use super::super::replayed::Replayed;
use super::Passed;
use crate::decide::{ClaimOutcome, Decided};
use crate::json::{Object, list, maybe_number, number, text};
use crate::model::{Inconclusive, Test};
use crate::watch::Hang;

impl FailedTest {
    /// The failure as one line of JSON.
    pub fn json(&self) -> String {
        self.object().end() + "\n"
    }

    pub(in crate::enforce) fn object(&self) -> Object {
        let mut line = Object::new();
        verdict(&mut line, &self.test, "fail");
        line.text("seed", &self.seed.to_string());
        line.text("replay", &self.replay());
        line.raw("stale", &self.is_stale.to_string());
        let problems = self.problems().iter().map(problem);
        line.raw("problems", &list(problems));
        if let Reason::Mistakes(mistakes) = &self.reason {
            line.raw("mistakes", &list(mistakes.iter().map(|what| text(what))));
        }
        inconclusive(&mut line, &self.inconclusive);
        line
    }
}

impl Passed<'_> {
    /// The verdict as one line of JSON.
    pub fn json(&self) -> String {
        self.object().end() + "\n"
    }

    pub(in crate::enforce) fn object(&self) -> Object {
        let mut line = Object::new();
        verdict(&mut line, self.test, self.word());
        line.text("seed", &self.seed.to_string());
        if let Some(replayed) = self.replayed {
            line.raw("replayed", &replay(replayed));
        }
        line.raw("cleared", &list(self.cleared.iter().map(problem)));
        if !self.claims.is_empty() {
            let claims = self.claims.iter().map(|decided| {
                let mut object = Object::new();
                object.text("site", &decided.site.label());
                object.maybe_text("case", decided.site.case.as_deref());
                claim(&mut object, decided);
                object.end()
            });
            line.raw("claims", &list(claims));
        }
        inconclusive(&mut line, self.inconclusive);
        line
    }
}

/// A test that failed by itself.
pub(in crate::enforce) fn by_itself(test: &Test, seed: &SeedRequest) -> Object {
    error(test, seed, &test.commands().replay(seed))
}

impl Hang {
    /// The verdict of a test of which a run hangs, as one line of JSON.
    pub fn json(&self, test: &Test) -> String {
        let seed = self.seed();
        let replay = test.commands().replay_within(&seed, self.after);
        let mut line = error(test, &seed, &replay);
        line.text("why", &self.words());
        line.end() + "\n"
    }
}

/// A test that no bound judges.
fn error(test: &Test, seed: &SeedRequest, replay: &str) -> Object {
    let mut line = Object::new();
    verdict(&mut line, test, "error");
    line.text("seed", &seed.to_string());
    line.text("replay", replay);
    line
}

/// Which test ended, and how.
fn verdict(line: &mut Object, test: &Test, word: &str) {
    line.text("verdict", word);
    line.maybe_text("package", test.package.as_deref());
    line.maybe_text("target", test.id.target());
    line.text("test", test.name());
    line.text("file", &test.place.file);
    line.raw("line", &test.place.line.to_string());
}

/// The runs that told nothing, if there are any.
fn inconclusive(line: &mut Object, seen: &Inconclusive) {
    if seen.runs > 0 {
        let mut object = Object::new();
        object.raw("runs", &seen.runs.to_string());
        object.raw("of", &seen.of.to_string());
        let reasons = seen.reasons.iter().map(|(why, runs)| {
            let mut object = Object::new();
            object.text("why", why);
            object.raw("runs", &runs.to_string());
            object.end()
        });
        object.raw("reasons", &list(reasons));
        line.raw("inconclusive", &object.end());
    }
}

fn problem(problem: &Problem) -> String {
    let mut object = Object::new();
    object.text("site", &problem.site.label());
    object.maybe_text("case", problem.site.case.as_deref());
    if let Some(place) = &problem.place {
        object.text("file", &place.file);
        object.raw("line", &place.line.to_string());
    }
    object.text("cause", problem.cause.word());
    object.maybe_text("message", problem.message.as_deref());
    match &problem.cause {
        ProblemCause::Broken { value, .. } => object.number("value", *value),
        ProblemCause::Incomparable(why) | ProblemCause::Refused(why) => object.text("why", why),
        ProblemCause::Uncalibrated(why) => object.text("why", &why.to_string()),
        ProblemCause::NotReached { runs } => object.raw("runs", &runs.to_string()),
        ProblemCause::NotFinite(value)
        | ProblemCause::Ceiling(value)
        | ProblemCause::Unconfirmed(value) => judged(&mut object, value),
        ProblemCause::Regression(raced) | ProblemCause::NewMode(raced) => {
            confirmed(&mut object, raced)
        }
        ProblemCause::Claim(decided) => claim(&mut object, decided),
    }
    if let Some(entry) = &problem.entry {
        object.raw("samples", &entry.samples.to_string());
        object.raw("confidence", &entry.confidence.to_string());
    }
    object.end()
}

/// What came of a claim.
fn claim(object: &mut Object, decided: &Decided) {
    object.text("claim", decided.spec.family().form().name);
    object.text("outcome", decided.outcome.word());
    if let ClaimOutcome::Undecidable(why) = &decided.outcome {
        object.text("why", why);
    }
    object.raw("runs", &decided.runs.to_string());
    object.raw("draws", &decided.draws.to_string());
    object.number("false_alarm_rate", decided.rate);
    if let Some(estimate) = &decided.estimate {
        object.number("estimate", estimate.value);
        let interval = [number(estimate.low), number(estimate.high)];
        object.raw("interval", &list(interval.into_iter()));
    }
    object.number("evidence_against", decided.evidence.broken);
    object.number("evidence_for", decided.evidence.fine);
}

fn confirmed(object: &mut Object, confirmed: &Confirmed) {
    judged(object, &confirmed.first);
    if let Some(replayed) = &confirmed.replay {
        object.raw("replayed", &replay(replayed));
    }
    let values = confirmed
        .reruns
        .iter()
        .map(|rerun| maybe_number(rerun.value));
    object.raw("reruns", &list(values));
    let sums = std::iter::once(confirmed.start).chain(confirmed.reruns.iter().map(|r| r.sum));
    object.raw("sums", &list(sums.map(|sum| sum.to_string())));
    object.raw("clear", &confirmed.clear.to_string());
    object.raw("fail", &confirmed.fail.to_string());
}

fn replay(replayed: &Replayed) -> String {
    let mut object = Object::new();
    object.text("base", &replayed.base);
    object.raw("run", &replayed.run.to_string());
    object.raw("same", &replayed.is_same().to_string());
    if replayed.failed {
        object.raw("failed", "true");
    }
    let differences = replayed.differences.iter().map(|difference| {
        let mut object = Object::new();
        object.text("site", &difference.site.to_string());
        object.raw("then", &maybe_number(difference.then));
        object.raw("now", &maybe_number(difference.now));
        object.end()
    });
    object.raw("differences", &list(differences));
    object.end()
}

/// A value, and the bound that it was held against.
pub(in crate::enforce) fn judged(object: &mut Object, judged: &Judged) {
    let side = match judged.side {
        Side::Lower => "lower",
        Side::Upper => "upper",
    };
    object.text("side", side);
    object.number("value", judged.value);
    object.number("bound", judged.bound);
}
