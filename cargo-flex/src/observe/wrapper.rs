//! The compiler's wrapper: this program, when cargo calls it in the place of rustc for members of the workspace. It lets
//! rustc compile tests from the copy of the sources, under the names of the originals.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use flex_detect::source::rust::names_crate;

use super::harness;
use crate::cargo::OBSERVED;

/// Compiles, if cargo calls this program to do that; `None` if it is not so.
pub fn act_as_compiler(args: &[OsString]) -> Option<io::Result<ExitStatus>> {
    // The folder of the workspace, and that of the copy.
    let [root, copy, harness, _] = OBSERVED;
    let (root, copy) = (std::env::var_os(root)?, std::env::var_os(copy)?);
    let harness = std::env::var_os(harness);
    let [_, compiler, args @ ..] = args else {
        return None;
    };
    // Test programs, which cargo runs by this program too, have a hash in their names.
    let stated = std::env::var_os("RUSTC").unwrap_or_default();
    let name = Path::new(compiler).file_stem();
    let is_compiler = name.is_some_and(|name| {
        name == "rustc" || name == "clippy-driver" || Some(name) == Path::new(&stated).file_stem()
    });
    if !is_compiler {
        return None;
    }
    let here = std::env::current_dir().unwrap_or_default();
    let folders = (Path::new(&root), Path::new(&copy));
    let args = changed(args, &here, folders, harness.as_ref());
    Some(Command::new(compiler).args(args).status())
}

/// The arguments that compile a test program from the copy, with the flex-harness that its crate has, or with this one; all
/// others as they are.
fn changed(
    args: &[OsString],
    here: &Path,
    (root, copy): (&Path, &Path),
    harness: Option<&OsString>,
) -> Vec<OsString> {
    let mut args = args.to_vec();
    let has = |wanted: &str| args.iter().any(|arg| arg == wanted);
    let begins = |wanted: &str| args.iter().any(|arg| text(arg).starts_with(wanted));
    // Before the edition of 2018, paths of crates begin otherwise.
    let is_modern = args
        .iter()
        .any(|arg| text(arg).starts_with("--edition=") && arg != "--edition=2015");
    let has_own = begins("flex_harness=");
    if !has("--test") || !is_modern || !(has_own || harness.is_some()) {
        return args;
    }
    let is_source = |arg: &OsString| text(arg).ends_with(".rs") && !text(arg).starts_with('-');
    let Some(source) = args.iter().position(is_source) else {
        return args;
    };
    let original = here.join(&args[source]);
    let copied = original
        .strip_prefix(root)
        .map(|below| copy.join(below))
        .ok()
        .filter(|copied| copied.exists())
        .filter(|_| !has_own || is_linked(&original));
    if let Some(copied) = copied {
        let prefix = match Path::new(&args[source]).is_absolute() {
            true => root.to_owned(),
            // Cargo names sources from the folder that it calls the compiler in.
            false => PathBuf::new(),
        };
        args[source] = copied.into();
        let mut remap = OsString::from("--remap-path-prefix=");
        remap.push(copy);
        remap.push("=");
        remap.push(prefix);
        args.push(remap);
        if let Some(harness) = harness.filter(|_| !has_own) {
            args.extend(harness::arguments(harness));
        }
        // What there is to warn of, the build of the originals says.
        args.push("--cap-lints=allow".into());
    }
    args
}

/// Whether the program is linked with the flex-harness that its crate has. Where only the copy is, its entropy may follow a seed
/// that does nothing to the original; what is built beside the crate leaves entropy alone.
fn is_linked(source: &Path) -> bool {
    let source = std::fs::read_to_string(source).unwrap_or_default();
    names_crate(&source, "flex_harness")
}

fn text(arg: &OsStr) -> std::borrow::Cow<'_, str> {
    arg.to_string_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, harness: Option<&str>, expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("copy/tests")).unwrap();
        std::fs::write(folder.path().join("copy/tests/a.rs"), "").unwrap();
        std::fs::write(folder.path().join("copy/tests/b.rs"), "").unwrap();
        std::fs::create_dir_all(folder.path().join("root/tests")).unwrap();
        let linked = "use flex_harness as _;";
        std::fs::write(folder.path().join("root/tests/a.rs"), linked).unwrap();
        std::fs::write(folder.path().join("root/tests/b.rs"), "").unwrap();
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let root = folder.path().join("root");
        let copy = folder.path().join("copy");
        let harness = harness.map(OsString::from);
        let now = changed(&args, &root, (&root, &copy), harness.as_ref());
        let now: Vec<_> = now.iter().map(|arg| text(arg).into_owned()).collect();
        let copy = copy.display().to_string();
        let expected = expected.map_or(line.to_owned(), |expected| expected.replace("COPY", &copy));
        assert_eq!(now.join(" "), expected);
    }

    #[test]
    fn tests_are_compiled_from_the_copy_under_their_own_names() {
        check(
            "--edition=2024 tests/a.rs --test --extern flex_harness=f.rlib",
            Some("other.rlib:deps"),
            Some(
                "--edition=2024 COPY/tests/a.rs --test --extern flex_harness=f.rlib --remap-path-prefix=COPY= --cap-lints=allow",
            ),
        );
        for line in [
            "--edition=2024 tests/a.rs --extern flex_harness=f.rlib",
            "--edition=2024 tests/a.rs --test --extern other=f.rlib",
            "--edition=2015 tests/a.rs --test --extern flex_harness=f.rlib",
            "tests/a.rs --test --extern flex_harness=f.rlib",
            "--edition=2024 tests/b.rs --test --extern flex_harness=f.rlib",
            "--edition=2024 tests/gone.rs --test --extern flex_harness=f.rlib",
            "-vV",
        ] {
            check(line, None, None);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_without_flex_harness_gets_it_where_it_was_built() {
        check(
            "--edition=2021 tests/b.rs --test --extern other=f.rlib",
            Some("h.rlib:deps"),
            Some(
                "--edition=2021 COPY/tests/b.rs --test --extern other=f.rlib --remap-path-prefix=COPY= --extern flex_harness=h.rlib -Ldependency=deps --cap-lints=allow",
            ),
        );
        // It has one of its own that it is not linked with, is no test, or is not in the copy.
        for line in [
            "--edition=2024 tests/b.rs --test --extern flex_harness=f.rlib",
            "--edition=2021 tests/b.rs --extern other=f.rlib",
            "--edition=2021 tests/gone.rs --test",
        ] {
            check(line, Some("h.rlib:deps"), None);
        }
    }
}
