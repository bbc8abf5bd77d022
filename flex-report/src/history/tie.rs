//! What decides between equal values: a number that follows from the seed of a run, and so from nothing that the run showed.

use flex_core::seed::sha256;

/// The number of a run at a site. The same history gives the same answer on every machine.
pub fn tie(seed: &str, at: u64, site: &str) -> u64 {
    let mut message = b"flex tie 1".to_vec();
    for field in [seed.as_bytes(), &at.to_le_bytes(), site.as_bytes()] {
        message.extend((field.len() as u64).to_le_bytes());
        message.extend(field);
    }
    let hash = sha256(&message);
    let first: [u8; 8] = std::array::from_fn(|index| hash[index]);
    u64::from_le_bytes(first)
}
