//! `flex-harness engine k8s`: the manifest of a Kubernetes Job whose pods make a shard each.
//!
//! The Job is indexed: Kubernetes gives every pod the index of its shard, makes those again that failed, and ends by itself.
//! The fields are those of the public reference of the API: batch/v1, Job.

use std::io::{self, Write};

use clap::Args;
use flex_core::seed::SeedRequest;
use flex_run::project::base::fresh_base;
use flex_run::project::env;
use serde_json::json;

use crate::exit::{Exit, Failure};

/// Prints the manifest of an indexed Job that makes the shards of a calibration.
///
/// All pods write into one volume, which must allow that (ReadWriteMany). When the Job is complete,
/// `flex-harness calibrate --from DIR`, with the same options and where the volume is mounted, puts the shards together.
///
/// Example: flex-harness engine k8s --print --image registry.example/tests:1 -- --release
#[derive(Debug, Args)]
pub struct K8sArgs {
    /// Print the manifest, for `kubectl apply -f -`
    #[arg(long, required = true)]
    print: bool,

    /// The image of the pods: the project, what its tests need, and flex
    #[arg(long, value_name = "IMAGE")]
    image: String,

    /// Into how many shards the runs are cut: pods in all
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    shards: u32,

    /// Pods at a time [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,

    /// The name of the Job
    #[arg(long, default_value = "flex-calibrate", value_parser = label)]
    name: String,

    /// The claim of the volume that shards are written to
    #[arg(long, value_name = "CLAIM", default_value = "flex-shards", value_parser = label)]
    claim: String,

    /// The folder of the project in the image [default: the image's own working folder]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<String>,

    /// The base seed, any text [default: a fresh one]
    #[arg(long, value_name = "TEXT", env = env::SEED)]
    seed: Option<SeedRequest>,

    /// Options of `calibrate`
    #[arg(last = true, value_name = "ARGS")]
    options: Vec<String>,
}

/// Where the volume is mounted.
const MOUNT: &str = "/flex-shards";

/// Runs the command.
pub fn run(args: &K8sArgs) -> Result<Exit, Failure> {
    if args.seed.as_ref().is_some_and(|seed| seed.run.is_some()) {
        return Err(Failure::input(
            "a calibration has a base seed, not a single run",
            "leave out what begins with `@`",
        ));
    }
    let base = args
        .seed
        .as_ref()
        .map_or_else(fresh_base, |seed| seed.base.clone());
    io::stdout().write_all(manifest(args, &base).as_bytes())?;
    Ok(Exit::Fine)
}

/// The manifest. Texts are written as JSON, which is YAML too.
fn manifest(args: &K8sArgs, base: &str) -> String {
    let out = format!("{MOUNT}/{}", args.name);
    let mut words = vec!["flex-harness", "calibrate"];
    words.extend(args.options.iter().map(String::as_str));
    words.extend(["--shard", "auto", "--out", &out, "--seed", base]);
    let words: String = (words.iter())
        .map(|word| format!("            - {}\n", json!(word)))
        .collect();
    let folder = args.folder.as_ref().map_or(String::new(), |folder| {
        format!("          workingDir: {}\n", json!(folder))
    });
    let (name, image, claim) = (json!(args.name), json!(args.image), json!(args.claim));
    let (shards, pods) = (
        args.shards,
        args.jobs.unwrap_or(args.shards).min(args.shards),
    );
    format!(
        "\
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
spec:
  completionMode: Indexed
  completions: {shards}
  parallelism: {pods}
  # A shard that was begun goes on where it was, so that many attempts do no harm.
  backoffLimitPerIndex: 5
  podFailurePolicy:
    rules:
      # A node that is lost or drained is not the fault of its shard.
      - action: Ignore
        onPodConditions:
          - type: DisruptionTarget
            status: \"True\"
      # Wrong usage and broken builds do not get better: 2 and 3.
      - action: FailJob
        onExitCodes:
          containerName: flex
          operator: In
          values: [2, 3]
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: flex
          image: {image}
{folder}          command:
{words}          env:
            # Kubernetes sets JOB_COMPLETION_INDEX, and tells no pod how many there are.
            - name: FLEX_JOB_TOTAL
              value: \"{shards}\"
          volumeMounts:
            - name: shards
              mountPath: {MOUNT}
      volumes:
        - name: shards
          persistentVolumeClaim:
            claimName: {claim}
"
    )
}

/// A name as Kubernetes has them (RFC 1123, a label).
fn label(text: &str) -> Result<String, String> {
    let fits =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    let ends = |letter: Option<char>| letter.is_some_and(|letter| letter != '-');
    let is_label = text.len() <= 63
        && text.chars().all(fits)
        && ends(text.chars().next())
        && ends(text.chars().last());
    match is_label {
        true => Ok(text.to_owned()),
        false => Err(
            "a name has small letters, digits and hyphens within, and at most 63 of them"
                .to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_labels() {
        for right in ["a", "flex-calibrate", "0"] {
            assert_eq!(label(right).as_deref(), Ok(right));
        }
        for wrong in ["", "-a", "a-", "A", "a b", "a\nb", &"a".repeat(64)] {
            assert!(label(wrong).is_err(), "{wrong}");
        }
    }
}
