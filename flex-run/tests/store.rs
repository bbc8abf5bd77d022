//! The bounds file on a real disk: writers at once, killed writers, full disks, and files that must not be touched.
//!
//! Other processes are this program again, run with [`ROLE`] set and told to do nothing but [`as_another_process`].

#![expect(
    clippy::unwrap_used,
    reason = "a folder that cannot be used is no failure of the store"
)]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};
use std::{env, thread};

use flex_bounds::TestId;
use flex_bounds::file::{BoundsFile, Entry};
use flex_run::store::{Store, StoreError};
use tempfile::TempDir;

const ROLE: &str = "STORE_TEST_ROLE";
const FILE: &str = "STORE_TEST_FILE";

/// A folder with a bounds file in it.
struct Fixture {
    folder: TempDir,
    store: Store,
}

impl Fixture {
    fn empty() -> Self {
        let folder = TempDir::new().unwrap();
        let store = Store::at(folder.path().join("flex-bounds.toml"));
        Fixture { folder, store }
    }

    fn with(bytes: impl AsRef<[u8]>) -> Self {
        let fixture = Fixture::empty();
        fs::write(fixture.store.path(), bytes).unwrap();
        fixture
    }

    fn text(&self) -> String {
        fs::read_to_string(self.store.path()).unwrap()
    }

