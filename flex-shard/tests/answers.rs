//! What is known of a test answers whoever asks for runs once more.

#![expect(
    clippy::unwrap_used,
    reason = "an input that cannot be made is a mistake in this file"
)]

mod made;

use flex_run::model::ProcessRecord;
use flex_shard::TestKey;
use flex_shard::answers::{Answers, FoundFrame};
use flex_shard::file::{Frame, ShardContent, ShardKind};
use made::made;

/// What a process showed that made these runs, of which one shows another value; `ended` if it came to its end.
fn found(
    kind: ShardKind,
    (by, platform): (usize, usize),
    runs: &[u32],
    moved: Option<u32>,
    ended: bool,
) -> FoundFrame {
    let mut made = made(by, runs, moved);
    if !ended {
        made.recorded.records[0].took = None;
    }
    FoundFrame {
        frame: Frame {
            test: TestKey::of(&made.recorded.records[0].test),
            kind,
            content: ShardContent::Recorded(made.recorded),
        },
        host: made.host,
        by: made.by,
        platform,
    }
}

fn repeat(
    order: &[u32],
    made: &[u32],
    platform: usize,
    moved: Option<u32>,
    ended: bool,
) -> FoundFrame {
    found(
        ShardKind::Repeat(order.to_vec()),
        (9, platform),
        made,
        moved,
        ended,
    )
}

fn samples() -> FoundFrame {
    found(ShardKind::Runs, (1, 0), &[0, 1, 3, 9], None, true)
}

fn runs(record: &ProcessRecord) -> Vec<u32> {
    record.runs().map(|(run, _)| run.index).collect()
}

#[test]
fn an_answer_of_which_nothing_is_left_says_nothing_and_is_not_asked_for_again() {
    let known = || Answers::of(vec![samples(), repeat(&[3], &[3], 1, Some(3), true)]);
    assert!(known().repeated(&[3], true).is_none());
    assert!(!known().could_answer(&[3]));
    let nothing = known().repeated_or_nothing(&[3]).unwrap();
    assert!(runs(&nothing).is_empty());
    // What another kind of machine saw in the same way is an answer.
    let same = Answers::of(vec![samples(), repeat(&[3], &[3], 1, None, true)]);
    assert!(same.could_answer(&[3]));
    assert_eq!(runs(&same.repeated_or_nothing(&[3]).unwrap()), [3]);
    // What nobody made is to be made.
    assert!(
        Answers::of(vec![samples()])
            .repeated_or_nothing(&[3])
            .is_none()
    );
}

#[test]
fn which_run_ended_a_process_is_told_by_its_whole_order_alone() {
    // It was asked for 9, 3 and 0, and ended at 0.
    let ended_at_0 = |moved| repeat(&[9, 3, 0], &[9, 3], 1, moved, false);
    let whole = Answers::of(vec![samples(), ended_at_0(None)]);
    let record = whole.repeated_or_nothing(&[9, 3, 0]).unwrap();
    assert_eq!((runs(&record), record.took), (vec![9, 3], None));
    let cut = Answers::of(vec![samples(), ended_at_0(Some(9))]);
    let record = cut.repeated_or_nothing(&[9, 3, 0]).unwrap();
    assert_eq!(runs(&record), [3]);
    assert!(record.took.is_some(), "nobody knows which run ended it");
    // A smaller order is no question that it answers.
    let larger = Answers::of(vec![samples(), ended_at_0(None)]);
    assert!(larger.repeated_or_nothing(&[3, 0]).is_none());
    assert!(!larger.could_answer(&[3, 0]));
    let came_to_its_end = repeat(&[9, 3, 0], &[9, 3, 0], 1, None, true);
    let larger = Answers::of(vec![samples(), came_to_its_end]);
    assert!(larger.repeated_or_nothing(&[3, 0]).is_some());
}

#[test]
fn a_run_that_ended_otherwise_is_told_from_one_that_showed_another_value() {
    let mut fails = made(2, &[1], None);
    let record = &mut fails.recorded.records[0];
    let mut run = record.runs().next().unwrap().0.clone();
    run.failure = Some("it fails".to_owned());
    *record = record.only(|_| false);
    record.push(run, []).unwrap();
    let union = flex_shard::union::Union::of(vec![
        made(1, &[0, 1, 2], None),
        made(3, &[0, 2], Some(2)),
        fails,
    ]);
    let differing: Vec<u32> = union
        .conflicts
        .iter()
        .map(|conflict| conflict.run)
        .collect();
    assert_eq!(differing, [1, 2]);
    assert_eq!(union.otherwise.into_iter().collect::<Vec<_>>(), [1]);
}
