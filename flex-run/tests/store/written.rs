//! What is written: entries and nothing else, where the file is, with its permissions.

use std::fs::{self, File};
use std::path::Path;
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use flex_bounds::TestId;
use flex_bounds::file::BoundsFile;
use flex_run::store::{Store, StoreError};
use tempfile::TempDir;

use crate::fixture::{Fixture, entry, insert, samples};

#[test]
fn a_missing_file_is_an_empty_one_until_there_is_something_to_write() {
    let fixture = Fixture::empty();
    let store = &fixture.store;
    assert_eq!(store.read().unwrap(), BoundsFile::default());
    assert_eq!(
        store.select(&TestId::pytest("t")).unwrap(),
        BoundsFile::default()
    );
    store.check_writable().unwrap();
    store.update(|_| ()).unwrap();
    assert!(!store.path().exists() && fixture.others().is_empty());

    let answer = store.update(|file| {
        insert(file, "a", 7);
        "answer"
    });
    assert_eq!(answer.unwrap(), "answer");
    let file = store.read().unwrap();
    assert_eq!(samples(&file, "a"), 7);
    assert_eq!(store.select(&TestId::cargo("lib", "t")).unwrap(), file);
    assert_eq!(
        store.select(&TestId::pytest("t")).unwrap(),
        BoundsFile::default()
    );
    assert_eq!(fixture.text(), file.to_string());

    fs::write(store.path(), "").unwrap();
    store.check_writable().unwrap();
    assert_eq!(
        store.select(&TestId::pytest("t")).unwrap(),
        BoundsFile::default()
    );
    store.update(|file| insert(file, "a", 8)).unwrap();
    assert_eq!(samples(&store.read().unwrap(), "a"), 8);
}

#[test]
fn what_people_wrote_stays() {
    let by_hand = "\u{feff}# Ours.\r\nversion = 2\r\n\r\n# Odd.\r\n[[bound]]\r\nsite='a' # A\r\ntest='t'\r\ntarget='lib'\r\n\
                   tail='upper'\r\nconfidence=0.9\r\nstrategy='keep'\r\nsamples=1\r\nreached='always'";
    let fixture = Fixture::with(by_hand);
    fixture.store.update(|file| insert(file, "b", 2)).unwrap();
    let text = fixture.text();
    assert!(text.starts_with(by_hand), "{text}");
    assert!(
        text.split_inclusive('\n')
            .all(|line| line.ends_with("\r\n")),
        "{text}"
    );
    assert_eq!(samples(&fixture.store.read().unwrap(), "b"), 2);
}

#[test]
fn nothing_is_written_if_nothing_changes() {
    let fixture = Fixture::with("version=2 # as I like it");
    let long_ago = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let file = File::options().write(true).open(fixture.store.path());
    file.unwrap().set_modified(long_ago).unwrap();
    fixture.store.check_writable().unwrap();
    fixture
        .store
        .update(|file| {
            insert(file, "a", 1);
            file.remove(&entry("a", 1).key);
        })
        .unwrap();
    let metadata = fs::metadata(fixture.store.path()).unwrap();
    assert_eq!(metadata.modified().unwrap(), long_ago);
    assert_eq!(fixture.text(), "version=2 # as I like it");
}

