//! The same questions asked of TensorFlow Probability's `statistical_testing`.

use std::fmt::Write;

use flex_core::sequential::{Allowed, Claim, LawClaim, Levels, RateClaim};
use rand::RngExt;
use serde_json::Value;
use xtask::process::capture;
use xtask::python::Python;

use super::laws::{beta, mean_claim};
use super::simulate::{Draw, decide};
use crate::page::{Bar, Section, Size};

/// A release whose wheel contains `statistical_testing`, which 0.7.0 leaves out, and does not need `tf.contrib`, as 0.6.0
/// does. It is written for TensorFlow 1, so the module is given TensorFlow's compatible face.
const PACKAGES: [&str; 2] = ["tensorflow-cpu", "numpy"];
const RELEASE: &str = "tensorflow-probability==0.5.0";

const SCRIPT: &str = "\
import importlib.util, json, os, sys, sysconfig
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
os.environ['CUDA_VISIBLE_DEVICES'] = ''
import tensorflow
from tensorflow.python.ops import gen_math_ops
path = os.path.join(sysconfig.get_paths()['purelib'],
    'tensorflow_probability/python/distributions/internal/statistical_testing.py')
spec = importlib.util.spec_from_file_location('statistical_testing', path)
module = importlib.util.module_from_spec(spec)
whole = sys.modules['tensorflow']
sys.modules['tensorflow'] = tensorflow.compat.v1
spec.loader.exec_module(module)
sys.modules['tensorflow'] = whole
answers = []
for kind, gap in json.load(sys.stdin):
    rates = dict(false_fail_rate=1e-4, false_pass_rate=1e-2)
    if kind == 'one':
        answers.append(float(module.min_num_samples_for_dkwm_mean_test(gap, 0., 1., **rates)))
    else:
        n, _ = module.min_num_samples_for_dkwm_mean_two_sample_test(gap, 0., 1., 0., 1., **rates)
        answers.append(float(n))
print(json.dumps(answers))
";

struct Question {
    name: &'static str,
    /// One sample or two, and the difference of means that is to be found.
    kind: &'static str,
    gap: f64,
    claim: Claim,
    broken: Draw,
}

fn questions() -> Vec<Question> {
    let of_mean = |name, part: f64| {
        let mean = 0.1 + 0.03 * part;
        let size = mean * (1.0 - mean) / 0.0009 - 1.0;
        Question {
            name,
            kind: "one",
            gap: 0.03 * part,
            claim: mean_claim(Allowed::AtMost(0.1), 0.0),
            broken: Box::new(move |rng| (beta(mean * size, (1.0 - mean) * size, rng), None)),
        }
    };
    let of_rate = |name, rate: f64| Question {
        name,
        kind: "one",
        gap: 0.95 - rate,
        claim: Claim::Rate(RateClaim {
            allowed: Allowed::AtLeast(0.95),
            margin: 0.03,
        }),
        broken: Box::new(move |rng| (f64::from(u8::from(rng.random::<f64>() < rate)), None)),
    };
    vec![
        of_mean("mean ≤ 0.1 in [0, 1], sd 0.03; is 0.11", 1.0 / 3.0),
        of_mean("mean ≤ 0.1; is 0.115", 0.5),
        of_mean("mean ≤ 0.1; is 0.13", 1.0),
        of_rate("rate ≥ 0.95; is 0.9", 0.9),
        of_rate("rate ≥ 0.95; is 0.8", 0.8),
        of_rate("rate ≥ 0.95; is 0.5", 0.5),
        Question {
            name: "two laws in [0, 1], sd 0.15 each; means differ by 0.1",
            kind: "two",
            gap: 0.1,
            claim: Claim::SameDistribution(LawClaim::DEFAULT),
            broken: Box::new(|rng| (beta(4.0, 6.0, rng), Some(beta(5.0, 5.0, rng)))),
        },
    ]
}

pub fn section(size: Size) -> Result<Section, String> {
    let questions = questions();
    let theirs = ask(&questions)?;
    let mut text = "Runs needed to find the same differences, where a false alarm has a probability of 10⁻⁴. Theirs is a fixed number that finds
it with probability 0.99, from `min_num_samples_for_dkwm_mean_test` and its form for two samples, in a wheel that
holds them and runs with TensorFlow 2 (0.5.0). Ours is the mean; 99 tests of 100 and more found it. Theirs tests two sides where ours tests one, which is worth 7% of its runs.

| question | flex | TFP | ratio |
|---|---|---|---|
"
    .to_owned();
    let mut least = f64::INFINITY;
    let mut found_all = true;
    for (question, theirs) in questions.iter().zip(theirs) {
        let found = decide(
            &question.claim,
            Levels::new(1e-4),
            &question.broken,
            size.of(500),
            100_000,
        );
        found_all &= found.broken >= 0.99;
        least = least.min(theirs / found.runs);
        let _ = writeln!(
            text,
            "| {} | {:.0} | {:.0} | {:.0} |",
            question.name,
            found.runs,
            theirs.ceil(),
            theirs / found.runs
        );
    }
    let bars = [
        Bar {
            what: "smallest ratio of runs".to_owned(),
            measured: format!("{least:.1}"),
            bar: "≥ 1".to_owned(),
            kept: least >= 1.0,
        },
        Bar {
            what: "found in 99 tests of 100".to_owned(),
            measured: if found_all { "all" } else { "not all" }.to_owned(),
            bar: "all".to_owned(),
            kept: found_all,
        },
    ];
    Ok(Section::with_bars(text + "\n", &bars))
}

/// The samples that TensorFlow Probability asks for.
fn ask(questions: &[Question]) -> Result<Vec<f64>, String> {
    let python = Python::usual()?.environment("tfp", &PACKAGES)?;
    let install = ["-m", "pip", "install", "--quiet", "--no-deps", RELEASE];
    xtask::process::run(&mut python.run(&install))?;
    let asked: Vec<(&str, f64)> = questions.iter().map(|q| (q.kind, q.gap)).collect();
    let asked = serde_json::to_string(&asked).map_err(|error| error.to_string())?;
    let printed = capture(&mut python.run(&["-c", SCRIPT]), &asked)?;
    let last = printed.lines().last().unwrap_or_default();
    let answers: Value =
        serde_json::from_str(last).map_err(|error| format!("TFP printed {printed:?}: {error}"))?;
    let answers = answers.as_array().ok_or("TFP printed no list")?;
    Ok(answers.iter().filter_map(Value::as_f64).collect())
}
