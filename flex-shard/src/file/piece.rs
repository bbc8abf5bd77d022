//! Pieces of a frame: bytes with their length and a checksum before them, so that what is cut or damaged is noticed.

/// The bytes before a piece.
const BEFORE: usize = 12;

/// FNV-1a (Fowler, Noll & Vo 1991).
fn checksum(bytes: &[u8]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

/// Adds a piece.
pub fn push(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend(checksum(bytes).to_le_bytes());
    out.extend(bytes);
}

/// Takes a piece from the front; `None` if there is none that is whole and undamaged.
pub fn take<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (before, rest) = bytes.split_at_checked(BEFORE)?;
    let (length, sum) = before.split_at(4);
    let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
    let (piece, rest) = rest.split_at_checked(length)?;
    if checksum(piece).to_le_bytes() != *sum {
        return None;
    }
    *bytes = rest;
    Some(piece)
}
