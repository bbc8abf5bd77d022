//! From verdicts to patches: one for each test, in which only the numbers change.

mod markers;
mod place;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use flex_core::bound::confidence::Confidence;

use crate::menu::{Ask, Menu, OfferKind, Remedy, Standing, subjects};
use crate::record::{ObservedSite, ObservedTest, Record};
use crate::source::{Edit, NoPlace, apply, conflict_marker};
use crate::verdict::{Finding, Findings};
use place::{SourceFile, SourceNumber};

/// What is asked of all proposals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Order {
    /// The probability that unchanged code passes a test.
    pub confidence: Confidence,
    /// What to do, instead of what is done by default.
    pub choose: Option<OfferKind>,
    /// Change assertions, too, that look like they show a bug.
    pub even_suspected: bool,
}

/// What is proposed for all tests.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// One for each number that can be changed, in the order of the record.
    pub proposals: Vec<Proposal>,
    /// The patches, to be applied one after the other.
    pub patches: Vec<Patch>,
}

/// What is proposed for one number of an assertion.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// The test's index in the record.
    pub test: usize,
    /// The assertion; `None` if the test fails elsewhere.
    pub site: Option<ObservedSite>,
    /// The verdict.
    pub finding: Finding,
    /// The probability that unchanged code passes the assertion.
    pub confidence: f64,
    /// What can be done.
    pub menu: Menu,
    /// What will be done, or why nothing.
    pub choice: Result<Choice, String>,
}

/// What will be done.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The offer's index in the menu.
    pub offer: usize,
    /// What changes, in words.
    pub words: String,
}

/// A change of one file for the sake of one test.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    /// The test's index in the record.
    pub test: usize,
    /// The file.
    pub file: PathBuf,
    /// Its text before this patch, and after those before it.
    pub before: String,
    /// Its text with this patch.
    pub after: String,
    /// The indices of the proposals that it carries out.
    pub proposals: Vec<usize>,
}

/// What one proposal wants of a source.
struct Want {
    proposal: usize,
    file: PathBuf,
    wish: Wish,
}

enum Wish {
    /// A number at a place; of several wishes for one place, the loosest is granted.
    Number {
        place: SourceNumber,
        number: f64,
        larger_is_looser: bool,
    },
    /// These edits.
    Edits { edits: Vec<Edit>, words: String },
}

/// Proposes patches for the tests that are named. `read` gives the text of a source file, or says why it cannot.
pub fn propose(
    record: &Record,
    findings: &Findings,
    order: &Order,
    is_named: impl Fn(&ObservedTest) -> bool,
    read: &mut dyn FnMut(&Path) -> Result<String, String>,
) -> Plan {
    let mut sources = Sources {
        record,
        read,
        texts: BTreeMap::new(),
    };
    let mut plan = Plan::default();
    for (index, test) in record.tests.iter().enumerate() {
        if is_named(test) {
            let judged = findings.tests.get(index);
            let findings = judged.map_or(&[][..], |judged| &judged.findings[..]);
            plan.proposals
                .extend(menus(index, test, findings, order, &mut sources));
        }
    }
    let wants = wants(&mut plan, order, &mut sources);
    grant(&mut plan, wants, &sources);
    plan
}

/// The menus of a test's assertions, which share its confidence.
fn menus(
    index: usize,
    test: &ObservedTest,
    findings: &[Finding],
    order: &Order,
    sources: &mut Sources<'_>,
) -> Vec<Proposal> {
    let price = |assertions: usize, sources: &mut Sources<'_>| {
        let mut proposals = Vec::new();
        for finding in findings {
            let mut ask = Ask::shared(order.confidence, assertions);
            let proposal = |site: Option<ObservedSite>, menu: Menu| Proposal {
                test: index,
                site,
                finding: finding.clone(),
                confidence: ask.confidence,
                menu,
                choice: Err(String::new()),
            };
            let Some(site) = finding.site.and_then(|site| test.sites.get(site)) else {
                proposals.push(proposal(None, Menu::of_outcome(test, finding, &ask)));
                continue;
            };
            let source = sources.source(Path::new(&site.place.file)).ok();
            ask.domain = source.as_ref().and_then(|source| source.domain(site));
            let site = source.map_or_else(|| site.clone(), |source| source.as_written(site));
            for subject in subjects(&site) {
                let menu = Menu::price(test, &site, subject, finding, &ask);
                proposals.extend(menu.map(|menu| proposal(Some(site.clone()), menu)));
            }
        }
        proposals
    };
    let proposals = price(1, sources);
    let is_mended = |proposal: &&Proposal| proposal.menu.standing == Standing::Mend;
    match proposals.iter().filter(is_mended).count() {
        0 | 1 => proposals,
        many => price(many, sources),
    }
}

