//! `flex-harness bisect`: the commit that moved the distribution of what a test sees.

mod args;
mod report;
mod version;

use std::io::Write;
use std::path::PathBuf;

use flex_detect::compare::midpoint::{Midpoint, MidpointAnswer, level_of_step};
use flex_detect::compare::{
    ComparedTest, DecidedSeries, SeriesKey, SeriesVerdict, Shares, TestPairs,
};
use flex_run::calibrate::Gate;

use crate::compare;
use crate::exit::{Exit, Failure};
use crate::git::{Bisection, BisectionAnswer, Commit, Next, Repository};
use crate::session::{Interrupt, base_seed, check_request, jobs};
use crate::terminal;
pub use args::BisectArgs;
use report::{BisectionEnd, Step};
use version::{Asking, Cannot, Version};

/// Runs the command.
pub fn run(args: &BisectArgs) -> Result<Exit, Failure> {
    check_request("a search", args.seed.as_ref(), None, None)?;
    let interrupt = Interrupt::listen();
    let base = base_seed(args.seed.as_ref());
    let repository = Repository::of(&PathBuf::from("."))?;
    let flex = match args.is_pytest() {
        true => compare::folder_of_pytest(args.tested.as_ref(), &repository),
        false => compare::folder_of_cargo(&args.cargo)?,
    };
    let asking = Asking {
        args,
        base: &base,
        repository: &repository,
        flex,
        gate: Gate::new(jobs(None)).closed_by(interrupt.flag()),
        interrupt: &interrupt,
    };
    match search(&asking) {
        Ok(found) => {
            found.print(args.json, &repository)?;
            writeln!(terminal::notes(), "seed {base}")?;
            Ok(Exit::Fine)
        }
        Err(Failure::Interrupted) => Ok(Exit::Interrupted),
        Err(failure) => Err(failure),
    }
}

fn search(asking: &Asking<'_>) -> Result<BisectionEnd, Failure> {
    let (args, repository) = (asking.args, asking.repository);
    let (good, bad) = (
        repository.commit(&args.good)?,
        repository.commit(&args.bad)?,
    );
    let commits = repository.commits_between(&good, &bad)?;
    let level = level_of_step(args.alpha, commits);
    let check_out = |slot: &str, commit: &Commit| {
        compare::check_out(repository, &asking.flex, slot, commit.id())
    };
    let (good_tree, bad_tree) = (check_out("good", &good)?, check_out("bad", &bad)?);
    let end = |name: &str, cannot: Cannot| match cannot {
        Cannot::Skip(why) => Failure::build(
            format!("the {name} commit cannot be looked at: {why}"),
            "name another one that builds and has the test",
        ),
        Cannot::End(failure) => failure,
    };
    let mut good_code = Version::of(asking, &good_tree).map_err(|cannot| end("good", cannot))?;
    let mut bad_code = Version::of(asking, &bad_tree).map_err(|cannot| end("bad", cannot))?;
    let (test, moved) = ends_differ(asking, &mut good_code, &mut bad_code)?;

    let mut middle = check_out("middle", &bad)?;
    let (mut bisection, mut next) = Bisection::start(repository, &mut middle, &good, &bad)?;
    let mut steps = Vec::new();
    loop {
        let commit = match next {
            Next::Look(commit) => commit,
            found => {
                return Ok(BisectionEnd {
                    found,
                    test,
                    moved,
                    steps,
                    commits,
                    alpha: args.alpha,
                    ends: [good, bad],
                });
            }
        };
        let ends = [&mut good_code, &mut bad_code];
        let looked = look(asking, bisection.worktree(), &moved.key, level, ends);
        let (answer, why, pairs) = match looked {
            Ok((MidpointAnswer::NotYet, pairs)) => {
                (BisectionAnswer::Good, "not yet moved".to_owned(), pairs)
            }
            Ok((MidpointAnswer::Already, pairs)) => {
                (BisectionAnswer::Bad, "moved".to_owned(), pairs)
            }
            Ok((MidpointAnswer::Undecided, pairs)) => {
                (BisectionAnswer::Skip, "undecided".to_owned(), pairs)
            }
            Err(Cannot::Skip(why)) => (BisectionAnswer::Skip, why, 0),
            Err(Cannot::End(failure)) => return Err(failure),
        };
        let step = Step {
            commit,
            answer,
            why,
            pairs,
        };
        writeln!(terminal::notes(), "{}", step.line(repository))?;
        steps.push(step);
        next = bisection.answer(answer)?;
    }
}

