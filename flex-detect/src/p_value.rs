//! Values that are p-values: by their name, by the call that gives them, or by the call that a name was assigned from.

use flex_core::sample::Samples;

use crate::record::ObservedSite;

/// Names that say so themselves; so does the word `p`.
const NAMES: [&str; 4] = ["pvalue", "p_value", "pval", "p_val"];

/// Functions of `scipy.stats` whose result has a p-value, and its place there.
const TESTS: [(&str, usize); 36] = [
    ("anderson_ksamp", 2),
    ("ansari", 1),
    ("bartlett", 1),
    ("brunnermunzel", 1),
    ("chi2_contingency", 1),
    ("chisquare", 1),
    ("epps_singleton_2samp", 1),
    ("f_oneway", 1),
    ("fisher_exact", 1),
    ("fligner", 1),
    ("friedmanchisquare", 1),
    ("jarque_bera", 1),
    ("kendalltau", 1),
    ("kruskal", 1),
    ("ks_1samp", 1),
    ("ks_2samp", 1),
    ("kstest", 1),
    ("kurtosistest", 1),
    ("levene", 1),
    ("mannwhitneyu", 1),
    ("median_test", 1),
    ("mood", 1),
    ("normaltest", 1),
    ("pearsonr", 1),
    ("power_divergence", 1),
    ("ranksums", 1),
    ("shapiro", 1),
    ("skewtest", 1),
    ("somersd", 1),
    ("spearmanr", 1),
    ("ttest_1samp", 1),
    ("ttest_ind", 1),
    ("ttest_ind_from_stats", 1),
    ("ttest_rel", 1),
    ("weightedtau", 1),
    ("wilcoxon", 1),
];

/// What the names of functions have that compare two samples.
const OF_TWO: [&str; 5] = ["2samp", "ttest_ind", "ttest_rel", "mannwhitney", "ranksums"];

/// What is known of a p-value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PValue {
    /// Whether it is of two samples, and not of one and a law.
    pub is_of_two: bool,
}

impl PValue {
    /// Recognises the p-value that an assertion is about, if its values can be some.
    pub fn recognised(site: &ObservedSite, samples: &Samples) -> Option<Self> {
        let values = || samples.finite().iter().map(|sample| sample.value);
        if samples.finite().is_empty() || !values().all(|value| (0.0..=1.0).contains(&value)) {
            return None;
        }
        let source = site.within.as_ref().map_or("", |within| &*within.text);
        let assigned = calls(source).find_map(|call| {
            let is_asserted = call.is_asserted_by(&site.text);
            is_asserted.then_some(call.function)
        });
        let called = || calls(&site.text).find(Call::is_p_value);
        let function = assigned.or_else(|| called().map(|call| call.function));
        if function.is_none() && !is_named(&site.text) {
            return None;
        }
        let names = function.unwrap_or(&site.text);
        Some(PValue {
            is_of_two: OF_TWO.iter().any(|part| names.contains(part)),
        })
    }
}

fn is_named(text: &str) -> bool {
    let text = text.to_lowercase();
    NAMES.iter().any(|name| text.contains(name)) || has_word(&text, "p")
}

/// A call of a function that has a p-value in its result.
struct Call<'a> {
    function: &'static str,
    /// The place of the p-value in the result.
    place: usize,
    /// What stands before it in its line.
    before: &'a str,
    /// What stands behind it.
    behind: &'a str,
}

impl Call<'_> {
    /// Whether it is the p-value of the result that is used.
    fn is_p_value(&self) -> bool {
        let behind = self.behind.trim_start();
        behind.starts_with(&format!("[{}]", self.place)) || behind.starts_with(".pvalue")
    }

    /// Whether what it is assigned to is what an assertion is about.
    fn is_asserted_by(&self, text: &str) -> bool {
        let Some((targets, path)) = self.before.rsplit_once('=') else {
            return false;
        };
        let is_path = path.trim().chars().all(|c| is_of_word(c) || c == '.');
        // `==`, `<=` and keyword arguments assign nothing.
        let targets = targets.trim().trim_matches(['(', ')']);
        let is_plain = |c: char| is_of_word(c) || c == ',' || c == '*' || c.is_whitespace();
        if !is_path || targets.is_empty() || !targets.chars().all(is_plain) {
            return false;
        }
        let targets: Vec<&str> = targets.split(',').map(str::trim).collect();
        match targets[..] {
            [one] if self.is_p_value() => has_word(text, one),
            [one] => {
                let parts = [format!("{one}[{}]", self.place), format!("{one}.pvalue")];
                parts.iter().any(|part| text.contains(part))
            }
            _ => targets
                .get(self.place)
                .is_some_and(|name| has_word(text, name)),
        }
    }
}

