//! Which points are nearest to this one? An index that answers without looking at all of them.
//!
//! It is the graph of the published crate `hnsw` (hierarchical navigable small worlds). Which points are in its upper
//! layers is drawn by chance, so its answers are random, and a near point may be missed. `tests/recall.rs` says how many
//! may be missed, and how much of the work a search may do.

#![forbid(unsafe_code)]

use std::cell::Cell;
use std::rc::Rc;

use hnsw::{Hnsw, Params, Searcher};
use rand_core_0_6::RngCore;
use space::{Metric, Neighbor};

/// How many neighbours a point has in the graph's upper layers, and in its lowest.
const LINKS: usize = 8;
const LOWEST_LINKS: usize = 16;

/// From how many candidates they are chosen.
const CANDIDATES: usize = 40;

/// Points with `D` coordinates, in a graph that `R` draws.
pub struct Index<const D: usize, R> {
    graph: Hnsw<Euclidean, [f32; D], R, LINKS, LOWEST_LINKS>,
    searcher: Searcher<u32>,
    compared: Rc<Cell<usize>>,
}

/// What a search found.
#[derive(Debug)]
pub struct Answer {
    /// Points, by their number in the order of insertion, nearest first.
    pub nearest: Vec<usize>,
    /// How many points were compared with the query.
    pub compared: usize,
}

impl<const D: usize, R: RngCore> Index<D, R> {
    /// An index of these points.
    pub fn new(points: &[[f32; D]], rng: R) -> Self {
        let metric = Euclidean::default();
        let compared = Rc::clone(&metric.compared);
        let params = Params::new().ef_construction(CANDIDATES);
        let mut graph = Hnsw::new_params_and_prng(metric, params, rng);
        let mut searcher = Searcher::new();
        for &point in points {
            graph.insert(point, &mut searcher);
        }
        Index {
            graph,
            searcher,
            compared,
        }
    }

    /// The `count` nearest points, or nearly so. With more effort more points are compared, and fewer are missed.
    pub fn nearest(&mut self, query: &[f32; D], count: usize, effort: usize) -> Answer {
        let nothing = Neighbor {
            index: usize::MAX,
            distance: u32::MAX,
        };
        let mut room = vec![nothing; count.min(self.graph.len())];
        self.compared.set(0);
        let found = self
            .graph
            .nearest(query, effort.max(count), &mut self.searcher, &mut room);
        Answer {
            nearest: found.iter().map(|neighbour| neighbour.index).collect(),
            compared: self.compared.get(),
        }
    }
}

/// The square of the distance between two points.
pub fn distance<const D: usize>(a: &[f32; D], b: &[f32; D]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// That distance as the graph wants it, counting how often it is asked for.
#[derive(Default)]
struct Euclidean {
    compared: Rc<Cell<usize>>,
}

impl<const D: usize> Metric<[f32; D]> for Euclidean {
    type Unit = u32;

    fn distance(&self, a: &[f32; D], b: &[f32; D]) -> u32 {
        self.compared.set(self.compared.get() + 1);
        // The bits of positive floating-point numbers have the order of the numbers.
        distance(a, b).to_bits()
    }
}
