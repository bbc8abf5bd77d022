//! The order of cases for people: `n=2` comes before `n=10`.

use flex_core::sorted::sort;

/// Sorts by cases: as numbers if all are, and else by the words and the numbers in them.
pub fn sort_by_case<T>(items: &mut [T], case: impl Fn(&T) -> String) {
    let number = |item: &T| case(item).parse::<f64>().ok();
    match items.iter().all(|item| number(item).is_some()) {
        true => sort(items, |a, b| number(a) < number(b)),
        false => sort(items, |a, b| is_before(&case(a), &case(b))),
    }
}

fn is_before(mut a: &str, mut b: &str) -> bool {
    loop {
        let (first, second) = match (next(&mut a), next(&mut b)) {
            (Some(first), Some(second)) => (first, second),
            (first, second) => return first.is_none() && second.is_some(),
        };
        match (first.parse::<f64>(), second.parse::<f64>()) {
            (Ok(x), Ok(y)) if x != y => return x < y,
            // `01` and `1`.
            _ if first != second => return first < second,
            _ => {}
        }
    }
}

/// Takes a number or the words before one off the front.
fn next<'a>(text: &mut &'a str) -> Option<&'a str> {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let length = match text.chars().next()? {
        first if is_digit(first) => {
            let whole = text.find(|c| !is_digit(c)).unwrap_or(text.len());
            let digits = |rest: &str| rest.find(|c| !is_digit(c)).unwrap_or(rest.len());
            match text[whole..].strip_prefix('.').map(digits) {
                Some(places) if places > 0 => whole + 1 + places,
                _ => whole,
            }
        }
        _ => text.find(is_digit).unwrap_or(text.len()),
    };
    let (token, rest) = text.split_at(length);
    *text = rest;
    Some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_cases_are_numbers() {
        let check = |sorted: &[&str]| {
            let mut cases: Vec<&str> = sorted.iter().rev().copied().collect();
            sort_by_case(&mut cases, |case| (*case).to_owned());
            assert_eq!(cases, sorted);
        };
        check(&["-10", "-2", "0.05", "0.1", "2", "10", "1e3"]);
        check(&[
            "n=1 k=2",
            "n=1 k=10",
            "n=2 k=0",
            "n=10 k=0",
            "n=10 k=0.5",
            "n=10 k=5",
        ]);
        check(&["", "1.", "1.a", "1.5", "a", "a01", "a1", "ab", "b0", "ä"]);
    }
}
