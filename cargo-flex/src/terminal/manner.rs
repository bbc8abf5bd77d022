//! How things are shown: what was asked for, what the environment says, and what is at the other end.

use flex_core::paint::Paint;

/// How things are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Manner {
    /// Nothing is said but answers and what went wrong.
    pub quiet: bool,
    /// How much more than usual is said.
    pub verbose: u8,
    pub paint_out: Paint,
    pub paint_err: Paint,
    pub progress: ShownAs,
    /// Signs beyond ASCII are spelt.
    pub ascii: bool,
}

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShownAs {
    /// As lines that follow each other.
    #[default]
    Lines,
    /// As bars that stay where they are.
    Bars,
    Nothing,
}

impl Manner {
    /// Decides by variables of the environment, and by whether standard output and standard error are terminals.
    ///
    /// Colour: `NO_COLOR` (<https://no-color.org>) before `CLICOLOR_FORCE` and `CLICOLOR`
    /// (<https://bixense.com/clicolors>), before cargo's own variable, before what is at the other end.
    pub fn of(
        env: impl Fn(&str) -> Option<String>,
        [out, err]: [bool; 2],
        quiet: bool,
        verbose: u8,
    ) -> Self {
        let is_set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
        let is_on = |name: &str| is_set(name) && env(name).is_some_and(|value| value != "0");
        let says = |name: &str, word: &str| env(name).is_some_and(|value| value == word);
        let is_dumb = says("TERM", "dumb");
        let painted = |is_terminal: bool| {
            Paint::when(if is_set("NO_COLOR") {
                false
            } else if is_on("CLICOLOR_FORCE") {
                true
            } else if says("CLICOLOR", "0") || says("CARGO_TERM_COLOR", "never") {
                false
            } else {
                says("CARGO_TERM_COLOR", "always") || (is_terminal && !is_dumb)
            })
        };
        // A service for CI may have a terminal, and nobody who looks at it.
        let is_ci = is_on("CI") && !says("CI", "false");
        // Without any locale, a container shows what it gets; one that is stated is meant.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"];
        let locale = locale.into_iter().find(|name| is_set(name)).and_then(&env);
        let is_utf8 = |locale: &str| {
            let locale = locale.to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        };
        Manner {
            quiet,
            verbose,
            paint_out: painted(out),
            paint_err: painted(err),
            progress: match () {
                () if quiet => ShownAs::Nothing,
                () if err && !is_ci && !is_dumb && verbose == 0 => ShownAs::Bars,
                () => ShownAs::Lines,
            },
            ascii: locale.is_some_and(|locale| !is_utf8(&locale)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manner(env: &[(&str, &str)], ends: [bool; 2]) -> Manner {
        let env = |name: &str| {
            let (_, value) = env.iter().find(|(known, _)| *known == name)?;
            Some((*value).to_owned())
        };
        Manner::of(env, ends, false, 0)
    }

    #[test]
    fn colour_follows_what_is_asked_for_then_what_is_there() {
        let check = |env: &[(&str, &str)], ends, expected: [bool; 2]| {
            let manner = manner(env, ends);
            let painted = [manner.paint_out, manner.paint_err].map(|p| p == Paint::Coloured);
            assert_eq!(painted, expected, "{env:?}");
        };
        check(&[], [true, true], [true, true]);
        check(&[], [false, true], [false, true]);
        check(&[("NO_COLOR", "1")], [true, true], [false, false]);
        check(&[("NO_COLOR", "")], [true, true], [true, true]);
        check(&[("CLICOLOR_FORCE", "1")], [false, false], [true, true]);
        check(&[("CLICOLOR_FORCE", "0")], [false, false], [false, false]);
        let both = [("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")];
        check(&both, [true, true], [false, false]);
        check(&[("CLICOLOR", "0")], [true, true], [false, false]);
        check(&[("TERM", "dumb")], [true, true], [false, false]);
        let forced = [("TERM", "dumb"), ("CLICOLOR_FORCE", "1")];
        check(&forced, [true, true], [true, true]);
        check(
            &[("CARGO_TERM_COLOR", "always")],
            [false, false],
            [true, true],
        );
        check(
            &[("CARGO_TERM_COLOR", "never")],
            [true, true],
            [false, false],
        );
    }

    #[test]
    fn bars_are_for_those_who_look_at_a_terminal() {
        let shown = |env: &[(&str, &str)], ends| manner(env, ends).progress;
        assert_eq!(shown(&[], [false, true]), ShownAs::Bars);
        assert_eq!(shown(&[], [true, false]), ShownAs::Lines);
        assert_eq!(shown(&[("CI", "true")], [true, true]), ShownAs::Lines);
        assert_eq!(shown(&[("CI", "false")], [true, true]), ShownAs::Bars);
        assert_eq!(shown(&[("TERM", "dumb")], [true, true]), ShownAs::Lines);
        let none = |_: &str| None;
        let quiet = Manner::of(none, [true, true], true, 0);
        assert_eq!(quiet.progress, ShownAs::Nothing);
        let verbose = Manner::of(none, [true, true], false, 1);
        assert_eq!(verbose.progress, ShownAs::Lines);
    }

    #[test]
    fn a_locale_without_unicode_has_ascii() {
        let check = |env: &[(&str, &str)], expected| {
            assert_eq!(manner(env, [true, true]).ascii, expected, "{env:?}");
        };
        check(&[], false);
        check(&[("LANG", "C.UTF-8")], false);
        check(&[("LANG", "en_US.utf8")], false);
        check(&[("LANG", "C")], true);
        check(&[("LANG", "en_US.UTF-8"), ("LC_ALL", "POSIX")], true);
        check(&[("LANG", "C"), ("LC_ALL", "")], true);
        check(&[("LANG", "C"), ("LC_CTYPE", "de_DE.UTF-8")], false);
    }
}
