//! What is handed to `sbatch`: arrays of tasks, and the script that each task runs.

use std::collections::BTreeMap;

use flex_bounds::config::EngineConfig;
use flex_core::words::quoted;

use crate::engine::command::ShardCommand;
use crate::engine::handout::Attempt;
use crate::engine::scheduler::Order;

/// Slurm's own default allows indices up to 1000 in an array.
const MOST_TASKS: u32 = 1000;

/// Attempts that can be one array.
#[derive(Debug, PartialEq, Eq)]
pub struct Batch {
    pub attempts: Vec<Attempt>,
    pub avoid: Vec<String>,
    /// What is added to the index of a task to have the index of its shard.
    pub offset: u32,
}

impl Batch {
    /// The indices of the tasks, at most so many of them at a time: `0-3,7%2`.
    pub fn indices(&self, at_a_time: Option<usize>) -> String {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        let mut indices: Vec<u32> = self
            .attempts
            .iter()
            .map(|a| a.shard - self.offset)
            .collect();
        indices.sort_unstable();
        for index in indices {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == index => *last = index,
                _ => ranges.push((index, index)),
            }
        }
        let range = |&(first, last): &(u32, u32)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        let ranges: Vec<String> = ranges.iter().map(range).collect();
        let limit = at_a_time.map_or(String::new(), |most| format!("%{most}"));
        ranges.join(",") + &limit
    }
}

/// Orders as arrays: those that avoid the same hosts, and whose indices an array can have.
pub fn batches(orders: &[Order]) -> Vec<Batch> {
    let mut batches: BTreeMap<(&[String], u32), Vec<Attempt>> = BTreeMap::new();
    for order in orders {
        let offset = order.attempt.shard / MOST_TASKS * MOST_TASKS;
        let key = (&order.avoid[..], offset);
        batches.entry(key).or_default().push(order.attempt);
    }
    let batch = |((avoid, offset), attempts): ((&[String], u32), Vec<Attempt>)| Batch {
        attempts,
        avoid: avoid.to_vec(),
        offset,
    };
    batches.into_iter().map(batch).collect()
}

/// The script of every task.
pub fn script(command: &ShardCommand, offset: u32) -> String {
    let words = command.words_but_shard(&command.out);
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let folder = quoted(&command.folder.to_string_lossy());
    let (words, first, total) = (words.join(" "), offset + 1, command.total);
    format!(
        "#!/bin/sh\n# A shard of a calibration by flex; the index of the task says which.\ncd {folder} || exit 3\n\
         exec {words} \"$((SLURM_ARRAY_TASK_ID + {first}))/{total}\"\n"
    )
}

/// The options for what flex.toml says of jobs. What it does not say, sbatch knows from the variables SBATCH_*.
pub fn options(config: &EngineConfig) -> Vec<String> {
    let said = [
        ("partition", &config.partition),
        ("account", &config.account),
        ("time", &config.time),
        ("mem", &config.memory),
    ];
    let option = |(name, value): (&str, &Option<String>)| {
        let value = value.as_ref()?;
        Some(format!("--{name}={value}"))
    };
    said.into_iter().filter_map(option).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(shard: u32, avoid: &[&str]) -> Order {
        Order {
            attempt: Attempt { shard, nth: 0 },
            avoid: avoid.iter().map(|host| (*host).to_owned()).collect(),
        }
    }

    fn indices(shards: &[u32], at_a_time: Option<usize>) -> Vec<String> {
        let orders: Vec<Order> = shards.iter().map(|shard| order(*shard, &[])).collect();
        let batches = batches(&orders);
        batches
            .iter()
            .map(|batch| format!("{}: {}", batch.offset, batch.indices(at_a_time)))
            .collect()
    }

    #[test]
    fn shards_are_tasks_of_an_array() {
        assert_eq!(indices(&[0, 1, 2, 3], None), ["0: 0-3"]);
        assert_eq!(indices(&[7, 0, 2, 1], Some(2)), ["0: 0-2,7%2"]);
        let all: Vec<u32> = (0..2001).collect();
        let expected = ["0: 0-999", "1000: 0-999", "2000: 0"];
        assert_eq!(indices(&all, None), expected);
    }

    #[test]
    fn those_that_avoid_hosts_are_an_array_of_their_own() {
        let orders = [order(0, &[]), order(1, &["a"]), order(2, &[])];
        let batches = batches(&orders);
        let words: Vec<(String, usize)> = batches
            .iter()
            .map(|batch| (batch.indices(None), batch.avoid.len()))
            .collect();
        assert_eq!(words, [("0,2".to_owned(), 0), ("1".to_owned(), 1)]);
    }

    #[test]
    fn a_task_makes_the_shard_of_its_index() {
        let folder = tempfile::tempdir().unwrap();
        let command = ShardCommand {
            words: vec!["printf".to_owned(), "%s|".to_owned(), "it's".to_owned()],
            folder: folder.path().to_owned(),
            out: "out here".into(),
            total: 2000,
        };
        let output = std::process::Command::new("sh")
            .args(["-c", &script(&command, 1000)])
            .env("SLURM_ARRAY_TASK_ID", "7")
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(printed, "it's|--out|out here|--shard|1008/2000|");
    }
}
