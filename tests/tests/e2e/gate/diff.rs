//! `gate diff`: what changed, whatever lies in the repository.

use std::fs;

use super::Repository;

const LIB: &str = "pub const LIMIT: u32 = 3;\n\npub fn half(x: u32) -> u32 {\n    x / 2\n}\n\npub fn whole(x: u32) -> u32 {\n    x\n}\n";
const PY: &str = "import os\n\n\nclass Model:\n    def fit(self):\n        return 1\n\n    def score(self):\n        return 2\n";

#[test]
fn functions_of_a_branch_are_named_from_the_commit_at_which_it_left_the_default_one() {
    let repository = Repository::new(&[
        ("src/lib.rs", LIB),
        ("pkg/model.py", PY),
        ("gone.py", "def f(): pass\n"),
    ]);
    repository.git(&["checkout", "-q", "-b", "work"]);
    repository.write(
        "src/lib.rs",
        &LIB.replace("x / 2", "x >> 1").replace("= 3", "= 4"),
    );
    repository.commit("on a branch");
    repository.git(&["checkout", "-q", "main"]);
    repository.write("later.py", "def later(): pass\n");
    repository.commit("meanwhile");
    repository.git(&["checkout", "-q", "work"]);
    repository.write(
        "pkg/model.py",
        &PY.replace("return 2", "return 3  # better"),
    );
    repository.write("new file.py", "def fresh():\n    pass\n");
    fs::remove_file(repository.path("gone.py")).unwrap();
    let said = repository.gate(&["diff"]);
    said.says(0, &["4 files differ"]);
    assert_eq!(
        said.out,
        "gone.py:f\nnew file.py:fresh\npkg/model.py:Model.score\nsrc/lib.rs:top-level\nsrc/lib.rs:half\n"
    );
    assert_eq!(
        repository.gate(&["diff", "-v", "-f", r"\.rs$"]).out,
        "src/lib.rs\n"
    );
    assert_eq!(
        repository.gate(&["diff", "-vvv", "-p", "src"]).out,
        "src/lib.rs:top-level 1:1 LIMIT\nsrc/lib.rs:half 4:4\n"
    );
    let branches = repository.gate(&["diff", "-v", "--branches", "main", "work"]);
    assert_eq!(branches.out, "src/lib.rs\n");
    let commits = repository.gate(&["diff", "-v", "--commits", "main", "work"]);
    assert_eq!(commits.out, "later.py\nsrc/lib.rs\n");
    let json = repository.gate(&["diff", "--json"]).json();
    assert_eq!(json["version"], 1);
    assert_eq!(json["files"][3]["items"][1]["function"], "half");
}

#[test]
fn nothing_that_lies_in_a_repository_stops_it() {
    use std::os::unix::ffi::OsStrExt as _;

    let repository = Repository::new(&[
        ("a.py", "def a():\n    return 1\n"),
        ("moved.rs", LIB),
        ("data.bin", "x\0y"),
    ]);
    repository.write("a.py", "def a(:\n    return 1\n\ndef b():\n    pass\n");
    repository.write("data.bin", "x\0z");
    repository.git(&["mv", "moved.rs", "to here.rs"]);
    repository.write("line\nbreak.py", "def c(): pass\n");
    repository.write("-rf.py", "def d(): pass\n");
    fs::write(repository.path("latin.py"), b"def caf\xe9(): pass\n").unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"odd\xff.py");
    fs::write(repository.path("").join(odd), "def e(): pass\n").unwrap();
    std::os::unix::fs::symlink("a.py", repository.path("link.py")).unwrap();
    let said = repository.gate(&["diff"]);
    said.says(
        0,
        &[
            "-rf.py:d",
            "a.py:b",
            "data.bin\n",
            "latin.py\n",
            "to here.rs\n",
            "line\\nbreak.py:c",
        ],
    );
    // Names of revisions are never options.
    for name in ["--output=x", "-h", "$(touch x)", "", "main..HEAD"] {
        let said = repository.gate(&["diff", "--commits", name, "HEAD"]);
        said.says(2, &["error: "]);
    }
    assert!(!repository.path("x").exists());
    let folder = tempfile::tempdir().unwrap();
    let outside = folder.path().to_string_lossy().into_owned();
    repository
        .gate(&["diff", "-p", &outside])
        .says(2, &["is not in the repository"]);
}
