//! SHA-256 (FIPS 180-4), for seeds and for files that are to be known again.
//!
//! The usual crate is faster where the processor has instructions for it, but it brings six crates with it, and the
//! crate that tests link is to stay quick to build. A run hashes one block, which costs less than half a microsecond.

/// The hash of a message.
pub fn sha256(message: &[u8]) -> [u8; 32] {
    let mut state = INITIAL;
    let (blocks, rest) = message.as_chunks::<64>();
    for block in blocks {
        compress(&mut state, block);
    }
    // The padding (§5.1.1): a one bit, zeros, and the length in bits as the last 8 bytes of a block.
    let mut last = [0; 64];
    last[..rest.len()].copy_from_slice(rest);
    last[rest.len()] = 0x80;
    if rest.len() >= 56 {
        compress(&mut state, &last);
        last = [0; 64];
    }
    last[56..].copy_from_slice(&(8 * message.len() as u64).to_be_bytes());
    compress(&mut state, &last);
    let mut hash = [0; 32];
    for (bytes, word) in hash.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    hash
}

/// One block into the state (§6.2.2). The message schedule is made sixteen words at a time, in place.
fn compress(state: &mut [u32; 8], block: &[u8; 64]) {
    let mut schedule = [0u32; 16];
    for (word, bytes) in schedule.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (round, constant) in ROUNDS.iter().enumerate() {
        let place = round % 16;
        if round >= 16 {
            let w15 = schedule[(round + 1) % 16];
            let w2 = schedule[(round + 14) % 16];
            let s0 = w15.rotate_right(7) ^ w15.rotate_right(18) ^ (w15 >> 3);
            let s1 = w2.rotate_right(17) ^ w2.rotate_right(19) ^ (w2 >> 10);
            schedule[place] = schedule[place]
                .wrapping_add(s0)
                .wrapping_add(schedule[(round + 9) % 16])
                .wrapping_add(s1);
        }
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let t1 = h
            .wrapping_add(s1)
            .wrapping_add((e & f) ^ (!e & g))
            .wrapping_add(*constant)
            .wrapping_add(schedule[place]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d.wrapping_add(t1);
        d = c;
        c = b;
        b = a;
        a = t1.wrapping_add(t2);
    }
    for (word, new) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(new);
    }
}

/// The fractional parts of the square roots of the first 8 primes (§5.3.3).
const INITIAL: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/// The fractional parts of the cube roots of the first 64 primes (§4.2.2).
const ROUNDS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

#[cfg(test)]
mod tests {
    use rand::{Rng, RngExt, SeedableRng};
    use sha2::Digest;

    use super::*;

    fn hex(hash: [u8; 32]) -> String {
        hash.map(|byte| format!("{byte:02x}")).concat()
    }

    /// The examples that NIST publishes with the standard.
    #[test]
    fn published_examples_are_met() {
        let check = |message: &[u8], expected: &str| assert_eq!(hex(sha256(message)), expected);
        check(
            b"",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        );
        check(
            b"abc",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        );
        check(
            b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        );
        check(
            b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
        );
        check(
            &[b'a'; 1_000_000],
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        );
    }

    /// Every length around the padding, with a fixed seed.
    #[test]
    fn the_usual_crate_agrees() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for length in (0..200).chain(
            (0..50)
                .map(|_| rng.random_range(200..5000))
                .collect::<Vec<_>>(),
        ) {
            let mut message = vec![0; length];
            rng.fill_bytes(&mut message);
            let expected: [u8; 32] = sha2::Sha256::digest(&message).into();
            assert_eq!(sha256(&message), expected, "length {length}");
        }
    }
}
