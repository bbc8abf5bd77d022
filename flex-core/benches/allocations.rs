//! What a complete bound allocates: prints "n bytes" for each number of samples.

use flex_core::bound::confidence::Confidence;
use flex_core::bound::{LearnedBound, Question};
use flex_core::sample::Samples;
use flex_core::tail::Tail;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

fn main() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let question = Question::new(Tail::Upper, Confidence::DEFAULT);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for n in [100, 1000, 3000] {
        let values: Vec<f64> = (0..n).map(|_| StandardNormal.sample(&mut rng)).collect();
        let before = dhat::HeapStats::get().total_bytes;
        let bound = LearnedBound::learn(&Samples::from_values(&values), &question);
        let after = dhat::HeapStats::get().total_bytes;
        assert!(bound.reason().is_none(), "a regular sample has both tiers");
        println!("{n} {}", after - before);
    }
}
