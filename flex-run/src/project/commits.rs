//! Which commit a working tree was at, and since when, as git logs it.

use std::path::{Path, PathBuf};

use crate::text_file;

/// Since when which commit was checked out where this folder is, the newest first: seconds since 1970, and the commit. Of a
/// fresh clone nothing else is known than what it began with.
#[inline]
pub fn checked_out(folder: &Path) -> Vec<(u64, String)> {
    let folder = std::path::absolute(folder).unwrap_or_default();
    let log = folder.ancestors().find_map(git_folder);
    let text = log.and_then(|git| text_file::read_text(&git.join("logs/HEAD")).ok()?);
    let text = text.unwrap_or_default();
    text.lines().rev().filter_map(entry).collect()
}

#[inline]
fn git_folder(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    // In a worktree beside another it is a file that names the folder.
    let text = text_file::read_text(&git).ok()??;
    let named = text.lines().next()?.strip_prefix("gitdir: ")?;
    Some(folder.join(named))
}

/// A line is the commit before, the commit after, who did it, seconds since 1970 and the time zone; then a tab and why.
#[inline]
fn entry(line: &str) -> Option<(u64, String)> {
    let (what, _) = line.split_once('\t').unwrap_or((line, ""));
    let at = what.rsplit(' ').nth(1)?.parse().ok()?;
    let commit = what.split(' ').nth(1)?;
    let is_commit = commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_commit.then(|| (at, commit.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_log_of_a_repository_and_of_a_worktree_is_read_from_any_folder() {
        let root = tempfile::tempdir().unwrap();
        let git = root.path().join("a/.git");
        let log = "0000 11aa A B <a@b> 1700000000 +0100\tcommit (initial): a 5 6\n\
                   11aa 22bb A B <a@b> 1700000100 -0530\tcheckout: moving\nnot a line\n";
        let expected = vec![
            (1_700_000_100, "22bb".to_owned()),
            (1_700_000_000, "11aa".to_owned()),
        ];
        for of in [git.clone(), git.join("worktrees/w")] {
            fs::create_dir_all(of.join("logs")).unwrap();
            fs::write(of.join("logs/HEAD"), log).unwrap();
        }
        let (within, beside) = (root.path().join("a/src/b"), root.path().join("w"));
        fs::create_dir_all(&within).unwrap();
        fs::create_dir_all(&beside).unwrap();
        fs::write(beside.join(".git"), "gitdir: ../a/.git/worktrees/w\n").unwrap();
        assert_eq!(checked_out(&within), expected);
        assert_eq!(checked_out(&beside), expected);
        fs::remove_file(beside.join(".git")).unwrap();
        fs::create_dir(beside.join(".git")).unwrap();
        assert_eq!(checked_out(&beside), []);
    }
}
