//! Which few colours paint this picture best? Palettes, for small files and for posters.
//!
//! The colours are the centres of clusters of pixels, found by the k-means of the published crate `linfa-clustering` in
//! a sample of the picture. Which pixels are in the sample, and where the search for clusters begins, is drawn by
//! chance, so no two palettes are equal. `tests/palette.rs` says how well they must fit.

#![forbid(unsafe_code)]

use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa_clustering::{KMeans, KMeansError};
use ndarray::Array2;
use rand_0_8::rngs::StdRng;
use rand_0_8::seq::SliceRandom;
use rand_0_8::{Rng, SeedableRng};

/// Red, green and blue, from 0 to 1.
pub type Colour = [f64; 3];

/// How many pixels are looked at.
const SAMPLE: usize = 400;

/// How many searches for clusters are made; the best one is kept. A single one may put one colour where there should be
/// two.
const SEARCHES: usize = 4;

/// Colours to paint with.
#[derive(Debug)]
pub struct Palette {
    colours: Vec<Colour>,
}

impl Palette {
    /// A palette of so many colours for a picture.
    ///
    /// # Errors
    ///
    /// If there are to be no colours, or a pixel is not a number.
    ///
    /// # Panics
    ///
    /// If the picture is empty, or a pixel is infinite.
    pub fn new(
        picture: &[Colour],
        colours: usize,
        rng: &mut impl Rng,
    ) -> Result<Self, KMeansError> {
        let sample: Vec<Colour> = picture.choose_multiple(rng, SAMPLE).copied().collect();
        let clusters = KMeans::params_with_rng(colours, StdRng::seed_from_u64(rng.next_u64()))
            .n_runs(SEARCHES)
            .fit(&DatasetBase::from(Array2::from(sample)))?;
        let centres = clusters.centroids().rows().into_iter();
        Ok(Palette {
            colours: centres
                .map(|centre| [centre[0], centre[1], centre[2]])
                .collect(),
        })
    }

    /// The colours, in no particular order.
    pub fn colours(&self) -> &[Colour] {
        &self.colours
    }

    /// The picture in these colours: each pixel becomes the nearest one.
    pub fn paint(&self, picture: &[Colour]) -> Vec<Colour> {
        picture.iter().map(|&pixel| self.nearest(pixel)).collect()
    }

    /// The colour nearest to this one.
    pub fn nearest(&self, colour: Colour) -> Colour {
        (self.colours.iter().copied())
            .min_by(|&a, &b| distance(a, colour).total_cmp(&distance(b, colour)))
            .expect("a palette has at least one colour")
    }
}

/// The square of the distance between two colours.
pub fn distance(a: Colour, b: Colour) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
