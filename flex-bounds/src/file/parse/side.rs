//! Reading what was learned for one side: strategy, ceiling, guard with its races, fit.

use std::fmt;

use flex_core::bound::race::{Cut, Race};
use flex_core::bound::strategy::Strategy;
use flex_core::tail::Domain;

use super::super::error::{ENTRY_ADVICE, Parsed};
use super::super::field::{Field, fields};
use super::super::{Bounds, EntryError, Fit, GuardBound, HeldBound, Learned};
use super::draft::{absent, domain, locate, required};
use crate::keys::{self, names};

/// The values of one side as they come.
#[derive(Default)]
pub(super) struct SideDraft {
    strategy: Option<Strategy>,
    ceiling: Option<f64>,
    guard: Option<f64>,
    race: Option<Race>,
    strays: Option<(Vec<i32>, i32)>,
    bound: Option<f64>,
    margin: Option<f64>,
    mean: Option<f64>,
    limits: Option<Domain>,
    fit: Option<Fit>,
    reason: Option<String>,
}

impl SideDraft {
    pub fn read(&mut self, field: &Field<'_>) -> Parsed<()> {
        match field.key {
            "strategy" => self.strategy = Some(field.word()?),
            "ceiling" => self.ceiling = Some(field.number()?),
            "guard" => self.guard = Some(field.number()?),
            "race" => self.race = Some(race(field)?),
            "strays" => self.strays = Some(strays(field)?),
            "bound" => self.bound = Some(field.number()?),
            "margin" => self.margin = Some(field.number()?),
            "mean" => self.mean = Some(field.number()?),
            "limits" => self.limits = Some(domain(field)?),
            "fit" => self.fit = Some(fit(field)?),
            "reason" => self.reason = Some(field.string()?),
            _ => return Err(field.unknown(&names(keys::SIDE))),
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<Learned, EntryError> {
        let strategy = required("strategy", self.strategy)?;
        let allowed: &[&str] = match strategy {
            Strategy::Tail | Strategy::Order | Strategy::Empirical => {
                &["strategy", "ceiling", "guard", "race", "strays", "fit"]
            }
            Strategy::Guard => &["strategy", "guard", "race", "strays", "fit", "reason"],
            Strategy::Rerun | Strategy::Keep => &["strategy"],
            Strategy::Mean => &["strategy", "bound", "margin", "mean", "limits"],
            Strategy::Rate => &["strategy", "bound", "margin", "mean"],
            Strategy::Refuse => &["strategy", "reason"],
        };
        self.only(allowed, format_args!("strategy `{strategy}` has none"))?;
        let needed = |key| EntryError::new(key, format!("strategy `{strategy}` needs a `{key}`"));
        let guard = self.take_guard()?;
        let held = || {
            Ok(HeldBound {
                bound: self.bound.ok_or_else(|| needed("bound"))?,
                margin: self.margin.ok_or_else(|| needed("margin"))?,
                mean: self.mean.ok_or_else(|| needed("mean"))?,
                limits: match strategy {
                    Strategy::Mean => Some(self.limits.ok_or_else(|| needed("limits"))?),
                    _ => None,
                },
            })
        };
        let (ceiling, fit, reason) = (self.ceiling, self.fit, self.reason);
        let bounds = |guard| {
            Ok(Bounds {
                ceiling: ceiling.ok_or_else(|| needed("ceiling"))?,
                guard,
                fit,
            })
        };
        Ok(match strategy {
            Strategy::Tail => Learned::Tail(bounds(guard)?),
            Strategy::Order => Learned::Order(bounds(guard)?),
            Strategy::Empirical => Learned::Empirical(bounds(guard)?),
            Strategy::Guard => Learned::Guard {
                guard: guard.ok_or_else(|| needed("guard"))?,
                fit,
                reason,
            },
            Strategy::Rerun => Learned::Rerun,
            Strategy::Keep => Learned::Keep,
            Strategy::Mean => Learned::Mean(held()?),
            Strategy::Rate => Learned::Rate(held()?),
            Strategy::Refuse => Learned::Refuse {
                reason: reason.ok_or_else(|| needed("reason"))?,
            },
        })
    }

    /// The guard with its races: a guard without a race settles nothing, and a race without a guard never begins.
    fn take_guard(&mut self) -> Result<Option<GuardBound>, EntryError> {
        match (self.guard, self.race.take(), self.strays.take()) {
            (None, None, None) => Ok(None),
            (Some(_), None, _) => Err(EntryError::new("guard", "a `guard` needs a `race`")),
            (None, Some(_), _) => Err(EntryError::new("race", "a `race` needs a `guard`")),
            (None, None, Some(_)) => Err(EntryError::new("strays", "`strays` need a `guard`")),
            (Some(bound), Some(race), strays) => {
                let strays = strays.map(|(scores, fail)| {
                    let cuts = race.cuts().last().copied().into_iter().collect();
                    Race::new(cuts, scores, (0, fail), race.most_reruns())
                        .map_err(|error| EntryError::new("strays", error))
                });
                Ok(Some(GuardBound {
                    bound,
                    strays: strays.transpose()?,
                    race,
                }))
            }
        }
    }

    /// Refuses what is written but not `allowed`.
    pub fn only(&self, allowed: &[&str], why: impl fmt::Display) -> Result<(), EntryError> {
        let written = [
            ("strategy", self.strategy.is_some()),
            ("ceiling", self.ceiling.is_some()),
            ("guard", self.guard.is_some()),
            ("race", self.race.is_some()),
            ("strays", self.strays.is_some()),
            ("bound", self.bound.is_some()),
            ("margin", self.margin.is_some()),
            ("mean", self.mean.is_some()),
            ("limits", self.limits.is_some()),
            ("fit", self.fit.is_some()),
            ("reason", self.reason.is_some()),
        ];
        written
            .into_iter()
            .filter(|(key, _)| !allowed.contains(key))
            .try_for_each(|(key, written)| absent(key, written, &why))
    }
}

fn race(field: &Field<'_>) -> Parsed<Race> {
    let (mut cuts, mut above, mut scores) = (None, None, None);
    let (mut clear, mut fail, mut most) = (None, None, None);
    for field in fields(field.table()?, ENTRY_ADVICE) {
        match field.key {
            "cuts" => cuts = Some(field.list_of_numbers()?),
            "above" => above = Some(field.list_of_integers::<u32>()?),
            "scores" => scores = Some(field.list_of_integers()?),
            "clear" => clear = Some(field.integer()?),
            "fail" => fail = Some(field.integer()?),
            "most" => most = Some(field.count()?),
            _ => return Err(field.unknown(&names(keys::RACE))),
        }
    }
    let (cuts, above) = (field.part("cuts", cuts)?, field.part("above", above)?);
    if cuts.len() != above.len() {
        let (cuts, above) = (cuts.len(), above.len());
        let message = format!("the race has {cuts} `cuts` and says of {above} what is `above`");
        return Err(field.wrong(message));
    }
    let cut = |(value, above): (f64, u32)| Cut { value, above };
    let ends = (field.part("clear", clear)?, field.part("fail", fail)?);
    Race::new(
        cuts.into_iter().zip(above).map(cut).collect(),
        field.part("scores", scores)?,
        ends,
        field.part("most", most)?,
    )
    .map_err(|error| field.wrong(error))
}

fn strays(field: &Field<'_>) -> Parsed<(Vec<i32>, i32)> {
    let (mut scores, mut fail) = (None, None);
    for field in fields(field.table()?, ENTRY_ADVICE) {
        match field.key {
            "scores" => scores = Some(field.list_of_integers()?),
            "fail" => fail = Some(field.integer()?),
            _ => return Err(field.unknown(&names(keys::STRAYS))),
        }
    }
    Ok((field.part("scores", scores)?, field.part("fail", fail)?))
}

fn fit(field: &Field<'_>) -> Parsed<Fit> {
    let (mut threshold, mut scale, mut shape, mut exceedances) = (None, None, None, None);
    for field in fields(field.table()?, ENTRY_ADVICE) {
        match field.key {
            "threshold" => threshold = Some(field.number()?),
            "scale" => scale = Some(field.number()?),
            "shape" => shape = Some(field.number()?),
            "exceedances" => exceedances = Some(field.count()?),
            _ => return Err(field.unknown(&names(keys::FIT))),
        }
    }
    Ok(Fit {
        threshold: field.part("threshold", threshold)?,
        scale: field.part("scale", scale)?,
        shape: field.part("shape", shape)?,
        exceedances: field.part("exceedances", exceedances)?,
    })
}

/// One of the sides of a site with tail `both`.
pub(super) fn side(field: &Field<'_>) -> Parsed<Learned> {
    let table = field.table()?;
    let mut draft = SideDraft::default();
    for field in fields(table, ENTRY_ADVICE) {
        draft.read(&field)?;
    }
    draft
        .finish()
        .map_err(|error| locate(error, table, field.at))
}
