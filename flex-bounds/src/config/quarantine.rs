//! `quarantine = { until = "2026-12-31", issue = "#12" }`: a test that runs and cannot fail, for a while.

use crate::file::error::Parsed;
use crate::file::field::{Field, NO_ADVICE, fields};
use crate::file::is_date;
use crate::keys::{self, names};

/// Until when a test cannot fail, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantine {
    /// The last day, as `YYYY-MM-DD`.
    pub until: String,
    /// Where it is being looked at.
    pub issue: Option<String>,
}

impl Quarantine {
    /// Whether it still holds on a day, as `YYYY-MM-DD`.
    pub fn holds_on(&self, day: &str) -> bool {
        day <= self.until.as_str()
    }

    /// Its end and its issue for people: `2026-12-31 (#12)`.
    pub fn end(&self) -> String {
        match &self.issue {
            Some(issue) => format!("{} ({issue})", self.until),
            None => self.until.clone(),
        }
    }
}

pub(super) fn quarantine(field: &Field<'_>) -> Parsed<Quarantine> {
    let (mut until, mut issue) = (None, None);
    for part in fields(field.table()?, NO_ADVICE) {
        match part.key {
            "until" => {
                let day = part.string()?;
                if !is_date(&day) {
                    return Err(part.wrong(format!(
                        "`until` is \"{day}\", which is not a date like \"2026-12-31\""
                    )));
                }
                until = Some(day);
            }
            "issue" => issue = Some(part.string()?),
            _ => return Err(part.unknown(&names(keys::QUARANTINE))),
        }
    }
    let until = until.ok_or_else(|| {
        field.wrong("a quarantine has an end: write `quarantine = { until = \"2026-12-31\" }`")
    })?;
    Ok(Quarantine { until, issue })
}

#[cfg(test)]
mod tests {
    use crate::TestId;
    use crate::config::Config;

    #[test]
    fn a_quarantine_has_an_end() {
        let text =
            "[[test]]\npath = 'slow_*'\nquarantine = { until = '2026-12-31', issue = '#12' }\n";
        let config: Config = text.parse().unwrap();
        assert_eq!(config.quarantine(&TestId::cargo("lib", "other")), None);
        let quarantine = config
            .quarantine(&TestId::cargo("lib", "slow_one"))
            .unwrap();
        assert_eq!(quarantine.end(), "2026-12-31 (#12)");
        assert!(quarantine.holds_on("2026-12-31") && !quarantine.holds_on("2027-01-01"));
    }

    #[test]
    fn mistakes_name_their_line() {
        for (value, expected) in [
            ("{ issue = '#12' }", "a quarantine has an end"),
            ("{ until = '2026-02-30' }", "not a date"),
            ("{ until = 'soon' }", "not a date"),
            ("{ untli = '2026-12-31' }", "did you mean `until`?"),
            ("true", "a table"),
        ] {
            let text = format!("[[test]]\npath = 'a'\nquarantine = {value}\n");
            let error = text.parse::<Config>().unwrap_err();
            assert_eq!(error.line, 3, "{error}");
            assert!(error.message.contains(expected), "{error}");
        }
    }
}
