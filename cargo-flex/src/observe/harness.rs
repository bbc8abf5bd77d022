//! flex-harness for test programs that do not depend on it: cargo builds it beside them, with the compiler and the flags that
//! it has there, and the wrapper hands it to the compiler of the copy.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::Message;
use serde_json::json;

use crate::cargo::CargoArgs;

/// Where probes can be: elsewhere a program would define functions of libc for nothing, or in the place of a sanitizer, which
/// does not work without its own.
const PROBED: &str = "cfg(all(target_os = \"linux\", target_env = \"gnu\", not(target_feature = \"crt-static\"), \
     any(all(target_arch = \"x86_64\", target_pointer_width = \"64\"), target_arch = \"aarch64\"), \
     not(any(sanitize = \"address\", sanitize = \"hwaddress\", sanitize = \"leak\", sanitize = \"memory\", sanitize = \"thread\"))))";

/// A build of flex-harness.
pub struct Harness {
    /// The library.
    library: PathBuf,
    /// The folders that hold what it depends on.
    folders: Vec<PathBuf>,
}

impl Harness {
    /// Builds it in the target folder of a workspace, with probes where they can be if they are asked for; `None` if that
    /// cannot be done, such as where the registry does not have it. `folder` holds its manifest.
    pub fn build(
        args: &CargoArgs,
        (root, target): (&Path, &Path),
        folder: &Path,
        with_probes: bool,
    ) -> Option<Self> {
        write_package(root, folder, with_probes).ok()?;
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            // What configures cargo there counts here, too.
            .current_dir(root)
            .args(["build", "--quiet", "--message-format=json"])
            .arg("--manifest-path")
            .arg(folder.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(target)
            .args(args.words_of_dependencies())
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()
            .filter(|output| output.status.success())?;
        let messages = Message::parse_stream(output.stdout.as_slice()).filter_map(Result::ok);
        let artifacts = messages.filter_map(|message| match message {
            Message::CompilerArtifact(artifact) => Some(artifact),
            _ => None,
        });
        let (mut library, mut folders) = (None, Vec::new());
        for artifact in artifacts {
            for file in &artifact.filenames {
                let folder = file.parent()?.as_std_path().to_owned();
                if !folders.contains(&folder) {
                    folders.push(folder);
                }
                if artifact.target.name == "flex_harness" && file.extension() == Some("rlib") {
                    library = Some(file.as_std_path().to_owned());
                }
            }
        }
        Some(Harness {
            library: library?,
            folders,
        })
    }

    /// The library.
    pub fn library(&self) -> &Path {
        &self.library
    }

    /// The same as the text of a variable, which [`arguments`] reads; `None` if a path cannot be in one.
    pub fn to_variable(&self) -> Option<OsString> {
        let folders = self.folders.iter().map(PathBuf::as_path);
        std::env::join_paths([self.library()].into_iter().chain(folders)).ok()
    }
}

/// What links a program with the build of flex-harness that a variable tells of.
pub fn arguments(variable: &OsString) -> Vec<OsString> {
    let mut paths = std::env::split_paths(variable);
    let mut arguments = Vec::new();
    if let Some(library) = paths.next() {
        arguments.extend(["--extern".into(), prefixed("flex_harness=", &library)]);
        arguments.extend(paths.map(|folder| prefixed("-Ldependency=", &folder)));
    }
    arguments
}

fn prefixed(prefix: &str, path: &Path) -> OsString {
    let mut text = OsString::from(prefix);
    text.push(path);
    text
}

/// A package that depends on flex-harness, by the versions that the workspace has where that needs any of its own.
fn write_package(root: &Path, folder: &Path, with_probes: bool) -> io::Result<()> {
    fs::create_dir_all(folder.join("src"))?;
    let source = source();
    let mut manifest = format!(
        "[package]\nname = \"flex-observed\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nflex-harness = {{ {source} }}\n"
    );
    if with_probes {
        manifest += &format!(
            "\n[target.'{PROBED}'.dependencies]\nflex-harness = {{ {source}, features = [\"probes\"] }}\n"
        );
    }
    let is_new = |path: &Path, text: &str| !fs::read_to_string(path).is_ok_and(|old| old == text);
    for (file, text) in [("Cargo.toml", manifest.as_str()), ("src/lib.rs", "")] {
        let path = folder.join(file);
        if is_new(&path, text) {
            fs::write(path, text)?;
        }
    }
    let lock = folder.join("Cargo.lock");
    if !lock.exists() && root.join("Cargo.lock").exists() {
        fs::copy(root.join("Cargo.lock"), lock)?;
    }
    Ok(())
}

/// Where cargo finds the flex-harness that belongs to this program: beside its own sources, if it was built from a checkout
/// that is still there, and in the registry otherwise.
fn source() -> String {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("flex-harness");
    match is_ours(&beside.join("Cargo.toml")) {
        // A JSON string is a TOML string too.
        true => format!("path = {}", json!(beside.to_string_lossy())),
        false => concat!("version = \"=", env!("CARGO_PKG_VERSION"), "\"").to_owned(),
    }
}

/// Whether a file is there that nobody else can have put there.
#[cfg(unix)]
fn is_ours(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let me = rustix::process::geteuid().as_raw();
    fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.uid() == me)
}

#[cfg(not(unix))]
fn is_ours(file: &Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_variable_says_links_a_program() {
        let harness = Harness {
            library: "/t/deps/libflex_harness-1.rlib".into(),
            folders: vec!["/t/deps".into(), "/t/host/deps".into()],
        };
        assert_eq!(
            arguments(&harness.to_variable().unwrap()),
            [
                "--extern",
                "flex_harness=/t/deps/libflex_harness-1.rlib",
                "-Ldependency=/t/deps",
                "-Ldependency=/t/host/deps"
            ]
        );
    }
}
