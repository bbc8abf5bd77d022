//! The folder that flex has for a workspace: its record, its trace, its last comparison and its report.

use std::path::{Path, PathBuf};

use flex_core::seed::sha256;

/// The folder for what concerns one workspace, in the target folder. Workspaces can share a target folder: one that has
/// its target folder elsewhere than below its own root has a folder with its name there.
pub fn flex_folder(target: &Path, root: &Path) -> PathBuf {
    let flex = target.join("flex");
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (target, root) = (real(target), real(root));
    if target.parent() == Some(&*root) {
        return flex;
    }
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let [a, b, c, d, ..] = sha256(root.as_os_str().as_encoded_bytes());
    flex.join(format!("{name}-{a:02x}{b:02x}{c:02x}{d:02x}"))
}

/// The target folder in which a program lies, by what cargo leaves there. A folder that it found, such as a volume of a
/// container, has no tag: only where it makes one itself does it leave that.
pub fn target_folder_of(exe: &Path) -> Option<&Path> {
    let is_target = |folder: &&Path| {
        folder.join("CACHEDIR.TAG").exists() || folder.join(".rustc_info.json").exists()
    };
    exe.ancestors().skip(1).find(is_target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_folder_that_cargo_found_is_known_for_one_too() {
        let target = tempfile::tempdir().unwrap();
        let inner = target.path().join("inner");
        let exe = inner.join("debug/deps/it-0123");
        std::fs::create_dir_all(exe.parent().unwrap()).unwrap();
        std::fs::write(target.path().join("CACHEDIR.TAG"), "").unwrap();
        assert_eq!(target_folder_of(&exe), Some(target.path()));
        std::fs::write(inner.join(".rustc_info.json"), "{}").unwrap();
        assert_eq!(target_folder_of(&exe), Some(&*inner));
    }

    #[test]
    fn workspaces_that_share_a_target_folder_have_folders_of_their_own() {
        let of = |target: &str, root: &str| flex_folder(Path::new(target), Path::new(root));
        assert_eq!(of("/a/target", "/a"), Path::new("/a/target/flex"));
        let shared: Vec<PathBuf> = ["/a/b", "/c/b", "/a/target/e"]
            .map(|root| of("/a/target", root))
            .to_vec();
        for (folder, name) in shared.iter().zip(["b-", "b-", "e-"]) {
            assert_eq!(folder.parent(), Some(Path::new("/a/target/flex")));
            let own = folder.file_name().unwrap().to_string_lossy();
            assert!(own.starts_with(name), "{own}");
        }
        assert!(shared[0] != shared[1]);
    }
}
