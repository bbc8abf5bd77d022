//! How well must a palette fit its picture? Calibrated with `cargo flex calibrate -p clusters-example`, enforced by
//! `cargo test`. This target has `harness = false`, so the last line makes its `main`.

use clusters_example::{Colour, Palette, distance};
use flex_harness::prelude::*;
use rand::RngExt;
use rand_distr::{Distribution, Normal};

const SIDE: usize = 64;

/// A sunset: blue above, red below, and the sun half way down.
fn sunset() -> Vec<Colour> {
    let place = |number: usize| number as f64 / SIDE as f64;
    (0..SIDE * SIDE)
        .map(|pixel| {
            let (x, y) = (place(pixel % SIDE), place(pixel / SIDE));
            let glow = (-20.0 * ((x - 0.7).powi(2) + (y - 0.5).powi(2))).exp();
            [y.max(glow), 0.3 * (1.0 - y) + 0.7 * glow, 0.8 * (1.0 - y)]
        })
        .collect()
}

/// The inks of a poster: paper, red, blue and black.
const INKS: [Colour; 4] = [
    [0.95, 0.93, 0.85],
    [0.80, 0.15, 0.10],
    [0.10, 0.25, 0.45],
    [0.05, 0.05, 0.05],
];

/// A photograph of a poster, in bad light: each pixel is an ink, and noise.
fn poster(rng: &mut TestRng) -> Vec<Colour> {
    let noise = Normal::new(0.0, 0.05).expect("the deviation is positive");
    (0..SIDE * SIDE)
        .map(|_| {
            let ink = INKS[rng.random_range(0..INKS.len())];
            ink.map(|light| light + noise.sample(rng))
        })
        .collect()
}

/// The mean of what a function says of each pixel.
fn mean(picture: &[Colour], of: impl Fn(Colour) -> f64) -> f64 {
    picture.iter().map(|&pixel| of(pixel)).sum::<f64>() / picture.len() as f64
}

#[stochastic_test]
fn the_inks_of_a_poster_are_found(rng: &mut TestRng) {
    let palette = Palette::new(&poster(rng), INKS.len(), rng).expect("pixels are numbers");
    assert_eq!(palette.colours().len(), INKS.len());
    let found = INKS.map(|ink| palette.nearest(ink));
    assert_close!(found.as_flattened(), INKS.as_flattened(), abs = _);
}

#[stochastic_test]
fn more_colours_fit_better(rng: &mut TestRng) {
    let picture = sunset();
    let mut error = |colours| {
        let palette = Palette::new(&picture, colours, rng).expect("pixels are numbers");
        let error = mean(&picture, |pixel| distance(pixel, palette.nearest(pixel)));
        assert_tail_bound!(error < _, case = colours, domain = 0.0..);
        error
    };
    assert_tail_bound!(error(16) < error(4));
}

#[stochastic_test]
fn a_painted_picture_is_as_bright_as_before(rng: &mut TestRng) {
    let picture = sunset();
    let palette = Palette::new(&picture, 8, rng).expect("pixels are numbers");
    let brightness = |[red, green, blue]: Colour| 0.21 * red + 0.72 * green + 0.07 * blue;
    let change = mean(&palette.paint(&picture), brightness) - mean(&picture, brightness);
    assert_tail_bound!(_ < change < _);
}

flex_harness::main!();