/// Compares both ends until it is known which series has moved; if several have, the one that is surest.
fn ends_differ(
    asking: &Asking<'_>,
    good: &mut Version<'_>,
    bad: &mut Version<'_>,
) -> Result<(ComparedTest, DecidedSeries), Failure> {
    let rule = asking.args.rule();
    let ended = |cannot: Cannot| match cannot {
        Cannot::Skip(why) => Failure::build(why, "both ends must have the test"),
        Cannot::End(failure) => failure,
    };
    let first = rule.first;
    let mut pairs = TestPairs::new(
        rule,
        good.runs(first).map_err(ended)?,
        bad.runs(first).map_err(ended)?,
    );
    let shares = Shares::new(asking.args.alpha, pairs.differing());
    pairs.begin(&shares);
    while let Some(runs) = pairs.wanted() {
        let of = |version: &mut Version<'_>| {
            let seen = version.runs(runs.end).map_err(ended)?;
            let mut seen = seen.clone();
            seen.runs.retain(|run, _| runs.contains(run));
            Ok::<_, Failure>(seen)
        };
        let (old, new) = (of(good)?, of(bad)?);
        pairs.take(&old, &new, &shares);
        if pairs.has_direction() {
            break;
        }
    }
    let test = pairs.compared();
    let is_moved = |decided: &&DecidedSeries| {
        matches!(
            decided.verdict,
            SeriesVerdict::Worse | SeriesVerdict::Better
        )
    };
    let strength = |decided: &&DecidedSeries| decided.ln_e_value.unwrap_or(0.0);
    let moved = test.series.iter().filter(is_moved);
    let moved = moved
        .max_by(|a, b| strength(a).total_cmp(&strength(b)))
        .cloned();
    moved.map(|moved| (test.clone(), moved)).ok_or_else(|| {
        let is_same = test
            .series
            .iter()
            .all(|one| one.verdict == SeriesVerdict::Identical);
        let (good, bad) = (&asking.args.good, &asking.args.bad);
        match is_same {
            true => Failure::refused(
                format!(
                    "nothing has moved: {good} and {bad} show the same in {} pairs",
                    test.pairs
                ),
                "is the change before the good commit, or after the bad one?",
            ),
            false => Failure::refused(
                format!(
                    "{good} and {bad} differ, but no direction is shown in {} pairs",
                    test.pairs
                ),
                "raise --max-pairs",
            ),
        }
    })
}

/// Compares a commit with both ends, until it is known to differ from one of them; returns the pairs, too.
fn look(
    asking: &Asking<'_>,
    worktree: &crate::git::Worktree,
    key: &SeriesKey,
    level: f64,
    [good, bad]: [&mut Version<'_>; 2],
) -> Result<(MidpointAnswer, u64), Cannot> {
    let rule = asking.args.rule();
    let mut code = Version::of(asking, worktree)?;
    let wrong = |error| Cannot::End(Failure::input(error, "state another --alpha"));
    let mut midpoint = Midpoint::new(level, rule.first).map_err(wrong)?;
    let (mut from, mut until) = (0, rule.first);
    loop {
        code.runs(until)?;
        good.runs(until)?;
        bad.runs(until)?;
        for run in from..until {
            let of = |version: &Version<'_>| version.value(run, key);
            if let (Some(good), Some(middle), Some(bad)) = (of(good), of(&code), of(bad))
                && midpoint.push(good, middle, bad) != MidpointAnswer::Undecided
            {
                return Ok((midpoint.answer(), midpoint.runs()));
            }
        }
        if midpoint.runs() == 0 {
            let what = key.label();
            return Err(Cannot::Skip(format!("it has no `{what}`")));
        }
        if until >= rule.most {
            return Ok((MidpointAnswer::Undecided, midpoint.runs()));
        }
        (from, until) = (until, rule.next(until));
    }
}
