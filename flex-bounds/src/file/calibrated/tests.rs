use super::*;
use crate::TestId;
use crate::file::BoundsFile;
use flex_core::calibration::{Calibration, CalibrationPlan, Run, SiteSpec, Step};
use flex_core::tail::{Domain, Tail};

/// Calibrates one site on given values and reads its entry back from the file that it makes.
fn entry(spec: SiteSpec, value: impl Fn(u32) -> f64) -> Entry {
    let mut calibration = Calibration::new(CalibrationPlan::default());
    for index in 0..100 {
        let hits = vec![("x".into(), spec, value(index))];
        let run = Run {
            index,
            panicked: false,
            hits,
        };
        calibration.push(&run).unwrap();
    }
    let Step::Done(done) = calibration.step().unwrap() else {
        panic!("100 runs are enough");
    };
    let key = Key {
        test: TestId::cargo("lib", "t"),
        site: "x".into(),
        variant: None,
    };
    let entry = Entry::of_calibration(key.clone(), &done.sites[0], Provenance::default());
    let mut file = BoundsFile::default();
    file.insert(entry).unwrap();
    let read: BoundsFile = file.to_string().parse().unwrap();
    assert_eq!(read, file);
    for (learned, side) in read.entries()[0]
        .sides
        .iter()
        .zip(&done.sites[0].bound.sides)
    {
        if let (Some(written), Ok(exact)) = (learned.1.ceiling(), &side.ceiling) {
            assert!(!side.side.is_beyond(exact.bound, written), "rounded inward");
        }
    }
    read.get(&key).unwrap().clone()
}

/// Quantiles of an exponential in a scrambled order.
fn exponential(index: u32) -> f64 {
    -((f64::from(index * 37 % 100) + 0.5) / 100.0).ln()
}

#[test]
fn numbers_are_short_and_outward() {
    let entry = entry(SiteSpec::new(Tail::Upper), |i| {
        1000.0 + 0.01 * exponential(i)
    });
    let learned = entry.sides.get(Side::Upper).unwrap();
    for number in [learned.ceiling().unwrap(), learned.guard().unwrap().bound] {
        assert!(format!("{number}").len() <= "1000.01234".len(), "{number}");
    }
    let quantiles = entry.quantiles.unwrap();
    assert!(quantiles.is_sorted());
    assert!(
        quantiles.iter().all(|q| format!("{q}").len() <= 10),
        "{quantiles:?}"
    );
}

#[test]
fn two_sides_with_different_ends_are_one_entry() {
    let spec = SiteSpec {
        domain: Some(Domain::new(0.0, 1e4).unwrap()),
        ..SiteSpec::new(Tail::Both)
    };
    let entry = entry(spec, exponential);
    let lower = entry.sides.get(Side::Lower).unwrap();
    assert!(lower.ceiling().is_none() && lower.reason().unwrap().contains("domain"));
    assert!(entry.sides.get(Side::Upper).unwrap().ceiling().is_some());
}

#[test]
fn each_side_is_rounded_by_its_own_samples() {
    let spec = SiteSpec::new(Tail::Both);
    let mut calibration = Calibration::new(CalibrationPlan::default());
    for index in 0..100 {
        let hit = |value| ("x".into(), spec, value);
        let run = Run {
            index,
            panicked: false,
            hits: vec![
                hit(-1e6 - exponential(index)),
                hit(1e6 + exponential(index)),
            ],
        };
        calibration.push(&run).unwrap();
    }
    let Step::Done(done) = calibration.step().unwrap() else {
        panic!("100 runs are enough");
    };
    for side in &done.sites[0].bound.sides {
        let exact = side.guard.as_ref().unwrap().bound;
        let written = learned(&done.sites[0], side, 1.0).guard().unwrap().bound;
        assert!((written - exact).abs() < 0.1, "{exact} {written}");
    }
}

#[test]
fn a_refusal_carries_its_reason_into_the_file() {
    let entry = entry(SiteSpec::new(Tail::Upper), |i| {
        if i % 4 > 0 { f64::NAN } else { 1.0 }
    });
    let refused = entry.sides.get(Side::Upper).unwrap();
    assert!(matches!(refused, Learned::Refuse { reason } if reason.contains("75 of 100")));
}