    /// The names of all files beside the bounds file.
    fn others(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).unwrap();
        names
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "flex-bounds.toml")
            .collect()
    }

    /// Asserts that the file is not changed, and what is said about it.
    fn check_refused(&self, words: &[&str]) {
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

fn entry(site: &str, samples: u32) -> Entry {
    let text = format!(
        "version = 2\n[[bound]]\ntarget = \"lib\"\ntest = \"t\"\nsite = \"{site}\"\ntail = \"upper\"\nconfidence = 0.9\n\
         strategy = \"keep\"\nsamples = {samples}\nreached = \"always\"\n"
    );
    text.parse::<BoundsFile>().unwrap().entries()[0].clone()
}

fn insert(file: &mut BoundsFile, site: &str, samples: u32) {
    file.insert(entry(site, samples)).unwrap();
}

fn samples(file: &BoundsFile, site: &str) -> u32 {
    let mut entries = file.entries().iter();
    let entry = entries.find(|entry| entry.key.site == site.into());
    entry.unwrap().samples
}

/// Counts in two entries at once, which must never differ.
fn count_on(store: &Store) -> Result<u32, StoreError> {
    store.update(|file| {
        let next = samples(file, "a") + 1;
        insert(file, "a", next);
        insert(file, "b", next);
        next
    })
}

/// Starts this program again for one role, by way of the words of `wrapper`.
fn start(wrapper: &[&str], role: &str, file: &Path) -> Child {
    let program = env::current_exe().unwrap();
    let mut words = wrapper.iter().map(PathBuf::from).chain([program]);
    Command::new(words.next().unwrap())
        .args(words)
        .args([
            "--exact",
            "as_another_process",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(ROLE, role)
        .env(FILE, file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Not a test but what the other processes do.
#[test]
fn as_another_process() {
    let (Ok(role), Ok(file)) = (env::var(ROLE), env::var(FILE)) else {
        return;
    };
    let store = Store::at(file);
    match role.split_once(' ') {
        Some(("insert", name)) => insert_many(&store, name),
        None if role == "count" => {
            println!("ready");
            loop {
                count_on(&store).unwrap();
            }
        }
        None if role == "fill" => outgrow_the_disk(&store),
        _ => panic!("no role {role}"),
    }
}

const MANY: u32 = 20;

fn insert_many(store: &Store, name: &str) {
    for number in 1..=MANY {
        store
            .update(|file| insert(file, &format!("{name}{number}"), number))
            .unwrap();
    }
}

fn check_all_are_there(fixture: &Fixture, names: &[String]) {
    let file = fixture.store.read().unwrap();
    assert_eq!(file.entries().len(), names.len() * MANY as usize);
    for name in names {
        for number in 1..=MANY {
            assert_eq!(samples(&file, &format!("{name}{number}")), number);
        }
    }
    assert_eq!(fixture.others(), [""; 0]);
}

#[test]
fn threads_that_write_at_once_lose_nothing() {
    let fixture = Fixture::empty();
    let names: Vec<String> = (0..8).map(|thread| format!("thread {thread}, ")).collect();
    thread::scope(|scope| {
        for name in &names {
            scope.spawn(|| insert_many(&fixture.store, name));
        }
    });
    check_all_are_there(&fixture, &names);
}

#[test]
fn processes_that_write_at_once_lose_nothing() {
    let fixture = Fixture::with("version = 2\n# Notes.\n");
    let names: Vec<String> = (0..8)
        .map(|process| format!("process {process}, "))
        .collect();
    let children: Vec<Child> = names
        .iter()
        .map(|name| start(&[], &format!("insert {name}"), fixture.store.path()))
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    check_all_are_there(&fixture, &names);
    assert_eq!(fixture.text().matches("# Notes.\n").count(), 1);
}

#[test]
fn a_writer_that_is_killed_at_any_moment_leaves_a_whole_file() {
    const KILLS: u64 = 120;
    let fixture = Fixture::empty();
    fixture
        .store
        .update(|file| ["a", "b"].map(|site| insert(file, site, 1)))
        .unwrap();
    let comments = ["# Of the file.\n", "# Above.\n", "# Beside."];
    let text = fixture.text();
    let decorated = "\n# Of the file.\n\n# Above.\n[[bound]] # Beside.";
    fs::write(
        fixture.store.path(),
        text.replacen("\n[[bound]]", decorated, 1),
    )
    .unwrap();

    let mut last = 1;
    let mut left_behind = 0;
    for kill in 0..KILLS {
        let mut child = start(&[], "count", fixture.store.path());
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut lines = output.by_ref().lines();
        assert!(lines.any(|line| line.unwrap().contains("ready")));
        // 7919 is prime, so the moments spread over 15 ms.
        thread::sleep(Duration::from_micros(kill * 7919 % 15_000));
        child.kill().unwrap();
        let status = child.wait().unwrap();
        assert!(
            cfg!(windows) || status.code().is_none(),
            "it failed by itself: {status}"
        );

        left_behind += fixture.others().len();
        let file = fixture.store.read().unwrap();
        let count = samples(&file, "a");
        assert!(count >= last, "{count} after {last}");
        assert_eq!(samples(&file, "b"), count);
        for comment in comments {
            assert_eq!(fixture.text().matches(comment).count(), 1, "{comment}");
        }
        last = count_on(&fixture.store).unwrap();
        assert_eq!(last, count + 1);
        assert_eq!(fixture.others(), [""; 0]);
    }
    println!("{KILLS} kills, {left_behind} temporary files left behind, {last} updates");
    assert!(u64::from(last) > KILLS + 1, "no writer came to write");
}

/// Writes a little, then more than there is room for.
fn outgrow_the_disk(store: &Store) {
    store.update(|file| insert(file, "small", 1)).unwrap();
    let before = fs::read(store.path()).unwrap();
    let error = store
        .update(|file| (0..500).for_each(|number| insert(file, &format!("{number}"), 1)))
        .unwrap_err();
    assert!(matches!(error, StoreError::Write { .. }), "{error}");
    assert!(error.to_string().contains("\nhint: make room"), "{error}");
    assert_eq!(fs::read(store.path()).unwrap(), before);
    let files = fs::read_dir(store.path().parent().unwrap()).unwrap();
    assert_eq!(files.count(), 1);
    store.update(|file| insert(file, "small", 2)).unwrap();
    println!("outgrown: {error}");
}

/// Asserts that a process came as far as that.
fn check_outgrown(child: Child) {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("outgrown: "), "{said}");
}

#[cfg(unix)]
#[test]
fn a_file_that_would_outgrow_its_limit_stays_as_it_was() {
    let fixture = Fixture::empty();
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"";
    check_outgrown(start(&["sh", "-c", limited], "fill", fixture.store.path()));
    assert_eq!(samples(&fixture.store.read().unwrap(), "small"), 2);
}

/// Where users may not mount anything, this shows nothing.
#[cfg(target_os = "linux")]
#[test]
fn a_file_on_a_full_disk_stays_as_it_was() {
    let fixture = Fixture::empty();
    let mount = "mount -t tmpfs -o size=32k tmpfs \"${STORE_TEST_FILE%/*}\"";
    let run = format!("{mount} && exec \"$0\" \"$@\"");
    let apart = [
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
    ];
    let can_mount = Command::new(apart[0])
        .args(&apart[1..])
        .arg(mount)
        .env(FILE, fixture.store.path())
        .stderr(Stdio::null())
        .status();
    if can_mount.is_ok_and(|status| status.success()) {
        let wrapper = [&apart[..], &[run.as_str()]].concat();
        check_outgrown(start(&wrapper, "fill", fixture.store.path()));
    }
}

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
