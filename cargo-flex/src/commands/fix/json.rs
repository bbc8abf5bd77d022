//! Everything that `fix` found and proposes, for programs.

use flex_detect::menu::{Offer, Rate, Remedy, Standing};
use flex_detect::proposal::Proposal;
use flex_detect::report::replay;
use serde_json::{Value, json};

use super::work::FixWork;

/// One value for all of it.
pub fn json(work: &FixWork<'_>) -> Value {
    let proposals = work.plan.proposals.iter();
    let patches = work.plan.patches.iter().map(|patch| {
        json!({
            "test": work.record.tests[patch.test].name(),
            "file": patch.file,
            "diff": work.diff(patch),
        })
    });
    json!({
        "version": 1,
        "confidence": work.args.confidence.value(),
        "assertions": proposals.map(|proposal| assertion(work, proposal)).collect::<Vec<_>>(),
        "patches": patches.collect::<Vec<_>>(),
    })
}

fn assertion(work: &FixWork<'_>, proposal: &Proposal) -> Value {
    let Proposal { finding, menu, .. } = proposal;
    let judged = &work.findings.tests[proposal.test];
    let suspicions = menu.suspicions.iter().map(|suspicion| {
        let first = suspicion.runs().first();
        json!({
            "what": suspicion.to_string(),
            "runs": suspicion.runs(),
            "replay": first.and_then(|run| Some(replay(judged, *run)?.to_string())),
        })
    });
    let chosen = proposal.choice.as_ref().ok().map(|choice| choice.offer);
    let offers = menu.offers.iter().enumerate();
    json!({
        "test": work.record.tests[proposal.test].name(),
        "file": finding.place.file,
        "line": finding.place.line,
        "text": finding.text,
        "case": finding.case,
        "verdict": finding.word(),
        "standing": standing(&menu.standing),
        "runs": finding.figures.runs,
        "failed": finding.figures.failed,
        "rate": rate(menu.rate),
        "bound": menu.bound,
        "domain": menu.domain.map(|domain| domain.to_string()),
        "look_here": suspicions.collect::<Vec<_>>(),
        "menu": offers
            .map(|(index, offer)| priced(offer, Some(index) == chosen))
            .collect::<Vec<_>>(),
        "patch": proposal.choice.as_ref().ok().map(|choice| &choice.words),
        "no_patch": proposal.choice.as_ref().err(),
        "hint": menu.hint,
    })
}

fn priced(offer: &Offer, is_chosen: bool) -> Value {
    let mut value = json!({
        "option": offer.kind.as_str(),
        "confidence": offer.confidence,
        "false_alarms": rate(offer.price.rate),
        "seconds_per_run": offer.price.seconds,
        "power": offer.price.power,
        "notes": offer.notes,
        "chosen": is_chosen,
    });
    match &offer.change {
        Remedy::Number { number, .. } => value["number"] = json!(number),
        Remedy::Reruns { attempts } => value["attempts"] = json!(attempts),
        Remedy::Hint(how) => value["how"] = json!(how),
        Remedy::Learned { .. } | Remedy::Nothing => {}
    }
    value
}

fn rate(rate: Rate) -> Value {
    json!({ "estimate": rate.estimate, "low": rate.low, "high": rate.high })
}

fn standing(standing: &Standing) -> &'static str {
    match standing {
        Standing::Mend => "mend",
        Standing::Open => "too-few-runs",
        Standing::Suspected => "look-here-first",
        Standing::Golden => "golden",
        Standing::Uncontrolled(_) => "uncontrolled",
        Standing::Broken => "broken",
        Standing::Elsewhere | Standing::Unseen => "fails-elsewhere",
        Standing::Keep => "keep",
    }
}
