//! Base seeds: the one that the environment states, or a fresh one.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::SystemTime;

use flex_core::seed::SeedRequest;

use crate::project::env::Settings;

/// The seed that the environment states, or a fresh one.
pub fn stated_or_fresh(settings: &Settings) -> SeedRequest {
    let fresh = || SeedRequest {
        base: fresh_base(),
        run: None,
    };
    settings.seed.clone().unwrap_or_else(fresh)
}

/// A base that nobody had before: ten letters and digits.
pub fn fresh_base() -> String {
    const LETTERS: &[u8] = b"0123456789abcdefghijkmnopqrstuvwxyz";
    // The standard library's hash maps are seeded by the operating system; time and process make sure.
    let mut hasher = RandomState::new().build_hasher();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    hasher.write_u128(now.map_or(0, |since| since.as_nanos()));
    hasher.write_u32(std::process::id());
    let mut number = hasher.finish();
    let letters = LETTERS.len() as u64;
    (0..10)
        .map(|_| {
            let letter = LETTERS[(number % letters) as usize];
            number /= letters;
            char::from(letter)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_are_fresh_and_need_no_quotes() {
        // Equal by chance once in 35^10 > 10^15 runs.
        let (a, b) = (fresh_base(), fresh_base());
        assert_ne!(a, b);
        assert!(a.len() == 10 && flex_core::words::quoted(&a) == a);
    }
}
