//! Shards made by real clusters of several nodes on this machine, while nodes, workers and tasks are lost: what is learned
//! is byte for byte what one machine learns. `cargo xtask engines` installs what they need and runs them.

#![cfg(target_os = "linux")]

use flex_tests::clusters::{Clusters, Learned, ProjectKind};
use xtask::engines::{Slurm, environment};

fn clusters() -> Clusters {
    Clusters::new(environment().expect("Python can be had"))
}

#[track_caller]
fn is_same(learned: &Learned, words: &[&str]) {
    let said = &learned.said;
    said.says(0, &["16 of 16 shards are made"]);
    said.says(0, words);
    assert_eq!(learned.there, learned.here, "{said}");
}

#[test]
#[ignore = "needs Slurm: cargo xtask engines"]
fn slurm_tasks_are_killed_and_requeued_and_a_node_is_lost() {
    let clusters = clusters();
    let mut slurm = Slurm::start(4, 4).expect("Slurm starts");
    for &kind in ProjectKind::ALL {
        is_same(
            &clusters.slurm_loses_tasks(&slurm, kind),
            &[" died on node"],
        );
    }
    for &kind in ProjectKind::ALL {
        is_same(&clusters.slurm_loses_a_node(&mut slurm, kind), &[]);
    }
}

#[test]
#[ignore = "needs Dask: cargo xtask engines"]
fn dask_loses_a_worker_and_another_has_no_room() {
    let clusters = clusters();
    for &kind in ProjectKind::ALL {
        is_same(&clusters.dask_loses_a_worker(kind), &[]);
    }
    for &kind in ProjectKind::ALL {
        match clusters.dask_has_no_room(kind) {
            Some(learned) => is_same(&learned, &["No space left on device"]),
            None => println!("no file system can be made here; a full disk goes untested"),
        }
    }
}

#[test]
#[ignore = "needs Ray: cargo xtask engines"]
fn ray_loses_a_worker() {
    let clusters = clusters();
    let ray = clusters.start_ray();
    for &kind in ProjectKind::ALL {
        is_same(
            &clusters.ray_loses_a_worker(&ray, kind),
            &["WorkerCrashedError"],
        );
    }
}
