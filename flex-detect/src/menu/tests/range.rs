//! Numbers outside of the range that values seem to have.

use flex_core::words::plain;

use super::*;

#[test]
fn a_number_that_no_share_can_reach_is_not_chosen_and_says_that_it_catches_nothing() {
    let share = |run: u32| uniform(5000 + u64::from(run));
    let chosen = |test: &ObservedTest| {
        let menu = menu(test);
        menu.choose(None, false, 0.9999).map(|offer| offer.kind)
    };
    for runs in [100, 300, 1000] {
        let mut test = observed(Role::Upper, 0.95, runs, share);
        let asked = menu(&test);
        let bound = asked.choose(Some(OfferKind::Bound), false, 0.9999);
        let Ok(Offer {
            change: Remedy::Number { number, .. },
            price,
            notes,
            ..
        }) = bound
        else {
            panic!("{runs} runs: {bound:?}");
        };
        assert!(*number >= 1.0, "{runs} runs: {number}");
        assert_eq!(price.power, [0.0; 3], "{runs} runs");
        let said = format!(
            "like a share or a probability, {} catches nothing",
            plain(*number)
        );
        assert!(notes.iter().any(|note| note.ends_with(&said)), "{notes:?}");
        assert_eq!(chosen(&test), Ok(OfferKind::Learned), "{runs} runs");
        // A plain Rust test can learn nothing, and is rerun rather than given a number that catches nothing.
        test.id = flex_run::model::TestId::cargo("lib", "share");
        assert_ne!(chosen(&test), Ok(OfferKind::Bound), "{runs} runs");
        // Values that go on beyond 1, and values whose number stays far below, are bounded as ever.
        let farther = menu(&observed(Role::Upper, 0.95, runs, |run| 1.1 * share(run)));
        let lower = menu(&observed(Role::Upper, 0.095, runs, |run| 0.1 * share(run)));
        for menu in [farther, lower] {
            let notes = menu.offers.iter().flat_map(|offer| &offer.notes);
            let said: Vec<&String> = notes.filter(|note| note.contains("like a share")).collect();
            assert!(said.is_empty(), "{said:?}");
        }
    }
}
