//! Runs of `detect`, `compare` and `gate check` that are made in many places and put together: what is found is what one
//! machine finds. All seeds are fixed.

mod compare;
mod detect;
mod gate;

use std::fs;
use std::path::PathBuf;

use flex_tests::project::Project;
use serde_json::Value;

/// A package whose plain tests follow the seed, too.
const CONTROLLED: &str = "
[features]
default = [\"controlled\"]
controlled = [\"flex-harness/entropy\"]
";

/// The words that make a further round, which the plan among the shards asks for, in one place.
const FURTHER: [&str; 6] = [
    "--shard",
    "1/1",
    "--out",
    "parts",
    "--plan",
    "parts/plan.json",
];

/// What is said where the third shard of three is missing.
const WITHOUT_THE_THIRD: [&str; 3] = [
    "missing: shard 3/3; to make it:",
    "--shard 3/3 --out parts --seed s",
    "nothing was written but parts/plan.json",
];

/// The file of a shard, such as `2-of-4`.
pub(crate) fn file_of(project: &Project, folder: &str, shard: &str) -> PathBuf {
    let files = fs::read_dir(project.path(folder)).expect("shards were made");
    let mut paths = files.filter_map(|file| Some(file.ok()?.path()));
    let is_it = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.contains(&format!("-{shard}-")) && path.extension().is_some_and(|end| end == "shard")
    };
    paths.find(is_it).expect("the shard was made")
}

/// The same without what differs each time: how long it took.
fn without_times(mut value: Value) -> Value {
    fn forget(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| !name.contains("seconds"));
                fields.values_mut().for_each(forget);
            }
            Value::Array(all) => all.iter_mut().for_each(forget),
            _ => {}
        }
    }
    forget(&mut value);
    value
}
