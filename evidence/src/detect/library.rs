//! scikit-learn's own tests, once the seeds that they state vary.

use std::fmt::Write;

use serde_json::Value;
use xtask::process::capture;
use xtask::python::Python;

use crate::page::{Bar, Section};
use crate::program::{fresh_folder, in_environment, json, list, prepare, text};

/// Runs of a test at most: enough for what fails often, and as many as minutes allow.
const MOST: &str = "40";

/// The modules, and which of their tests. One module has tests of minutes, most of which are about other things.
const MODULES: [(&str, Option<&str>); 3] = [
    (
        "tests/test_kernel_approximation.py",
        Some("polynomial_count_sketch"),
    ),
    ("neural_network/tests/test_rbm.py", None),
    ("covariance/tests/test_robust_covariance.py", None),
];

/// The section of the part `library`.
pub fn section() -> Result<Section, String> {
    let (version, modules) = measure(&prepare()?)?;
    let mut text = format!(
        "## scikit-learn

Tests of scikit-learn {version}, as they are installed, once the seeds that they state vary with the run, {MOST} runs at
most. Nothing of this is a bug of the library: it says how much a test rests on its seed.

"
    );
    for module in &modules {
        let verdicts: Vec<String> = module
            .verdicts
            .iter()
            .map(|(verdict, count)| format!("{count} {verdict}"))
            .collect();
        let _ = writeln!(
            text,
            "### {}\n\n{} tests, {} runs. Assertions: {}.\n",
            module.name,
            module.tests,
            module.runs,
            verdicts.join(", ")
        );
        if module.flagged.is_empty() {
            continue;
        }
        text += "| test | assertion | verdict | fails | values |\n|---|---|---|---|---|\n";
        for assertion in &module.flagged {
            let source = assertion.text.replace('|', "\\|");
            let _ = writeln!(
                text,
                "| {} | line {}: `{source}` | {} | {} of {} | {} |",
                assertion.test,
                assertion.line,
                assertion.verdict,
                assertion.failures,
                assertion.runs,
                assertion.range
            );
        }
        text.push('\n');
    }
    let says = |test: &str, verdict: &str| {
        let mut found = modules.iter().flat_map(|module| &module.flagged);
        found.any(|assertion| assertion.test.starts_with(test) && assertion.verdict == verdict)
    };
    let bar = |test: &str, verdict: &str| Bar {
        what: test.to_owned(),
        measured: if says(test, verdict) { verdict } else { "no" }.to_owned(),
        bar: verdict.to_owned(),
        kept: says(test, verdict),
    };
    let bars = [
        bar("test_polynomial_count_sketch", "flaky"),
        bar("test_fit_gibbs", "golden"),
    ];
    Ok(Section::with_bars(text, &bars))
}

/// The findings in one module.
struct Module {
    name: &'static str,
    tests: usize,
    runs: u64,
    /// Assertions by verdict, in the order of the first of each.
    verdicts: Vec<(String, usize)>,
    flagged: Vec<FlaggedAssertion>,
}

/// An assertion of which something was found.
struct FlaggedAssertion {
    test: String,
    line: u64,
    text: String,
    verdict: String,
    failures: u64,
    runs: u64,
    range: String,
}

/// The version of the library, and what was found in its modules.
fn measure(python: &Python) -> Result<(String, Vec<Module>), String> {
    let question =
        "import os, sklearn; print(sklearn.__version__, os.path.dirname(sklearn.__file__))";
    let answer = capture(&mut python.run(&["-c", question]), "")?;
    let (version, library) = answer
        .trim()
        .split_once(' ')
        .ok_or("scikit-learn does not say where it is")?;
    let folder = fresh_folder("detect/library")?;
    let mut modules = Vec::new();
    for (number, (name, which)) in MODULES.into_iter().enumerate() {
        let mut command = in_environment(python, &folder);
        command
            .args(["detect", "--json", "--seed", "sklearn"])
            .args(["--max-runs", MOST, "--pytest"])
            .arg(format!("{library}/{name}"))
            .arg("--record")
            .arg(folder.join(format!("{number}.json")));
        command.args(which.into_iter().flat_map(|which| ["-k", which]));
        modules.push(module(name, &json(&mut command)?));
    }
    Ok((version.to_owned(), modules))
}

fn module(name: &'static str, found: &Value) -> Module {
    let mut module = Module {
        name,
        tests: list(&found["tests"]).count(),
        runs: 0,
        verdicts: Vec::new(),
        flagged: Vec::new(),
    };
    for test in list(&found["tests"]) {
        module.runs += test["runs"].as_u64().unwrap_or(0);
        for assertion in list(&test["assertions"]) {
            let verdict = text(&assertion["verdict"]);
            match module
                .verdicts
                .iter_mut()
                .find(|(word, _)| *word == verdict)
            {
                Some((_, count)) => *count += 1,
                None => module.verdicts.push((verdict.clone(), 1)),
            }
            if assertion["finding"] == true {
                let name = text(&test["name"]);
                let ends = list(&assertion["range"]).map(Value::to_string);
                module.flagged.push(FlaggedAssertion {
                    test: name.rsplit("::").next().unwrap_or(&name).to_owned(),
                    line: assertion["line"].as_u64().unwrap_or(0),
                    text: text(&assertion["text"]),
                    verdict,
                    failures: assertion["failures"].as_u64().unwrap_or(0),
                    runs: assertion["runs"].as_u64().unwrap_or(0),
                    range: ends.collect::<Vec<_>>().join(" to "),
                });
            }
        }
    }
    module
}
