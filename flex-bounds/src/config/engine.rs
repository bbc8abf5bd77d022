//! `[engine]`: who makes the runs of a calibration.

use std::str::FromStr;

use crate::file::error::Parsed;
use crate::file::field::{Field, NO_ADVICE, fields};
use crate::keys::{self, names};

/// Who makes the runs of a calibration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Nobody but the command itself.
    None,
    /// Workers on the same machine.
    Local,
    /// Tasks of Slurm.
    Slurm,
    /// Tasks of a Dask cluster.
    Dask,
    /// Tasks of a Ray cluster.
    Ray,
}

impl Engine {
    /// All of them.
    pub const ALL: [Engine; 5] = [
        Engine::Slurm,
        Engine::Dask,
        Engine::Ray,
        Engine::Local,
        Engine::None,
    ];

    /// Its name, as people write it.
    pub fn name(self) -> &'static str {
        match self {
            Engine::None => "none",
            Engine::Local => "local",
            Engine::Slurm => "slurm",
            Engine::Dask => "dask",
            Engine::Ray => "ray",
        }
    }
}

impl FromStr for Engine {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let named = Engine::ALL.into_iter().find(|e| e.name() == word);
        named.ok_or_else(|| {
            let all: Vec<&str> = Engine::ALL.iter().map(|engine| engine.name()).collect();
            let all = all.join("\", \"");
            format!("an engine is one of \"{all}\", not \"{word}\"")
        })
    }
}

/// What a project says of its engine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EngineConfig {
    /// Which one.
    pub name: Option<Engine>,
    /// Into how many shards the runs are cut.
    pub shards: Option<u32>,
    /// Where the scheduler of Dask or Ray is.
    pub address: Option<String>,
    /// What Slurm is told of the jobs.
    pub partition: Option<String>,
    /// Who pays for them.
    pub account: Option<String>,
    /// How long a task may take.
    pub time: Option<String>,
    /// How much memory it may use.
    pub memory: Option<String>,
}

pub(super) fn engine(field: &Field<'_>) -> Parsed<EngineConfig> {
    let mut engine = EngineConfig::default();
    for part in fields(field.table()?, NO_ADVICE) {
        let slot = match part.key {
            "name" => {
                engine.name = Some(part.word()?);
                continue;
            }
            "shards" => {
                let shards = part.count()?;
                if shards == 0 {
                    return Err(part.wrong("`shards` is 0; at least one makes the runs"));
                }
                engine.shards = Some(shards);
                continue;
            }
            "address" => &mut engine.address,
            "partition" => &mut engine.partition,
            "account" => &mut engine.account,
            "time" => &mut engine.time,
            "memory" => &mut engine.memory,
            _ => return Err(part.unknown(&names(keys::ENGINE))),
        };
        *slot = Some(word(&part)?);
    }
    Ok(engine)
}

/// A word that becomes the value of an option of another program.
fn word(field: &Field<'_>) -> Parsed<String> {
    let word = field.string()?;
    let is_odd = |letter: char| letter.is_whitespace() || letter.is_control();
    match word.is_empty() || word.contains(is_odd) {
        true => Err(field.wrong(format!("`{}` is one word, without spaces", field.key))),
        false => Ok(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn a_project_says_who_makes_its_runs() {
        let text = "[engine]\nname = 'slurm'\nshards = 16\npartition = 'short'\ntime = '1:00:00'\n";
        let engine = text.parse::<Config>().unwrap().engine;
        assert_eq!(
            (engine.name, engine.shards),
            (Some(Engine::Slurm), Some(16))
        );
        assert_eq!(engine.partition.as_deref(), Some("short"));
        assert_eq!(
            (engine.time.as_deref(), engine.memory),
            (Some("1:00:00"), None)
        );
        let none = "effort = 0.1".parse::<Config>().unwrap().engine;
        assert_eq!(none, EngineConfig::default());
    }

    #[test]
    fn mistakes_name_their_line() {
        for (line, expected) in [
            ("name = 'slrum'", "one of \"slurm\", \"dask\""),
            ("nam = 'slurm'", "did you mean `name`?"),
            ("shards = 0", "at least one"),
            ("shards = -1", "a whole number"),
            ("partition = 'a b'", "one word"),
            ("memory = ''", "one word"),
            ("address = 3", "must be a string"),
        ] {
            let error = format!("[engine]\n{line}\n").parse::<Config>().unwrap_err();
            assert_eq!(error.line, 2, "{error}");
            assert!(error.message.contains(expected), "{error}");
        }
        let error = "[[engine]]\nname = 'ray'".parse::<Config>().unwrap_err();
        assert!(error.message.contains("a table"), "{error}");
    }
}