/// The calls of such functions in a source.
fn calls(source: &str) -> impl Iterator<Item = Call<'_>> {
    TESTS.iter().flat_map(move |(function, place)| {
        source.match_indices(function).filter_map(move |(at, _)| {
            let behind = &source[at + function.len()..];
            let is_whole = !source[..at].ends_with(is_of_word);
            let end = is_whole.then(|| end_of_arguments(behind)).flatten()?;
            let line = source[..at].rfind('\n').map_or(0, |end| end + 1);
            Some(Call {
                function,
                place: *place,
                before: &source[line..at],
                behind: &behind[end..],
            })
        })
    })
}

/// The end of the arguments that a text begins with.
fn end_of_arguments(text: &str) -> Option<usize> {
    if !text.starts_with('(') {
        return None;
    }
    let (mut depth, mut quote) = (0, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

fn has_word(text: &str, word: &str) -> bool {
    let mut words = text.split(|c: char| !is_of_word(c));
    words.any(|found| found == word)
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use flex_run::model::Place;

    use super::*;
    use crate::record::SourceText;

    /// Of an assertion in a function: whether it is about a p-value, and whether of two samples.
    fn check(function: &str, text: &str, expected: Option<bool>) {
        let site = ObservedSite {
            id: "0".into(),
            place: Place::new("a.py", 1),
            span: None,
            text: text.to_owned(),
            form: "assert".to_owned(),
            within: (!function.is_empty()).then(|| SourceText {
                line: 1,
                text: format!("def test():\n    {function}\n    {text}"),
            }),
            is_hard: true,
            failed: Vec::new(),
            series: Vec::new(),
        };
        let found = |values: &[f64]| PValue::recognised(&site, &Samples::from_values(values));
        let of_two = found(&[0.5, 0.01]).map(|p_value| p_value.is_of_two);
        assert_eq!(of_two, expected, "{function}: {text}");
        assert_eq!(found(&[0.5, 1.5]), None, "{text}");
        assert_eq!(found(&[]), None, "{text}");
    }

    #[test]
    fn names_calls_and_assignments_tell_a_p_value() {
        check("", "assert result.pvalue > 0.01", Some(false));
        check("", "assert p > 0.01", Some(false));
        check("", "assert kstest(x, 'norm')[1] > 0.01", Some(false));
        check("", "assert stats.ks_2samp(f(x), y)[1] > 1e-3", Some(true));
        check("", "assert ttest_ind(x, y).pvalue > 1e-3", Some(true));
        check("", "assert anderson_ksamp([x, ')'])[2] > 1e-3", Some(false));
        check("_, q = shapiro(x)", "assert q > 0.01", Some(false));
        check(
            "(d, q) = st.ks_2samp(\n        x, y\n    )",
            "assert q > 0.01",
            Some(true),
        );
        check("q = wilcoxon(x)[1]", "assert 0.01 < q", Some(false));
        check("_, p = mannwhitneyu(x, y)", "assert p > 0.01", Some(true));
        check("r = normaltest(x)", "assert r[1] > 0.01", Some(false));
        check("r = ttest_rel(x, y)", "assert r.pvalue > 0.01", Some(true));
    }

    #[test]
    fn statistics_and_other_names_are_none() {
        check("", "assert share > 0.01", None);
        check("", "assert kstest(x, 'norm')[0] < 0.1", None);
        check("", "assert my_kstest(x)[1] < 0.1", None);
        check("d, q = kstest(x, 'norm')", "assert d < 0.1", None);
        check("r = kstest(x, 'norm')", "assert r[0] < 0.1", None);
        check("q = kstest(x, 'norm')[0]", "assert q < 0.1", None);
        check("assert kstest(x, 'norm')[1] > 0.01", "assert q < 0.1", None);
    }
}
