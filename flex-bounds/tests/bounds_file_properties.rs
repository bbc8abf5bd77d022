//! The bounds file and the rounding rule, for whatever may come.
//!
//! Every test draws its cases from a fixed seed and stores no failures, so that the suite gives the same verdict each
//! time: what fails here fails everywhere.

#![expect(
    clippy::unwrap_used,
    reason = "an input that cannot be made is a mistake in this file"
)]

#[path = "support/entries.rs"]
mod entries;

use entries::{any_entry, any_file_of, any_text, config, finite};
use flex_bounds::file::{BoundsFile, Merged, ParseError, Pieces, merge};
use flex_bounds::round::outward;
use flex_core::tail::{Domain, Side};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

proptest! {
    #![proptest_config(config(250))]

    #[test]
    fn what_is_written_reads_back_as_the_same_file(file in any_file_of(any_entry())) {
        let text = file.to_string();
        let read: BoundsFile = text.parse().map_err(reject)?;
        prop_assert_eq!(&read, &file);
        prop_assert_eq!(read.to_string(), text);
    }

    #[test]
    fn line_endings_and_a_byte_order_mark_change_nothing(file in any_file_of(any_entry())) {
        let text = format!("\u{feff}{}", file.to_string().replace('\n', "\r\n"));
        prop_assert_eq!(text.parse(), Ok(file));
    }

    /// A tab on a line of its own is nothing that flex writes, so such a text is for the thorough reader.
    #[test]
    fn both_readers_read_what_is_written(file in any_file_of(any_entry()), cut in any::<Index>()) {
        let text = file.to_string();
        prop_assert_eq!(format!("\t\n{text}").parse(), Ok(file.clone()));
        let mut pieces = Pieces::default();
        // Anything else would be slow.
        prop_assert_eq!(pieces.push(&text), Some(()));
        prop_assert_eq!(pieces.finish(), Some(file.clone()));

        let mut pieces = Pieces::default();
        let at = Pieces::cut(&text.as_bytes()[..cut.index(text.len() + 1)]).unwrap_or(text.len());
        let (first, second) = text.split_at(at);
        prop_assert_eq!(pieces.push(first), Some(()));
        prop_assert!(second.is_empty() || pieces.push(second).is_some());
        prop_assert_eq!(pieces.finish(), Some(file));
    }

    #[test]
    fn every_entry_is_found_by_its_key(file in any_file_of(any_entry())) {
        for entry in file.entries() {
            prop_assert_eq!(file.get(&entry.key), Some(entry));
        }
        prop_assert!(file.entries().is_sorted_by(|a, b| a.key < b.key));
    }

    #[test]
    fn a_cut_file_is_read_or_refused(file in any_file_of(any_entry()), cut in any::<Index>()) {
        let text = file.to_string();
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        read_or_refuse(&text.as_bytes()[..ends[cut.index(ends.len())]])?;
    }

    #[test]
    fn a_damaged_file_is_read_or_refused(
        file in any_file_of(any_entry()),
        damage in vec((any::<Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = file.to_string().into_bytes();
        for (index, byte) in damage {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        read_or_refuse(&bytes)?;
    }
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn any_text_is_read_or_refused(text in any_text()) {
        read_or_refuse(text.as_bytes())?;
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        read_or_refuse(&bytes)?;
    }

    #[test]
    fn scraps_of_a_bounds_file_are_read_or_refused(scraps in vec(any_scrap(), 0..40)) {
        read_or_refuse(scraps.concat().as_bytes())?;
    }
}

/// Whatever is accepted must survive being written; whatever is refused must point into it. Both readers agree.
fn read_or_refuse(bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(text) = str::from_utf8(bytes)
        && !text.starts_with('\u{feff}')
        && !text.is_empty()
    {
        let words = |error: ParseError| error.message;
        let thoroughly = format!("\t\n{text}").parse::<BoundsFile>().map_err(words);
        prop_assert_eq!(text.parse::<BoundsFile>().map_err(words), thoroughly);
    }
    match BoundsFile::from_bytes(bytes) {
        Ok(file) => prop_assert_eq!(file.to_string().parse(), Ok(file)),
        Err(error) => {
            prop_assert!(
                (1..=bytes.split(|byte| *byte == b'\n').count()).contains(&error.line),
                "{}",
                error
            );
            prop_assert!(error.column >= 1 && !error.message.is_empty());
        }
    }
    Ok(())
}

fn reject(error: impl std::fmt::Display) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

/// Pieces that a bounds file is made of, and some that it must not be made of, separated by `¦`.
const SCRAPS: &str = "version = 2\n¦version¦[[bound]]\n¦[bound]\n¦[bound.race]\n¦[[bound.fit]]\n¦\n¦\r\n¦\r¦ ¦=¦.¦,¦\
    [¦]¦[[¦]]¦{¦}¦\"¦'¦\"\"\"¦'''¦\\¦\\u00¦#¦<<<<<<< x\n¦=======\n¦test = \"t\"\n¦site = \"s\"\n¦\
    tail = \"both\"\n¦tail = \"upper\"\n¦confidence = 0.5\n¦strategy = \"keep\"\n¦strategy = \"guard\"\n¦lower = ¦\
    upper = ¦guard = 1\n¦race = { cuts = [1], above = [0], scores = [-1, 9], clear = -9, fail = 9, most = 9 }\n¦race.most = 2\n¦\
    strays = { scores = [-1, 9], fail = 9 }\n¦replay = { base = \"b\", 3 = 1.5 }\n¦samples = 3\n¦reached = \"always\"\n¦\
    quantiles = [¦domain = [0, 1]\n¦bound = [{ ¦bound = 3\n¦1¦-¦+¦_¦0x¦0b2¦1e¦1e999¦nan¦-inf¦2026-11-16¦07:32:00¦T¦Z¦\
    true¦\u{feff}¦é¦\u{0}";

fn any_scrap() -> impl Strategy<Value = &'static str> {
    select(SCRAPS.split('¦').collect::<Vec<_>>())
}

/// Files over few sites and few contents, so that equal, changed, added and deleted entries all occur.
fn small_file() -> impl Strategy<Value = BoundsFile> {
    vec((select(vec!["a", "b", "c", "d"]), 1..4_u32), 0..6).prop_map(|entries| {
        let mut file = BoundsFile::default();
        for (site, samples) in entries {
            let text = format!(
                "version = 2\n[[bound]]\ntest = \"t\"\nsite = \"{site}\"\ntail = \"upper\"\nconfidence = 0.9\n\
                 strategy = \"keep\"\nsamples = {samples}\nreached = \"always\"\n"
            );
            for entry in text.parse::<BoundsFile>().unwrap().entries() {
                file.insert(entry.clone()).unwrap();
            }
        }
        file
    })
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn merging_is_symmetric_but_for_which_side_is_ours(
        base in option::of(small_file()), ours in small_file(), theirs in small_file(),
    ) {
        let one = merge(base.as_ref(), &ours, &theirs);
        let other = merge(base.as_ref(), &theirs, &ours);
        prop_assert_eq!(one.conflicts.len(), other.conflicts.len());
        let (mut settled, mut mirrored) = (one.file.clone(), other.file.clone());
        for (a, b) in one.conflicts.iter().zip(&other.conflicts) {
            prop_assert_eq!(a.key(), b.key());
            prop_assert_eq!((a.ours(), a.theirs()), (b.theirs(), b.ours()));
            prop_assert_eq!((a.ours(), a.theirs()), (ours.get(a.key()), theirs.get(a.key())));
            prop_assert_ne!(a.ours(), a.theirs());
            prop_assert_eq!(settled.remove(a.key()), a.ours().cloned());
            prop_assert_eq!(mirrored.remove(b.key()), b.ours().cloned());
        }
        prop_assert_eq!(settled, mirrored);
    }

    #[test]
    fn merging_with_nothing_new_changes_nothing(base in option::of(small_file()), file in small_file()) {
        let unchanged = Merged { file: file.clone(), conflicts: Vec::new() };
        prop_assert_eq!(&merge(base.as_ref(), &file, &file), &unchanged);
        prop_assert_eq!(&merge(Some(&file), &file, &file), &unchanged);
        if let Some(base) = &base {
            prop_assert_eq!(&merge(Some(base), base, &file), &unchanged);
            prop_assert_eq!(&merge(Some(base), &file, base), &unchanged);
        }
        let empty = BoundsFile::default();
        prop_assert_eq!(&merge(None, &empty, &file), &unchanged);
        prop_assert_eq!(&merge(None, &file, &empty), &unchanged);
    }

    #[test]
    fn merging_again_changes_nothing(ours in small_file(), theirs in small_file()) {
        let once = merge(None, &ours, &theirs);
        let twice = merge(None, &once.file, &theirs);
        prop_assert_eq!(&twice, &once);
        prop_assert_eq!(once.file.to_string().parse(), Ok(once.file));
    }
}

/// A bound and a median, unrelated or close together.
fn bound_and_median() -> impl Strategy<Value = (f64, f64)> {
    prop_oneof![
        (finite(), finite()),
        (finite(), -16.0..3.0_f64)
            .prop_map(|(bound, power)| { (bound, bound - bound.abs() * 10_f64.powf(power)) }),
    ]
}

/// The distance from one float to the next.
fn resolution(value: f64) -> f64 {
    value.abs().next_up() - value.abs()
}

/// The power of ten of the last digit of the shortest decimal.
///
/// Zero is a multiple of every unit.
fn last_digit(value: f64) -> i32 {
    if value == 0.0 {
        return i32::MAX;
    }
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e').unwrap();
    let places = digits.split_once('.').map_or(0, |(_, places)| places.len());
    exponent.parse::<i32>().unwrap() - places as i32
}

/// The power of ten of the first digit.
fn first_digit(value: f64) -> i32 {
    let text = format!("{value:e}");
    text.split_once('e').unwrap().1.parse().unwrap()
}

proptest! {
    #![proptest_config(config(5000))]

    #[test]
    fn rounding_goes_outward_by_at_most_a_hundredth((bound, median) in bound_and_median()) {
        let rounded = outward(Side::Upper, bound, median, None, None);
        let distance = bound - median;
        prop_assert!(rounded >= bound, "{rounded} is tighter");
        if rounded != bound {
            let allowed = distance * 0.01 * (1.0 + 1e-12) + resolution(rounded);
            prop_assert!(rounded - bound <= allowed, "{rounded} is too loose");
            prop_assert!(last_digit(rounded) >= first_digit(distance) - 2, "{rounded} is too long");
        }
        prop_assert_eq!(format!("{rounded}").parse(), Ok(rounded));
    }

    #[test]
    fn rounding_gives_a_short_decimal_wherever_floats_can(
        digits in 1.0..10.0_f64, exponent in -280..280, power in -12.0..3.0_f64, negative in any::<bool>(),
    ) {
        let size = digits * 10_f64.powi(exponent);
        let bound = if negative { -size } else { size };
        let median = bound - size * 10_f64.powf(power);
        let rounded = outward(Side::Upper, bound, median, None, None);
        prop_assert!(last_digit(rounded) >= first_digit(bound - median) - 2, "{rounded} is too long");
    }

    #[test]
    fn the_sides_mirror_each_other_to_the_bit(
        (bound, median) in bound_and_median(), step in option::of(finite()),
    ) {
        let upper = outward(Side::Upper, bound, median, step, None);
        let lower = outward(Side::Lower, -bound, -median, step, None);
        prop_assert_eq!(lower.to_bits(), (-upper).to_bits());
    }

    #[test]
    fn a_lattice_bound_stays_near_its_lattice_point(
        (bound, median) in bound_and_median(), step in finite(),
    ) {
        let rounded = outward(Side::Upper, bound, median, Some(step), None);
        prop_assert!(rounded >= bound);
        if rounded != bound {
            let allowed = step.min(bound - median) * 0.01 * (1.0 + 1e-12) + resolution(rounded);
            prop_assert!(rounded - bound <= allowed, "{rounded} is too loose");
        }
    }

    #[test]
    fn rounding_stays_in_the_domain(
        (bound, median) in bound_and_median(), end in finite(), upper in any::<bool>(),
    ) {
        let side = if upper { Side::Upper } else { Side::Lower };
        if let Ok(domain) = Domain::new(bound.min(end), bound.max(end)) {
            let rounded = outward(side, bound, median, None, Some(domain));
            prop_assert!(domain.contains(rounded));
            prop_assert!(!side.is_beyond(bound, rounded), "{rounded} is tighter than {bound}");
        }
    }

    #[test]
    fn any_floats_are_rounded_without_a_panic(
        bound in proptest::num::f64::ANY, median in proptest::num::f64::ANY,
        step in option::of(proptest::num::f64::ANY),
    ) {
        let rounded = outward(Side::Upper, bound, median, step, None);
        if !(bound.is_finite() && median.is_finite() && step.is_none_or(f64::is_finite)) {
            prop_assert_eq!(rounded.to_bits(), bound.to_bits());
        }
    }
}
