//! Reading a file piece by piece: one that is laid out as flex writes it need not be in memory twice, as text and entries.

use std::path::Path;

use flex_bounds::file::{BoundsFile, Pieces};

use crate::text_file;

/// The bytes of a piece, which hold many entries.
const PIECE: u64 = 1 << 18;

/// The entries of a file; `None` if it must be read as a whole, because it is laid out in another way, or
/// something is wrong with it.
pub(super) fn read(path: &Path) -> Option<BoundsFile> {
    let mut file = text_file::open(path).ok()??;
    let mut pieces = Pieces::default();
    let mut bytes = Vec::new();
    loop {
        let is_last = text_file::append(&mut file, &mut bytes, PIECE).ok()? < PIECE as usize;
        let end = match is_last {
            true => bytes.len(),
            false => Pieces::cut(&bytes)?,
        };
        pieces.push(str::from_utf8(&bytes[..end]).ok()?)?;
        bytes.drain(..end);
        if is_last {
            // A file that grew beyond the limit meanwhile was not read to its end.
            return pieces.finish().filter(|_| file.limit() > 0);
        }
    }
}
