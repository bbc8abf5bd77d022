//! What runs were made on: a value may differ from machine to machine though its seed is the same.

use std::fmt;
use std::fs;

use serde::{Deserialize, Serialize};

/// A machine, as far as it can decide what a run shows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Platform {
    /// The operating system.
    pub os: String,
    /// The architecture.
    pub arch: String,
    /// What the processor can do that numerical code asks for.
    #[serde(default)]
    pub features: Vec<String>,
    /// The names of its GPUs, if there are any.
    #[serde(default)]
    pub gpus: Vec<String>,
    /// The library of linear algebra, where somebody knows it.
    #[serde(default)]
    pub blas: Option<String>,
    /// The threads that numerical code may use, if the environment states it.
    #[serde(default)]
    pub threads: Option<String>,
}

/// Variables by which people state how many threads numerical code has.
const THREADS: [&str; 4] = [
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "RAYON_NUM_THREADS",
];

impl Platform {
    /// This machine; which library of linear algebra is loaded only those know who load it.
    pub fn here(blas: Option<String>) -> Self {
        let stated = |name: &&str| {
            let value = std::env::var(name).ok()?;
            Some(format!("{name}={value}")).filter(|_| !value.is_empty())
        };
        let threads: Vec<String> = THREADS.iter().filter_map(stated).collect();
        Platform {
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
            features: features(),
            gpus: gpus(),
            blas,
            threads: (!threads.is_empty()).then(|| threads.join(" ")),
        }
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.os, self.arch)?;
        let features = self.features.join(" ");
        let gpus = self.gpus.join(", ");
        let more = [
            (!features.is_empty()).then_some(features),
            (!gpus.is_empty()).then_some(gpus),
            self.blas.clone(),
            self.threads.clone(),
        ];
        for words in more.into_iter().flatten() {
            write!(f, ", {}", flex_core::visible::visible(&words))?;
        }
        Ok(())
    }
}

/// The name of this machine.
pub fn host() -> String {
    let stated = std::env::var("HOSTNAME").ok();
    let kernel = || fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let others = || std::env::var("COMPUTERNAME").ok();
    let name = kernel().or(stated).or_else(others).unwrap_or_default();
    match name.trim() {
        "" => "unknown".to_owned(),
        name => name.to_owned(),
    }
}

/// Processor features by which libraries choose their code, and so their rounding.
#[cfg(target_arch = "x86_64")]
fn features() -> Vec<String> {
    let known = [
        ("sse4.2", is_x86_feature_detected!("sse4.2")),
        ("avx", is_x86_feature_detected!("avx")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("fma", is_x86_feature_detected!("fma")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("avx512bw", is_x86_feature_detected!("avx512bw")),
        ("avx512vnni", is_x86_feature_detected!("avx512vnni")),
    ];
    let has = known.into_iter().filter(|(_, has)| *has);
    has.map(|(name, _)| name.to_owned()).collect()
}

/// Processor features by which libraries choose their code, and so their rounding.
#[cfg(target_arch = "aarch64")]
fn features() -> Vec<String> {
    let known = [
        ("neon", std::arch::is_aarch64_feature_detected!("neon")),
        ("sve", std::arch::is_aarch64_feature_detected!("sve")),
        ("sve2", std::arch::is_aarch64_feature_detected!("sve2")),
        (
            "dotprod",
            std::arch::is_aarch64_feature_detected!("dotprod"),
        ),
    ];
    let has = known.into_iter().filter(|(_, has)| *has);
    has.map(|(name, _)| name.to_owned()).collect()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> Vec<String> {
    Vec::new()
}

/// The models that the driver of NVIDIA names. Of others nobody knows without their libraries.
fn gpus() -> Vec<String> {
    let Ok(folders) = fs::read_dir("/proc/driver/nvidia/gpus") else {
        return Vec::new();
    };
    let model = |folder: fs::DirEntry| {
        let text = fs::read_to_string(folder.path().join("information")).ok()?;
        let mut lines = text.lines();
        let line = lines.find_map(|line| line.strip_prefix("Model:"))?;
        Some(line.trim().to_owned())
    };
    let mut names: Vec<String> = folders.filter_map(|f| model(f.ok()?)).collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_told_in_words() {
        let here = Platform::here(Some("OpenBLAS 0.3".to_owned()));
        let words = here.to_string();
        assert!(words.contains(&here.arch) && words.contains("OpenBLAS 0.3"));
        let json = serde_json::to_string(&here).unwrap();
        assert_eq!(serde_json::from_str::<Platform>(&json).unwrap(), here);
        assert!(!host().is_empty());
    }
}
