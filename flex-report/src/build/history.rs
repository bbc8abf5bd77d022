//! What a site saw when its test was enforced, over time, and the last race about it.

use crate::kept::{About, ProblemLine, VerdictLine};
use crate::model::{Past, Race, Site};

/// Verdicts of one site that are told at most, the last ones.
const MOST: usize = 400;

/// Adds the past of a site; places are newer there than where it was calibrated.
pub fn add(site: &mut Site, verdicts: &[&VerdictLine], commits: &[(u64, String)]) {
    for line in verdicts {
        let is_its = |label: &str, case: &Option<String>| label == site.site && *case == site.case;
        let kind = match site.sides.iter().any(|side| side.bound.is_some()) {
            // A mean or a rate whose bound is learned is a claim, when it is enforced.
            true => "claim",
            false => site.kind,
        };
        let seen = line
            .values
            .iter()
            .find(|seen| is_its(&seen.site, &seen.case) && seen.kind == kind);
        if let Some(seen) = seen {
            site.history.push(Past {
                at: line.about.at,
                commit: commit_of(&line.about, commits),
                verdict: line.verdict.clone(),
                least: seen.least,
                greatest: seen.greatest,
                seed: line.seed.clone(),
            });
            (site.file, site.line) = (seen.file.clone(), seen.line);
        }
        let problems = line.problems.iter().chain(&line.cleared);
        let raced = problems.filter(|problem| is_its(&problem.site, &problem.case));
        if let Some(race) = raced.rev().find_map(|problem| race(problem, line.about.at)) {
            site.race = Some(race);
        }
    }
    let older = site.history.len().saturating_sub(MOST);
    site.history.drain(..older);
}

fn race(problem: &ProblemLine, at: u64) -> Option<Race> {
    (!problem.sums.is_empty()).then_some(())?;
    Some(Race {
        at,
        cause: problem.cause.clone(),
        side: problem.side.clone()?,
        value: problem.value?,
        bound: problem.bound?,
        reruns: problem.reruns.clone(),
        sums: problem.sums.clone(),
        clear: problem.clear?,
        fail: problem.fail?,
    })
}

/// The commit that the line names, or that the working tree was at.
fn commit_of(about: &About, commits: &[(u64, String)]) -> Option<String> {
    let then = || commits.iter().find(|(since, _)| *since <= about.at);
    let commit = about.commit.as_ref();
    let commit = commit.or_else(|| then().map(|(_, commit)| commit))?;
    Some(commit.chars().take(9).collect())
}
