//! What cannot be read or written is refused, and stays as it is.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use flex_bounds::TestId;
use flex_bounds::file::BoundsFile;
use flex_run::store::{Store, StoreError};

use crate::fixture::{Fixture, insert};

#[test]
fn what_cannot_be_read_is_not_written_over() {
    let mut whole = BoundsFile::default();
    insert(&mut whole, "a", 1);
    let whole = whole.to_string();
    let check = |bytes: &[u8], words: &[&str]| {
        let fixture = Fixture::with(bytes);
        fixture.check_refused(words);
        assert!(fixture.store.read().is_err());
        assert!(fixture.store.select(&TestId::cargo("lib", "t")).is_err());
    };
    let conflict = whole.replace("site", "<<<<<<< HEAD\nsite");
    check(conflict.as_bytes(), &["flex-bounds.toml:7: ", "<<<<<<<"]);
    check(b"version = 3\n", &["flex-bounds.toml:1: ", "newer flex"]);
    check(
        b"version = 1\n",
        &[
            "flex-bounds.toml:1: ",
            "older flex",
            "`cargo flex calibrate`",
        ],
    );
    let cut = &whole.as_bytes()[..whole.len() - "lways\"\n".len()];
    check(cut, &["flex-bounds.toml:12: ", "breaks off"]);
    check(
        b"version = 2\n# caf\xe9\n",
        &["flex-bounds.toml:2: ", "UTF-8"],
    );
    check(&[0; 100], &["flex-bounds.toml:1: "]);
    check(b"\n", &["`version = 2`"]);
}

#[test]
fn a_read_only_file_is_refused_even_where_it_could_be_replaced() {
    let fixture = Fixture::with("version = 2\n");
    let mut permissions = fs::metadata(fixture.store.path()).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(fixture.store.path(), permissions).unwrap();
    fixture.check_refused(&["read-only"]);
    fixture.store.update(|_| ()).unwrap();
    assert_eq!(fixture.store.read().unwrap(), BoundsFile::default());
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::with("version = 2\n");
    let allow = |mode| {
        fs::set_permissions(fixture.folder.path(), fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(0o555);
    // Root may write everywhere.
    if File::create_new(fixture.folder.path().join("probe")).is_err() {
        fixture.check_refused(&["cannot be written", "create files"]);
    }
    allow(0o755);
}

#[test]
fn a_folder_that_is_not_there_is_refused() {
    let fixture = Fixture::empty();
    let store = Store::at(fixture.folder.path().join("missing/flex-bounds.toml"));
    for error in [
        store.check_writable().unwrap_err(),
        store.update(|file| insert(file, "a", 1)).unwrap_err(),
    ] {
        assert!(matches!(error, StoreError::NoFolder { .. }), "{error}");
        assert!(error.to_string().contains("FLEX_BOUNDS"), "{error}");
    }
    assert_eq!(store.read().unwrap(), BoundsFile::default());
    assert_eq!(fixture.others(), [""; 0]);
}

#[test]
fn a_folder_in_the_place_of_the_file_is_refused() {
    let fixture = Fixture::empty();
    fs::create_dir(fixture.store.path()).unwrap();
    fixture.check_refused(&["cannot be read"]);
}

/// Makes something at a path that is no file.
#[cfg(unix)]
fn make_node(path: &Path, kind: &[&str]) -> bool {
    let made = Command::new("mknod").arg(path).args(kind).output();
    made.is_ok_and(|output| output.status.success())
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_neither_read_nor_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let fixture = Fixture::empty();
    // A pipe that nobody writes to, and the numbers of /dev/null and /dev/full, which only root can make.
    for (kind, word) in [
        (&["p"][..], "a named pipe"),
        (&["c", "1", "3"], "a device"),
        (&["c", "1", "7"], "a device"),
    ] {
        let node = fixture.folder.path().join("node");
        if !make_node(&node, kind) {
            assert_ne!(kind, ["p"], "everybody can make pipes");
            continue;
        }
        let link = fixture.folder.path().join("link");
        std::os::unix::fs::symlink(&node, &link).unwrap();
        for path in [&node, &link] {
            let store = Store::at(path);
            for result in [
                store.read().map(drop),
                store.select(&TestId::cargo("lib", "a")).map(drop),
                store.check_writable(),
                store.remove_if_empty(),
                store.update(|file| insert(file, "a", 1)),
            ] {
                let words = result.unwrap_err().to_string();
                assert!(
                    words.contains(&format!("it is {word}, and no file")),
                    "{words}"
                );
                assert!(words.contains("hint: "), "{words}");
            }
        }
        let is_there = fs::symlink_metadata(&node).unwrap().file_type();
        assert!(is_there.is_fifo() || is_there.is_char_device(), "{kind:?}");
        fs::remove_file(&link).unwrap();
        fs::remove_file(&node).unwrap();
    }
}
