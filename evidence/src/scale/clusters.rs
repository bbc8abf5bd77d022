//! Calibrations by real clusters while tasks, workers and nodes are lost: is what they learn what one machine learns?

use std::fmt::Write;

use flex_tests::clusters::{Clusters, Learned, ProjectKind};
use xtask::engines::{Slurm, python};

use crate::page::{Bar, Section, Size};

/// Measures the part.
pub fn section(size: Size) -> Result<Section, String> {
    let kinds = match size {
        Size::Full => ProjectKind::ALL,
        Size::Quick => &[ProjectKind::Cargo],
    };
    let clusters = Clusters::new(python()?);
    let mut rows = Vec::new();
    let mut add = |what: &str, kind: ProjectKind, learned: Learned| {
        rows.push((what.to_owned(), kind, learned))
    };
    {
        let mut slurm = Slurm::start(4, 4)?;
        for &kind in kinds {
            let what = "Slurm, 16 tasks on 4 nodes, two killed and requeued, one killed";
            add(what, kind, clusters.slurm_loses_tasks(&slurm, kind));
        }
        for &kind in kinds {
            let what = "Slurm, the submitter killed and a node lost";
            add(what, kind, clusters.slurm_loses_a_node(&mut slurm, kind));
        }
    }
    for &kind in kinds {
        let what = "Dask, 16 tasks on 4 workers, one of them killed";
        add(what, kind, clusters.dask_loses_a_worker(kind));
    }
    for &kind in kinds {
        if let Some(learned) = clusters.dask_has_no_room(kind) {
            add("Dask, a worker whose disk is full", kind, learned);
        }
    }
    let mut text = "Two tests with three sites, 100 runs each, 16 shards. The bounds file is compared with that of one process on \
        one machine under the same seed, byte for byte, dates aside; attempts that died or failed are those that flex was told \
        of (what Slurm requeues by itself is not among them).\n\n\
        | cluster | tests of | attempts that died or failed | bounds file |\n|---|---|---|---|\n"
        .to_owned();
    let mut bars = Vec::new();
    for (what, kind, learned) in &rows {
        let same = match learned.is_same() {
            true => "the same",
            false => "**another**",
        };
        let kind = match kind {
            ProjectKind::Cargo => "cargo",
            ProjectKind::Pytest => "pytest",
        };
        let _ = writeln!(text, "| {what} | {kind} | {} | {same} |", learned.died());
        bars.push(Bar {
            what: format!("{what}, {kind}"),
            measured: same.to_owned(),
            bar: "the same".to_owned(),
            kept: learned.is_same(),
        });
    }
    text += "\n";
    Ok(Section::with_bars(text, &bars))
}
