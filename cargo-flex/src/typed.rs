//! What tests need of the command line: the options of a command, as somebody types them.

use clap::{Args, Command};

/// The options of a line, which begins with the name of a program.
pub fn options_of<T: Args>(line: &str) -> T {
    let command = T::augment_args(Command::new("flex"));
    let matches = command.try_get_matches_from(line.split(' ')).unwrap();
    T::from_arg_matches(&matches).unwrap()
}
