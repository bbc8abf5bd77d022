//! A folder with a bounds file, and entries to be written.

use std::fs;

use flex_bounds::file::{BoundsFile, Entry};
use flex_run::store::Store;
use tempfile::TempDir;

/// A folder with a bounds file in it.
pub struct Fixture {
    pub folder: TempDir,
    pub store: Store,
}

impl Fixture {
    pub fn empty() -> Self {
        let folder = TempDir::new().unwrap();
        let store = Store::at(folder.path().join("flex-bounds.toml"));
        Fixture { folder, store }
    }

    pub fn with(bytes: impl AsRef<[u8]>) -> Self {
        let fixture = Fixture::empty();
        fs::write(fixture.store.path(), bytes).unwrap();
        fixture
    }

    pub fn text(&self) -> String {
        fs::read_to_string(self.store.path()).unwrap()
    }

    /// The names of all files beside the bounds file.
    pub fn others(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).unwrap();
        names
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "flex-bounds.toml")
            .collect()
    }

    /// Asserts that the file is not changed, and what is said about it.
    pub fn check_refused(&self, words: &[&str]) {
        let before = fs::read(self.store.path()).ok();
        let errors = [
            self.store.check_writable().unwrap_err(),
            self.store
                .update(|file| insert(file, "new", 1))
                .unwrap_err(),
        ];
        for error in errors {
            let said = error.to_string();
            for word in words.iter().chain(&["flex-bounds.toml", "\nhint: "]) {
                assert!(said.contains(word), "{said}\ndoes not say: {word}");
            }
        }
        assert_eq!(fs::read(self.store.path()).ok(), before);
        assert_eq!(self.others(), [""; 0]);
    }
}

pub fn entry(site: &str, samples: u32) -> Entry {
    let text = format!(
        "version = 2\n[[bound]]\ntarget = \"lib\"\ntest = \"t\"\nsite = \"{site}\"\ntail = \"upper\"\nconfidence = 0.9\n\
         strategy = \"keep\"\nsamples = {samples}\nreached = \"always\"\n"
    );
    text.parse::<BoundsFile>().unwrap().entries()[0].clone()
}

pub fn insert(file: &mut BoundsFile, site: &str, samples: u32) {
    file.insert(entry(site, samples)).unwrap();
}

pub fn samples(file: &BoundsFile, site: &str) -> u32 {
    let mut entries = file.entries().iter();
    let entry = entries.find(|entry| entry.key.site == site.into());
    entry.unwrap().samples
}
