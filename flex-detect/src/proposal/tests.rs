//! What becomes of numbers that several assertions share.

use super::*;
use crate::record::{Given, Knob, Reader, RerunMarker, Role, Span, VERSION};
use crate::verdict::JudgeRule;
use crate::verdict::judge;
use crate::verdict::tests::{spread, test};
use flex_run::model::Runner;

const SOURCE: &str = "LIMIT = 1.9\n\ndef test_x():\n    assert x < LIMIT\n    assert x > LIMIT\n";

/// A record of `x < LIMIT` in every one of these roles, with values between 1 and 2, which are no shares.
fn record(roles: &[Role]) -> Record {
    let mut observed = test(3000, 1.9, |run| match roles[0] {
        Role::Lower => 2.8 - spread(run),
        _ => 1.0 + spread(run),
    });
    let knob = Knob {
        text: "1.9".to_owned(),
        given: Given::Constant {
            name: "LIMIT".to_owned(),
            span: Span {
                line: 1,
                column: 8,
                end_line: 1,
                end_column: 11,
            },
            also_in: None,
        },
    };
    let first = observed.sites[0].clone();
    observed.sites = roles
        .iter()
        .map(|role| {
            let mut site = first.clone();
            site.is_hard = false;
            let series = &mut site.series[0];
            series.role = *role;
            series.knob = Some(knob.clone());
            if *role == Role::Lower {
                series
                    .values
                    .iter_mut()
                    .for_each(|(_, value)| *value = 3.8 - *value);
            }
            site
        })
        .collect();
    Record {
        version: VERSION,
        runner: Runner::Pytest,
        base: "a".to_owned(),
        root: PathBuf::new(),
        rerun_marker: Some(RerunMarker::Flaky),
        tests: vec![observed],
        reader: Reader::default(),
    }
}

fn plan(record: &Record) -> FixPlan {
    let findings = judge(record, &JudgeRule::default());
    let order = FixOrder {
        confidence: Confidence::DEFAULT,
        choose: None,
        even_suspected: false,
    };
    propose(record, &findings, &order, |_| true, &mut |_| {
        Ok(SOURCE.to_owned())
    })
}

#[test]
fn assertions_of_one_test_share_its_confidence_and_their_constant() {
    let alone = plan(&record(&[Role::Upper]));
    let both = plan(&record(&[Role::Upper, Role::Upper]));
    assert_eq!(alone.proposals[0].confidence, 0.9999);
    assert_eq!(both.proposals[0].confidence, 0.99995);
    assert_eq!(both.patches.len(), 1);
    assert!(
        both.patches[0].after.starts_with("LIMIT = 2."),
        "{}",
        both.patches[0].after
    );
    let words = &both.proposals[1].choice.as_ref().unwrap().words;
    assert!(words.contains("the looser of two"), "{words}");
}

#[test]
fn a_constant_that_is_both_an_upper_and_a_lower_bound_stays() {
    let plan = plan(&record(&[Role::Upper, Role::Lower]));
    assert!(plan.patches.is_empty(), "{:?}", plan.patches);
    for proposal in &plan.proposals {
        let why = proposal.choice.as_ref().unwrap_err();
        assert!(
            why.contains("an upper bound here and a lower bound there"),
            "{why}"
        );
    }
}

#[test]
fn confidences_are_told_with_two_digits_of_what_is_left() {
    for (confidence, expected) in [
        (0.99, "99%"),
        (0.9999, "99.99%"),
        (0.999_975, "99.9975%"),
        (1.0 - 1e-3 / 3.0, "99.967%"),
        (0.5, "50%"),
    ] {
        assert_eq!(level(confidence), expected);
    }
}
