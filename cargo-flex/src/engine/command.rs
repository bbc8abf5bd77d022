//! The command that makes a shard, as every worker is told it.

use std::path::{Path, PathBuf};

/// A command for each shard of a round. The shards differ in one word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardCommand {
    /// The program and its arguments, without those that say which shard, and where it goes.
    pub words: Vec<String>,
    /// The folder to run it in.
    pub folder: PathBuf,
    /// Where its files go.
    pub out: PathBuf,
    /// How many shards there are.
    pub total: u32,
}

impl ShardCommand {
    /// All words for the shard with this index, which goes to this folder. People count shards from 1 on.
    pub fn words(&self, shard: u32, out: &Path) -> Vec<String> {
        let mut words = self.words_but_shard(out);
        words.push(format!("{}/{}", shard + 1, self.total));
        words
    }

    /// All words but the last, which is the number of the shard, a slash, and the number of all shards.
    pub fn words_but_shard(&self, out: &Path) -> Vec<String> {
        let mut words = self.words.clone();
        words.push("--out".to_owned());
        words.push(out.to_string_lossy().into_owned());
        words.push("--shard".to_owned());
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_differ_in_one_word() {
        let command = ShardCommand {
            words: vec!["flex".to_owned(), "calibrate".to_owned()],
            folder: "/project".into(),
            out: "/project/out".into(),
            total: 16,
        };
        let words = command.words(2, &command.out).join(" ");
        assert_eq!(words, "flex calibrate --out /project/out --shard 3/16");
    }
}
