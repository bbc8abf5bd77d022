//! From what proposals wish for to patches of sources.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::place::SourceNumber;
use super::plan::{FixPlan, Patch};
use super::sources::Sources;
use crate::source::{Edit, apply};

/// What one proposal wants of a source.
pub(super) struct Want {
    pub proposal: usize,
    pub file: PathBuf,
    pub wish: Wish,
}

pub(super) enum Wish {
    /// A number at a place; of several wishes for one place, the loosest is granted.
    Number {
        place: SourceNumber,
        number: f64,
        larger_is_looser: bool,
    },
    /// These edits.
    Edits { edits: Vec<Edit>, words: String },
}

/// Turns wishes into patches. Numbers that several assertions or cases of a test share become the loosest of all.
pub(super) fn grant(plan: &mut FixPlan, wants: Vec<Want>, sources: &Sources<'_>) {
    let mut edits: Vec<(usize, PathBuf, Vec<Edit>)> = Vec::new();
    for want in &wants {
        let (made, words) = match &want.wish {
            Wish::Edits { edits, words } => (Ok(edits.clone()), words.clone()),
            Wish::Number { place, .. } => match shared_number(want, &wants) {
                Ok((number, others)) => match place.write(number) {
                    Some((edit, written)) => {
                        let words = place.words(&written, others);
                        (Ok(vec![edit]), words)
                    }
                    None => (Err(place.cannot_say(number)), String::new()),
                },
                Err(why) => (Err(why), String::new()),
            },
        };
        match made {
            Ok(made) => {
                if let Ok(choice) = &mut plan.proposals[want.proposal].choice {
                    choice.words = words;
                }
                edits.push((want.proposal, want.file.clone(), made));
            }
            Err(why) => plan.proposals[want.proposal].choice = Err(why),
        }
    }
    plan.patches = patches(plan, edits, sources);
}

/// The loosest number that is wished for at this place, and how many wish for it besides.
fn shared_number(want: &Want, wants: &[Want]) -> Result<(f64, usize), String> {
    let mut loosest: Option<(f64, bool)> = None;
    let mut all = 0;
    for other in wants.iter().filter(|other| other.file == want.file) {
        let (
            Wish::Number {
                place,
                number,
                larger_is_looser,
            },
            Wish::Number { place: here, .. },
        ) = (&other.wish, &want.wish)
        else {
            continue;
        };
        if !place.is_same(here) {
            continue;
        }
        all += 1;
        loosest = Some(match loosest {
            None => (*number, *larger_is_looser),
            Some((_, looser)) if looser != *larger_is_looser => {
                return Err(
                    "the same number is an upper bound here and a lower bound there".to_owned(),
                );
            }
            Some((so_far, true)) => (so_far.max(*number), true),
            Some((so_far, false)) => (so_far.min(*number), false),
        });
    }
    let (number, _) = loosest.ok_or("no number is wished for")?;
    Ok((number, all - 1))
}

/// One patch per test and file; each begins where the one before it ends.
fn patches(
    plan: &mut FixPlan,
    edits: Vec<(usize, PathBuf, Vec<Edit>)>,
    sources: &Sources<'_>,
) -> Vec<Patch> {
    let mut patches: Vec<Patch> = Vec::new();
    let mut made: BTreeMap<PathBuf, Vec<Edit>> = BTreeMap::new();
    for (proposal, file, edits) in edits {
        let Some(text) = sources.text(&file) else {
            continue;
        };
        let so_far = made.entry(file.clone()).or_default();
        let before = apply(text, so_far);
        let with: Vec<Edit> = so_far.iter().chain(&edits).cloned().collect();
        let (before, after) = match (before, apply(text, &with)) {
            (Ok(before), Ok(after)) => (before, after),
            (_, Err(why)) | (Err(why), _) => {
                plan.proposals[proposal].choice = Err(why);
                continue;
            }
        };
        *so_far = with;
        let test = plan.proposals[proposal].test;
        match patches.last_mut() {
            Some(last) if last.test == test && last.file == file => {
                last.after = after;
                last.proposals.push(proposal);
            }
            _ => patches.push(Patch {
                test,
                file,
                before,
                after,
                proposals: vec![proposal],
            }),
        }
    }
    // What another test's patch changed already is no patch.
    patches.retain(|patch| patch.before != patch.after);
    patches
}
