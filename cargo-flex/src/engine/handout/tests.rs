use super::*;

/// Where it does not matter.
const NOW: Duration = Duration::ZERO;

fn attempt(text: &str) -> Attempt {
    text.parse().unwrap()
}

/// What the machine wants, in short: `+0.0`, `+0.1!a,b` where a and b are to be avoided, `-0.0`.
fn step(handout: &mut Handout) -> String {
    let acts = handout.step(NOW);
    let words = acts.into_iter().map(|act| match act {
        Act::HandOut { attempt, avoid } if avoid.is_empty() => format!("+{attempt}"),
        Act::HandOut { attempt, avoid } => format!("+{attempt}!{}", avoid.join(",")),
        Act::Withdraw(attempt) => format!("-{attempt}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn died() -> End {
    End::Died("killed".to_owned())
}

fn failed() -> End {
    End::Failed("no space left on device".to_owned())
}

/// Hands out shards, each of which begins on this host.
fn begin(handout: &mut Handout, attempts: &[(&str, &str)]) {
    for (of, host) in attempts {
        handout.begun(attempt(of), host, NOW);
    }
}

#[test]
fn shards_are_handed_out_as_places_are_free() {
    let mut handout = Handout::new(4, Some(2));
    assert_eq!(step(&mut handout), "+0.0 +1.0");
    assert_eq!(step(&mut handout), "");
    handout.ended(attempt("1.0"), End::Whole, NOW);
    assert_eq!(step(&mut handout), "+2.0");
    handout.ended(attempt("0.0"), End::Whole, NOW);
    handout.ended(attempt("2.0"), End::Whole, NOW);
    assert_eq!(step(&mut handout), "+3.0");
    assert!(!handout.is_done());
    handout.ended(attempt("3.0"), End::Whole, NOW);
    assert_eq!(step(&mut handout), "");
    assert!(handout.is_done());
}

#[test]
fn whoever_has_a_queue_gets_all_at_once() {
    let mut handout = Handout::new(3, None);
    assert_eq!(step(&mut handout), "+0.0 +1.0 +2.0");
    assert_eq!(handout.under_way().count(), 3);
}

#[test]
fn what_died_is_handed_out_again() {
    let mut handout = Handout::new(2, None);
    step(&mut handout);
    begin(&mut handout, &[("0.0", "a"), ("1.0", "b")]);
    handout.ended(attempt("0.0"), died(), NOW);
    assert_eq!(step(&mut handout), "+0.1");
    // Of a death nothing is known of the host.
    handout.ended(attempt("0.1"), died(), NOW);
    assert_eq!(step(&mut handout), "+0.2");
}

#[test]
fn a_node_that_is_lost_loses_all_that_ran_on_it() {
    let mut handout = Handout::new(60, None);
    step(&mut handout);
    for shard in 0..60 {
        let host = if shard % 4 == 0 { "lost" } else { "there" };
        handout.begun(Attempt { shard, nth: 0 }, host, NOW);
    }
    for shard in (0..60).step_by(4) {
        handout.ended(Attempt { shard, nth: 0 }, died(), NOW);
    }
    assert_eq!(step(&mut handout).split(' ').count(), 15);
}

#[test]
fn where_something_failed_it_is_not_tried_again() {
    let mut handout = Handout::new(4, None);
    step(&mut handout);
    begin(
        &mut handout,
        &[("0.0", "full"), ("1.0", "b"), ("2.0", "full")],
    );
    handout.ended(attempt("0.0"), failed(), NOW);
    assert_eq!(step(&mut handout), "+0.1!full");
    // What other shards need does not go there either.
    handout.ended(attempt("1.0"), died(), NOW);
    assert_eq!(step(&mut handout), "+1.1!full");
}

#[test]
fn a_host_that_is_the_only_one_is_not_avoided() {
    let mut handout = Handout::new(3, None);
    step(&mut handout);
    begin(&mut handout, &[("0.0", "only")]);
    handout.ended(attempt("0.0"), failed(), NOW);
    assert_eq!(step(&mut handout), "+0.1");
}

#[test]
fn a_shard_that_fails_everywhere_is_given_up_and_all_is_withdrawn() {
    let mut handout = Handout::new(30, None);
    step(&mut handout);
    for nth in 0..3 {
        assert!(handout.given_up().is_none());
        let attempt = Attempt { shard: 7, nth };
        handout.begun(attempt, ["a", "b", "c"][nth as usize], NOW);
        handout.ended(attempt, failed(), NOW);
        if nth < 2 {
            step(&mut handout);
        }
    }
    let given_up = handout.given_up().unwrap();
    assert_eq!((given_up.shard, given_up.attempts), (7, 3));
    assert_eq!(given_up.words, "on c: no space left on device");
    assert_eq!(step(&mut handout).split(' ').count(), 29);
    assert_eq!(step(&mut handout), "");
}

#[test]
fn a_shard_whose_attempts_all_die_is_given_up() {
    let mut handout = Handout::new(2, None);
    step(&mut handout);
    for nth in 0..5 {
        assert!(handout.given_up().is_none());
        handout.ended(Attempt { shard: 1, nth }, died(), NOW);
        step(&mut handout);
    }
    assert_eq!(handout.given_up().unwrap().attempts, 5);
}

#[test]
fn the_last_twentieth_is_handed_out_twice_and_whoever_is_first_counts() {
    let mut handout = Handout::new(40, Some(3));
    for _ in 0..38 {
        for act in handout.step(NOW) {
            let Act::HandOut { attempt, .. } = act else {
                panic!("{act:?}");
            };
            handout.begun(attempt, "a", NOW);
        }
        let first = handout.under_way().next().unwrap();
        handout.ended(first, End::Whole, NOW);
    }
    // Two are left, which run; one place is free.
    assert_eq!(step(&mut handout), "+38.1");
    handout.begun(attempt("38.1"), "a", NOW);
    assert_eq!(step(&mut handout), "");
    handout.ended(attempt("38.1"), End::Whole, NOW);
    assert_eq!(step(&mut handout), "-38.0 +39.1");
    // An attempt that was withdrawn may end as it likes.
    handout.ended(attempt("38.0"), died(), NOW);
    handout.ended(attempt("39.1"), died(), NOW);
    // It is handed out twice, not three times.
    assert_eq!(step(&mut handout), "");
    handout.ended(attempt("39.0"), died(), NOW);
    assert_eq!(step(&mut handout), "+39.2");
    handout.begun(attempt("39.2"), "a", NOW);
    handout.ended(attempt("39.2"), End::Whole, NOW);
    assert!(handout.is_done());
}

#[test]
fn the_last_shard_is_handed_out_twice_elsewhere_once_it_runs() {
    let mut handout = Handout::new(2, None);
    step(&mut handout);
    begin(&mut handout, &[("0.0", "a")]);
    handout.ended(attempt("0.0"), End::Whole, NOW);
    // Whatever waits in a queue would wait there twice.
    assert_eq!(step(&mut handout), "");
    handout.begun(attempt("1.0"), "slow", NOW);
    assert_eq!(step(&mut handout), "+1.1!slow");
}

#[test]
fn one_shard_alone_is_no_straggler() {
    let mut handout = Handout::new(1, Some(8));
    assert_eq!(step(&mut handout), "+0.0");
    handout.begun(attempt("0.0"), "a", NOW);
    assert_eq!(step(&mut handout), "");
}

#[test]
fn a_second_submitter_goes_on_from_what_is_there() {
    let mut handout = Handout::new(4, None);
    handout.is_there(0);
    handout.adopt(attempt("1.2"));
    // It was made whole before its worker noticed.
    handout.adopt(attempt("0.1"));
    assert_eq!(step(&mut handout), "-0.1 +2.0 +3.0");
    handout.ended(attempt("1.2"), died(), NOW);
    assert_eq!(step(&mut handout), "+1.3");
}

#[test]
fn what_begins_anew_elsewhere_is_where_it_was_seen_last() {
    let mut handout = Handout::new(2, None);
    step(&mut handout);
    handout.begun(attempt("1.0"), "a", NOW);
    handout.begun(attempt("1.0"), "b", NOW);
    handout.ended(attempt("0.0"), End::Whole, NOW);
    assert_eq!(step(&mut handout), "+1.1!b");
}

#[test]
fn what_is_unknown_changes_nothing() {
    let mut handout = Handout::new(1, None);
    handout.begun(attempt("9.9"), "a", NOW);
    handout.ended(attempt("9.9"), died(), NOW);
    handout.ended(attempt("0.7"), failed(), NOW);
    assert_eq!(step(&mut handout), "+0.0");
    for wrong in ["", "1", "1.", ".1", "1.2.3", "a.b", "-1.0"] {
        assert_eq!(wrong.parse::<Attempt>(), Err(()), "{wrong}");
    }
    assert_eq!(attempt("1.2").to_string(), "1.2");
}

#[test]
fn what_takes_much_longer_than_others_is_handed_out_twice_before_the_last_twentieth() {
    let seconds = Duration::from_secs;
    let mut handout = Handout::new(12, Some(4));
    for shard in 0..8 {
        handout.step(seconds(0));
        let attempt = Attempt { shard, nth: 0 };
        handout.begun(attempt, "a", seconds(0));
        handout.ended(attempt, End::Whole, seconds(10));
    }
    handout.step(seconds(10));
    for shard in 8..12 {
        let since = seconds(if shard == 10 { 10 } else { 12 });
        handout.begun(Attempt { shard, nth: 0 }, "a", since);
    }
    let words = |handout: &mut Handout, now| {
        let acts = handout.step(seconds(now));
        acts.iter()
            .map(|act| format!("{act:?}"))
            .collect::<String>()
    };
    handout.ended(attempt("8.0"), End::Whole, seconds(20));
    handout.ended(attempt("9.0"), End::Whole, seconds(20));
    // Two of twelve are left, and there is room; but they take no longer than others.
    assert_eq!(words(&mut handout, 30), "");
    let acts = words(&mut handout, 31);
    assert!(
        acts.contains("shard: 10, nth: 1") && !acts.contains("shard: 11"),
        "{acts}"
    );
    let acts = words(&mut handout, 33);
    assert!(
        acts.contains("shard: 11, nth: 1") && !acts.contains("shard: 10"),
        "{acts}"
    );
    assert_eq!(words(&mut handout, 1000), "");
}

#[test]
fn as_long_as_a_shard_waits_for_a_worker_none_is_handed_out_twice_for_being_late() {
    let seconds = Duration::from_secs;
    let mut handout = Handout::new(9, None);
    handout.step(seconds(0));
    for shard in 0..8 {
        let attempt = Attempt { shard, nth: 0 };
        handout.begun(attempt, "a", seconds(0));
        if shard < 7 {
            handout.ended(attempt, End::Whole, seconds(10));
        }
    }
    assert_eq!(handout.step(seconds(100)), []);
    handout.begun(attempt("8.0"), "b", seconds(100));
    let acts = handout.step(seconds(101));
    assert!(
        matches!(&acts[..], [Act::HandOut { attempt, .. }] if attempt.shard == 7),
        "{acts:?}"
    );
}
