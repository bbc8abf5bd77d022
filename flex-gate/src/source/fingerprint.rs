//! Fingerprints of parts of a source: their tokens and how these are nested, without comments and spaces.

use tree_sitter::Node;

use super::{children, text_of};

/// The fingerprint of nothing.
pub const NOTHING: u64 = 0xcbf2_9ce4_8422_2325;

/// The fingerprint of nodes, one after the other.
pub fn of(nodes: &[Node<'_>], text: &str) -> u64 {
    let mut hash = NOTHING;
    for node in nodes {
        add(&mut hash, *node, text);
    }
    hash
}

/// The fingerprint of a text that cannot be parsed.
pub fn of_text(text: &str) -> u64 {
    let mut hash = NOTHING;
    mix(&mut hash, text.as_bytes());
    hash
}

/// Whether a node says nothing to a compiler.
pub fn is_comment(node: Node<'_>) -> bool {
    matches!(node.kind(), "line_comment" | "block_comment" | "comment")
}

fn add(hash: &mut u64, node: Node<'_>, text: &str) {
    if is_comment(node) {
        return;
    }
    let children = children(node);
    if children.is_empty() || node.kind() == "string_content" {
        mix(hash, text_of(node, text).as_bytes());
        mix(hash, &[0xff]);
        return;
    }
    // Python's blocks have no tokens of their own.
    let is_block = node.kind() == "block";
    if is_block {
        mix(hash, &[0xfe]);
    }
    children
        .into_iter()
        .for_each(|child| add(hash, child, text));
    if is_block {
        mix(hash, &[0xfd]);
    }
}

/// Fowler, Noll and Vo's FNV-1a, with 64 bits: equal on every machine, and nobody is to be kept from forging it.
fn mix(hash: &mut u64, bytes: &[u8]) {
    for byte in bytes {
        *hash ^= u64::from(*byte);
        *hash = hash.wrapping_mul(0x0000_0100_0000_01b3);
    }
}
