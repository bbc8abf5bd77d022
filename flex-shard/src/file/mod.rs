//! The file of a shard: what it is about, and then what each process showed, as soon as that has ended.
//!
//! ```text
//! file  = "flex shard 1\n" frame*
//! frame = tag (1 byte) ‖ length of what follows (4 bytes, little endian) ‖ piece*
//! piece = length (4 bytes) ‖ FNV-1a of the bytes (8 bytes) ‖ bytes
//! ```
//!
//! A file has one writer, which only ever adds whole frames, so that whatever ends it leaves those before. The first piece
//! of a frame is JSON; the others are the wire of the engine, cut after each run: of a frame that is cut short, the runs
//! before are used. Files of other versions are refused: shards of one calibration are made by one version of flex.

mod head;
mod piece;
mod read;
mod write;

pub use head::{Frame, Header, ShardContent, ShardEnd, ShardKind};
pub use read::{At, FileError, Scanned, frame_at, scan};
pub use write::{ShardWriter, begin_of_names, file_ending};

/// Changes with every change of the format.
const MAGIC: &[u8] = b"flex shard 1\n";

/// The tags of frames.
const HEADER: u8 = b'H';
const SHOWN: u8 = b'S';
const END: u8 = b'E';

/// No frame is longer; whatever says so is damaged.
const LONGEST: u32 = 1 << 31;
