//! The command that makes a shard, as it was given, for whoever must make another one or the same again.

use flex_core::words::quoted;
use flex_shard::Shard;

use crate::called;

/// The command line of this process, with the shard and the base seed in it.
pub fn command(shard: Shard, base: &str) -> String {
    let args: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    // Cargo puts its own name for the program first.
    let own = args.strip_prefix(&["flex".to_owned()]).unwrap_or(&args);
    worded(called::name(), own, shard, base)
}

fn worded(program: &str, args: &[String], shard: Shard, base: &str) -> String {
    let mut words = vec![program.to_owned()];
    let mut has_seed = false;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let (name, value) = match arg.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (arg.as_str(), None),
        };
        match name {
            "--shard" => {
                if value.is_none() {
                    args.next();
                }
                words.extend(["--shard".to_owned(), shard.to_string()]);
            }
            _ => {
                let is_short = arg.starts_with("-s") && !arg.starts_with("--");
                has_seed |= name == "--seed" || is_short;
                words.push(quoted(arg));
            }
        }
    }
    if !has_seed {
        words.extend(["--seed".to_owned(), quoted(base)]);
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shard_and_the_seed_are_named() {
        let check = |line: &str, expected: &str| {
            let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let shard = "3/16".parse().unwrap();
            assert_eq!(worded("cargo flex", &args, shard, "b c"), expected);
        };
        check(
            "calibrate -p a --shard auto --out d",
            "cargo flex calibrate -p a --shard 3/16 --out d --seed 'b c'",
        );
        check(
            "calibrate --shard=1/2 --seed x --out d",
            "cargo flex calibrate --shard 3/16 --seed x --out d",
        );
        check(
            "gate check -s x --shard 1/2 --out d",
            "cargo flex gate check -s x --shard 3/16 --out d",
        );
    }
}
