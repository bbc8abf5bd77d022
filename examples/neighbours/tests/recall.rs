//! How many true neighbours may a search miss, and how many points may it look at? Calibrated with
//! `cargo flex calibrate -p neighbours-example`, enforced by `cargo test`.

use flex_harness::prelude::*;
use neighbours_example::{Index, distance};
use rand::RngExt;

const POINTS: usize = 600;
const QUERIES: usize = 40;
const NEIGHBOURS: usize = 10;

type Point = [f32; 8];

/// What the searches of one index came to, on average.
struct Searches {
    /// The share of the true neighbours that were found.
    recall: f64,
    /// The share of all points that were compared with the query.
    compared: f64,
}

/// Indexes points and looks for neighbours of others. They lie around twenty centres, the closer the smaller the spread.
fn search(rng: &mut TestRng, spread: f32, effort: usize) -> Searches {
    let centres: [Point; 20] = rng.random();
    let mut near_a_centre = |number: usize| {
        let centre = centres[number % centres.len()];
        centre.map(|x| x + spread * (rng.random::<f32>() - 0.5))
    };
    let points: Vec<Point> = (0..POINTS).map(&mut near_a_centre).collect();
    let queries: Vec<Point> = (0..QUERIES).map(&mut near_a_centre).collect();

    // The index keeps a generator that has the traits of rand 0.8, as `TestRng` does with the feature `rand_0_8`.
    let mut index = Index::new(&points, rng.fork());
    let (mut found, mut compared) = (0, 0);
    for query in &queries {
        let truth = true_neighbours(&points, query);
        let answer = index.nearest(query, NEIGHBOURS, effort);
        found += (answer.nearest.iter())
            .filter(|point| truth.contains(point))
            .count();
        compared += answer.compared;
    }
    Searches {
        recall: found as f64 / (QUERIES * NEIGHBOURS) as f64,
        compared: compared as f64 / (QUERIES * POINTS) as f64,
    }
}

/// The nearest points, by looking at all of them.
fn true_neighbours(points: &[Point], query: &Point) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| distance(&points[a], query).total_cmp(&distance(&points[b], query)));
    order.truncate(NEIGHBOURS);
    order
}

#[stochastic_test]
fn most_neighbours_are_found(rng: &mut TestRng) {
    let recall = search(rng, 1.0, 20).recall;
    assert_tail_bound!(recall > _, domain = 0.0..=1.0);
    assert_tail_bound!(recall > 0.8);
}

#[stochastic_test(confidence = 0.999)]
fn crowded_points_are_harder_to_find(rng: &mut TestRng) {
    for spread in [0.5, 0.2] {
        let recall = search(rng, spread, 20).recall;
        assert_tail_bound!(recall > _, case = spread, domain = 0.0..=1.0);
    }
}

#[stochastic_test]
fn a_search_looks_at_few_points(rng: &mut TestRng) {
    for effort in [10, 40] {
        let compared = search(rng, 1.0, effort).compared;
        assert_tail_bound!(compared < _, case = effort, domain = 0.0..=1.0);
    }
}
