//! scikit-learn's own tests, once the seeds that they state vary.

use serde_json::Value;

use super::corpus::{fresh_folder, in_environment, json, list, text};
use crate::process::capture;
use crate::python::Python;

/// Runs of a test at most: enough for what fails often, and as many as minutes allow.
pub const MOST: &str = "40";

/// The modules, and which of their tests. One module has tests of minutes, most of which are about other things.
const MODULES: [(&str, Option<&str>); 3] = [
    (
        "tests/test_kernel_approximation.py",
        Some("polynomial_count_sketch"),
    ),
    ("neural_network/tests/test_rbm.py", None),
    ("covariance/tests/test_robust_covariance.py", None),
];

/// What was found in one module.
pub struct Module {
    pub name: &'static str,
    pub tests: usize,
    pub runs: u64,
    /// Assertions by verdict, in the order of the first of each.
    pub verdicts: Vec<(String, usize)>,
    pub findings: Vec<Finding>,
}

/// Something that was found.
pub struct Finding {
    pub test: String,
    pub line: u64,
    pub text: String,
    pub verdict: String,
    pub failures: u64,
    pub runs: u64,
    pub range: String,
}

/// The version of the library, and what was found in its modules.
pub fn measure(python: &Python) -> Result<(String, Vec<Module>), String> {
    let question =
        "import os, sklearn; print(sklearn.__version__, os.path.dirname(sklearn.__file__))";
    let answer = capture(&mut python.run(&["-c", question]), "")?;
    let (version, library) = answer
        .trim()
        .split_once(' ')
        .ok_or("scikit-learn does not say where it is")?;
    let folder = fresh_folder("library")?;
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
        findings: Vec::new(),
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
                module.findings.push(Finding {
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
