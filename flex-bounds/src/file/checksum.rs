//! Checksums: an entry as a calibration wrote it, in 32 bits. `seal.rs` says of which lines.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// What an entry is when it is written, in 32 bits. It tells changes by hand, and keeps nobody from forging it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checksum(NonZeroU32);

impl Checksum {
    /// The checksum of lines.
    pub(super) fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let sum = fnv_1a(lines.flat_map(|line| line.bytes().chain([b'\n'])));
        Checksum(NonZeroU32::new(sum).unwrap_or(NonZeroU32::MIN))
    }
}

/// Fowler, Noll and Vo's FNV-1a, with 32 bits.
fn fnv_1a(bytes: impl Iterator<Item = u8>) -> u32 {
    bytes.fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl FromStr for Checksum {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_hex = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let sum = is_hex.then(|| u32::from_str_radix(text, 16).ok()).flatten();
        let checksum = sum.and_then(NonZeroU32::new).map(Checksum);
        checksum.ok_or_else(|| "a checksum has eight hexadecimal digits".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_others() {
        // From the test vectors that come with the authors' code.
        assert_eq!(fnv_1a(b"".iter().copied()), 0x811c_9dc5);
        assert_eq!(fnv_1a(b"foobar".iter().copied()), 0xbf9c_f968);
    }
}
