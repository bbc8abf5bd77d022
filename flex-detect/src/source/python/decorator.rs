//! Options of a decorator that is there already.

use std::ops::Range;

use crate::source::{Edit, NoPlace, lines};

/// The edit that makes the decorator of this name say `option=number`, besides what it says already; `None` if there is
/// no such decorator. Its place is counted from the beginning of the decorators.
pub fn decorator_option(
    decorators: &str,
    name: &str,
    option: &str,
    number: u64,
) -> Option<Result<Edit, NoPlace>> {
    let end = lines(decorators).find_map(|(start, line)| {
        let at = line.trim_start().strip_prefix('@')?;
        let path = &at[..at.find(|c: char| !is_path(c)).unwrap_or(at.len())];
        let is_it = path.rsplit('.').next() == Some(name);
        is_it.then(|| start + line.len() - at.len() + path.len())
    })?;
    let Some(inside) = decorators[end..].strip_prefix('(') else {
        return Some(Ok(Edit::insert(end, format!("({option}={number})"))));
    };
    let open = end + 1;
    let arguments = &inside[..closing(inside)];
    Some(match value(arguments, option) {
        Some(range) if is_number(&arguments[range.clone()]) => Ok(Edit::replace(
            open + range.start..open + range.end,
            number.to_string(),
        )),
        Some(_) => Err(NoPlace::NoNumber(format!(
            "`{option}` is no number there: make it {number}"
        ))),
        None => {
            let comma = match arguments {
                all if all.trim().is_empty() => "",
                spaced if spaced.starts_with(char::is_whitespace) => ",",
                _ => ", ",
            };
            Ok(Edit::insert(open, format!("{option}={number}{comma}")))
        }
    })
}

fn is_path(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Where the bracket closes that is open at the beginning; the end if it does not.
fn closing(text: &str) -> usize {
    let mut depth = 0;
    let mut closes = |c: char| {
        depth += match c {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        };
        depth < 0
    };
    text.find(&mut closes).unwrap_or(text.len())
}

/// The value of `option=value`, without blanks around it.
fn value(arguments: &str, option: &str) -> Option<Range<usize>> {
    let (at, _) = arguments.match_indices(option).find(|(at, _)| {
        let before = arguments[..*at].chars().next_back();
        let after = arguments[at + option.len()..].trim_start();
        !before.is_some_and(is_path) && after.starts_with('=')
    })?;
    let equals = at + arguments[at..].find('=')?;
    let rest = &arguments[equals + 1..];
    let start = rest.len() - rest.trim_start().len();
    let end = rest.find([',', '\n', '#']).unwrap_or(rest.len());
    let end = start.max(rest[..end].trim_end().len());
    Some(equals + 1 + start..equals + 1 + end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::apply;

    fn check(decorators: &str, expected: &str) {
        let edit = decorator_option(decorators, "stochastic", "attempts", 4);
        let edit = edit.expect("the decorator is there").unwrap();
        assert_eq!(apply(decorators, &[edit]).unwrap(), expected);
    }

    #[test]
    fn an_option_joins_those_that_are_there() {
        check("@stochastic\n", "@stochastic(attempts=4)\n");
        check(
            "@slow(3)\n    @pytest.mark.stochastic  # random\r\n",
            "@slow(3)\n    @pytest.mark.stochastic(attempts=4)  # random\r\n",
        );
        check("@stochastic()\n", "@stochastic(attempts=4)\n");
        check("@stochastic(runs=9)\n", "@stochastic(attempts=4, runs=9)\n");
        check(
            "@stochastic(\n    runs=9,\n)\n",
            "@stochastic(attempts=4,\n    runs=9,\n)\n",
        );
        check(
            "@stochastic(runs=9, attempts = 12)\n@other(attempts=3)\n",
            "@stochastic(runs=9, attempts = 4)\n@other(attempts=3)\n",
        );
        check(
            "@stochastic(\n    attempts=2  # guessed\n)\n",
            "@stochastic(\n    attempts=4  # guessed\n)\n",
        );
        check(
            "@stochastic(runs=9)\n@other(attempts=3)\n",
            "@stochastic(attempts=4, runs=9)\n@other(attempts=3)\n",
        );
    }

    #[test]
    fn other_decorators_are_others() {
        for text in ["", "@slow\n", "@not_stochastic(3)\n", "# @stochastic\n"] {
            let edit = decorator_option(text, "stochastic", "attempts", 4);
            assert_eq!(edit, None, "{text}");
        }
        let named = decorator_option("@stochastic(attempts=MANY)\n", "stochastic", "attempts", 4);
        let why = named.expect("the decorator is there").unwrap_err();
        assert!(why.to_string().contains("make it 4"));
    }
}
