//! Writes the pictures of the guide: `cargo xtask pictures`.

use std::fs;
use std::io;

fn main() -> io::Result<()> {
    for (path, svg) in flex_tests::pictures::all() {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, svg)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}
