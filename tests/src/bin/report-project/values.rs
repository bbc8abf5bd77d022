//! Values that follow a law, by seed and run: fixed for good, so that the page is the same every time.

/// A law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    Gamma,
    Normal,
    Beta,
    Counts,
    /// Normal, and now and then NaN.
    NotANumber,
    /// The same in every run.
    Constant,
}

/// The value of a run, moved outward by so many standard deviations.
pub fn draw(law: Law, seed: u64, run: u64, shift: f64) -> f64 {
    let uniform = |place: u64| uniform(seed, run, place);
    let normal = |place: u64| {
        let (a, b) = (uniform(place), uniform(place + 1));
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    };
    // Not all values move by the same.
    let shift = shift * (0.5 + uniform(99));
    match law {
        Law::Constant => 0.25,
        Law::Normal => 0.01 * (normal(0) + shift),
        Law::NotANumber if run % 50 == 17 => f64::NAN,
        Law::NotANumber => 1e-9 * normal(0).abs(),
        Law::Gamma => 0.004 * ((0..3).map(|place| -uniform(place).ln()).sum::<f64>() + 1.7 * shift),
        // The largest of three is beta distributed with 3 and 1; recall is what is worse when it is small.
        Law::Beta => {
            let most = (0..3).map(uniform).fold(0.0, f64::max);
            (0.9 + 0.1 * most - 0.02 * shift).clamp(0.0, 1.0)
        }
        Law::Counts => (0..20).map(uniform).filter(|part| *part < 0.2).count() as f64 + shift,
    }
}

/// A number between 0 and 1, ends excluded (Steele, Lea & Flood 2014, "SplitMix").
fn uniform(seed: u64, run: u64, place: u64) -> f64 {
    let mut z = seed
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(run.wrapping_mul(0xd1b5_4a32_d192_ed03))
        .wrapping_add(place.wrapping_mul(0x8cb9_2ba7_2f3d_8dd7));
    for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
        z = (z ^ (z >> 30)).wrapping_mul(factor);
    }
    z ^= z >> 31;
    ((z >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}