/// What all proposals want, by their choices.
fn wants(plan: &mut Plan, order: &Order, sources: &mut Sources<'_>) -> Vec<Want> {
    let mut wants = Vec::new();
    for (index, proposal) in plan.proposals.iter_mut().enumerate() {
        let test = &sources.record.tests[proposal.test];
        let file = |change: &Remedy| match (&proposal.site, change) {
            (Some(site), Remedy::Number { .. } | Remedy::Learned { .. }) => {
                PathBuf::from(&site.place.file)
            }
            _ => PathBuf::from(&test.place.file),
        };
        let chosen = proposal
            .menu
            .choose(order.choose, order.even_suspected, proposal.confidence)
            .and_then(|offer| {
                let file = file(&offer.change);
                let source = sources.source(&file)?;
                let wish = wish(&source, test, proposal, &offer.change)
                    .map_err(|why| instead_of_a_number(&proposal.menu, &offer.change, why))?;
                let offers = &proposal.menu.offers;
                let at = offers.iter().position(|other| other == offer).unwrap_or(0);
                Ok((at, file, wish))
            });
        proposal.choice = chosen.map(|(offer, file, wish)| {
            wants.push(Want {
                proposal: index,
                file,
                wish,
            });
            Choice {
                offer,
                words: String::new(),
            }
        });
    }
    wants
}

/// Why there is no patch, where something was tried because no number can be changed.
fn instead_of_a_number(menu: &Menu, change: &Remedy, why: String) -> String {
    let mut refusals = menu.refusals.iter();
    let number = refusals.find(|(kind, _)| *kind == OfferKind::Bound);
    match (change, number) {
        (Remedy::Reruns { .. }, Some((_, no_number))) => format!("{no_number}; {why}"),
        _ => why,
    }
}

fn wish(
    source: &SourceFile,
    test: &ObservedTest,
    proposal: &Proposal,
    change: &Remedy,
) -> Result<Wish, String> {
    let said = |why: NoPlace| format!("{}: {why}", proposal.finding.place.file);
    match (change, &proposal.site) {
        (Remedy::Number { series, number, .. }, Some(site)) => Ok(Wish::Number {
            place: source.place(site, &site.series[*series]).map_err(said)?,
            number: *number,
            larger_is_looser: place::larger_is_looser(site.series[*series].role),
        }),
        (Remedy::Learned { series }, Some(site)) => {
            let edits = source.learn(test, site, &site.series[*series]);
            Ok(Wish::Edits {
                edits: edits.map_err(said)?,
                words: "the number is left to flex".to_owned(),
            })
        }
        (Remedy::Reruns { attempts }, _) => {
            let (edits, words) = markers::rerun(source, test, *attempts)?;
            Ok(Wish::Edits { edits, words })
        }
        (Remedy::Hint(how), _) => Err(format!("only you can do that: {how}")),
        (Remedy::Number { .. } | Remedy::Learned { .. } | Remedy::Nothing, _) => {
            Err("nothing changes".to_owned())
        }
    }
}

/// Turns wishes into patches. Numbers that several assertions or cases of a test share become the loosest of all.
fn grant(plan: &mut Plan, wants: Vec<Want>, sources: &Sources<'_>) {
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
                    None => (
                        Err(format!("{} cannot be written as {}", number, place.text())),
                        String::new(),
                    ),
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
    plan: &mut Plan,
    edits: Vec<(usize, PathBuf, Vec<Edit>)>,
    sources: &Sources<'_>,
) -> Vec<Patch> {
    let mut patches: Vec<Patch> = Vec::new();
    let mut made: BTreeMap<PathBuf, Vec<Edit>> = BTreeMap::new();
    for (proposal, file, edits) in edits {
        let Some(Ok(text)) = sources.texts.get(&file) else {
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

/// Source files, each read once.
struct Sources<'a> {
    record: &'a Record,
    read: &'a mut dyn FnMut(&Path) -> Result<String, String>,
    texts: BTreeMap<PathBuf, Result<String, String>>,
}

impl Sources<'_> {
    fn source(&mut self, file: &Path) -> Result<SourceFile, String> {
        let text = match self.texts.get(file) {
            Some(text) => text.clone(),
            None => {
                let text = (self.read)(file).and_then(|text| match conflict_marker(&text) {
                    Some(line) => Err(format!(
                        "{}:{line} holds what a merge left behind; resolve that first",
                        file.display()
                    )),
                    None => Ok(text),
                });
                self.texts.insert(file.to_owned(), text.clone());
                text
            }
        };
        Ok(SourceFile::new(
            self.record.runner,
            self.record.rerun_marker,
            text?,
        ))
    }
}

/// A confidence for people: 99.99%. What is left to 100% has two digits.
pub fn level(confidence: f64) -> String {
    let percent = 100.0 * confidence;
    let rounded = flex_bounds::round::nearest(percent, 100.0 * (100.0 - percent));
    format!("{}%", if rounded < 100.0 { rounded } else { percent })
}

#[cfg(test)]
mod tests;
