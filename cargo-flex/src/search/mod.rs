//! Runs of one test under varied seeds, until a rule ends them: `detect` and the gate search tests in this way.

mod alike;
mod kept;
mod plain;
mod searching;
mod stochastic;

use flex_detect::record::ObservedTest;
use flex_detect::search::SearchRule;
use flex_run::calibrate::CalibrationError;
use flex_shard::deal::is_whole;
use flex_shard::plan::Order;

use crate::cargo::{CargoTest, TestKind};
use crate::session::{Ran, Turn};
pub use searching::{Saved, Searching};

/// A search that was cut short, and can go on.
pub enum Begun {
    Stochastic(Box<stochastic::StochasticSeen>),
    Plain(Box<plain::PlainSeen>),
}

impl Begun {
    fn stochastic(self) -> Option<Box<stochastic::StochasticSeen>> {
        match self {
            Begun::Stochastic(seen) => Some(seen),
            Begun::Plain(_) => None,
        }
    }

    fn plain(self) -> Option<Box<plain::PlainSeen>> {
        match self {
            Begun::Plain(seen) => Some(seen),
            Begun::Stochastic(_) => None,
        }
    }
}

/// Searches a test by a rule, in its turn.
pub fn search(
    searching: &Searching<'_>,
    rule: SearchRule,
    test: &CargoTest<'_>,
    turn: Turn,
    begun: Option<Begun>,
) -> Result<Ran<ObservedTest, Begun>, CalibrationError> {
    match test.kind {
        TestKind::Plain { controlled } => {
            let begun = begun.and_then(Begun::plain);
            let ran = plain::search(searching, rule, &test.found, turn, controlled, begun)?;
            Ok(ran.map_short(Begun::Plain))
        }
        TestKind::Stochastic => {
            let begun = begun.and_then(Begun::stochastic);
            let ran = stochastic::search(searching, rule, &test.found, turn, begun)?;
            Ok(ran.map_short(Begun::Stochastic))
        }
    }
}

/// Makes what a shard is to make of a test: all runs that its search asks for, or those that a plan names.
pub fn make(
    searching: &Searching<'_>,
    rule: SearchRule,
    (test, orders): (&CargoTest<'_>, &[Order]),
    turn: Turn,
    begun: Option<Begun>,
) -> Result<Ran<(), Begun>, CalibrationError> {
    if is_whole(orders) {
        return Ok(match search(searching, rule, test, turn, begun)? {
            Ran::Done(_) => Ran::Done(()),
            Ran::Short(begun) => Ran::Short(begun),
        });
    }
    match test.kind {
        TestKind::Plain { controlled } => {
            plain::make(searching, &test.found, turn, controlled, orders)
        }
        TestKind::Stochastic => stochastic::make(searching, &test.found, orders, turn),
    }
    .map(Ran::Done)
}