#[test]
fn a_change_that_panics_changes_nothing_and_locks_nobody_out() {
    let fixture = Fixture::with("version = 2\n");
    let store = fixture.store.clone();
    let panicked = thread::spawn(move || {
        let never: Result<(), StoreError> = store.update(|_| panic!("on purpose"));
        never.is_ok()
    });
    assert!(panicked.join().is_err());
    assert_eq!(fixture.text(), "version = 2\n");
    fixture.store.update(|file| insert(file, "a", 1)).unwrap();
    assert_eq!(fixture.others(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    use std::os::unix::fs::symlink;
    let fixture = Fixture::empty();
    let elsewhere = TempDir::new().unwrap();
    let real = elsewhere.path().join("real.toml");
    let relative = fixture.folder.path().join("relative.toml");
    symlink(&real, fixture.store.path()).unwrap();
    symlink("flex-bounds.toml", &relative).unwrap();

    // At first the link leads nowhere.
    fixture.store.check_writable().unwrap();
    for (now, path) in [(1, fixture.store.path()), (2, &relative), (3, &real)] {
        Store::at(path)
            .update(|file| insert(file, "a", now))
            .unwrap();
        assert_eq!(samples(&fixture.store.read().unwrap(), "a"), now);
    }
    assert_eq!(fs::read_link(fixture.store.path()).unwrap(), real);
    assert_eq!(
        fs::read_link(&relative).unwrap(),
        Path::new("flex-bounds.toml")
    );
    assert!(fs::symlink_metadata(&real).unwrap().is_file());
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);

    fs::remove_file(&real).unwrap();
    symlink(&relative, &real).unwrap();
    let error = fixture
        .store
        .update(|file| insert(file, "a", 4))
        .unwrap_err();
    assert!(
        matches!(error, StoreError::Read { .. }),
        "links in a circle: {error}"
    );
}

#[cfg(unix)]
#[test]
fn permissions_stay() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::with("version = 2\n");
    for mode in [0o600, 0o664, 0o640] {
        fs::set_permissions(fixture.store.path(), fs::Permissions::from_mode(mode)).unwrap();
        fixture
            .store
            .update(|file| insert(file, "a", mode))
            .unwrap();
        let now = fs::metadata(fixture.store.path()).unwrap().permissions();
        assert_eq!(now.mode() & 0o777, mode);
    }
}

#[test]
fn only_temporary_files_of_this_bounds_file_are_cleared_away() {
    let fixture = Fixture::with("version = 2\n");
    let stale = [
        ".flex-bounds.toml.12-0.tmp",
        ".flex-bounds.toml.4294967295-18446744073709551615.tmp",
    ];
    let mut kept = [
        ".flex-bounds.toml.12.tmp",
        ".flex-bounds.toml.12-.tmp",
        ".flex-bounds.toml.1-2-3.tmp",
        ".flex-bounds.toml.mine-1.tmp",
        ".flex-bounds.toml.swp",
        ".other.toml.12-0.tmp",
        "flex-bounds.toml.12-0.tmp",
    ];
    for name in stale.iter().chain(&kept) {
        fs::write(fixture.folder.path().join(name), "x").unwrap();
    }
    fixture.store.update(|file| insert(file, "a", 1)).unwrap();
    let mut others = fixture.others();
    others.sort_unstable();
    kept.sort_unstable();
    assert_eq!(others, kept);
}

#[test]
fn a_path_without_a_folder_is_in_the_working_directory() {
    let missing = Store::at("no-bounds-file-here.toml");
    missing.check_writable().unwrap();
    missing.update(|_| ()).unwrap();
    assert!(!missing.path().exists());
    let error = Store::at("no-such-folder/..").check_writable().unwrap_err();
    assert!(matches!(error, StoreError::Read { .. }), "{error}");
}

#[test]
fn a_file_of_many_pieces_is_read_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().join("flex-bounds.toml"));
    let mut text = "version = 2\n".to_owned();
    for index in 0..9000 {
        text += &format!(
            "\n[[bound]]\ntest = \"t{index:05}\"\nsite = \"s\"\ntail = \"upper\"\nconfidence = 0.9\nstrategy = \"keep\"\n\
             samples = 9\nreached = \"always\"\n"
        );
    }
    // Several pieces, the last entry of which is in another order.
    assert!(text.len() > 1 << 20);
    text = text.replace("t08999", "t");
    fs::write(store.path(), &text).unwrap();
    assert_eq!(store.read().unwrap(), text.parse().unwrap());

    for (wrong, complaint) in [
        (
            text.replace("\"t08000\"", "\"t08001\""),
            ":72012: site `s` of test `t08001` has an entry on line 72003",
        ),
        (text.replace("\"t08000\"", "8"), ":72004: `test` is 8"),
        (
            format!("{text}<<<<<<< ours\n"),
            ":81002: `<<<<<<<` marks a merge conflict",
        ),
        (format!("{text}samples = 9\n"), "duplicate key"),
        (format!("{text}x = 9\n"), "unknown key `x`"),
    ] {
        fs::write(store.path(), &wrong).unwrap();
        let error = store.read().unwrap_err().to_string();
        assert!(error.contains(complaint), "{error}");
    }
    fs::write(store.path(), [text.as_bytes(), b"# \xff\n"].concat()).unwrap();
    let error = store.read().unwrap_err().to_string();
    assert!(error.contains("not UTF-8"), "{error}");
}
