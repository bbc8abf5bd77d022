//! `cargo xtask trust`: inputs that nobody thought of, and writers that are killed, starved and crowded.

mod crashes;
mod fuzzing;

use crate::page::{Page, Part};

/// The page on what may be relied on, whatever comes.
pub struct TrustPage;

impl Page for TrustPage {
    fn name(&self) -> &'static str {
        "trust"
    }

    fn about(&self) -> &'static str {
        "trust: 10^8 inputs of fuzzers, 10,000 kills of writers, every system call of an update failed in turn, 64 writers \
         at once; needs Linux, strace and a compiler of C++"
    }

    fn takes(&self) -> &'static str {
        "45 minutes"
    }

    fn parts(&self) -> &'static [Part] {
        &[
            Part {
                name: "kills",
                about: "Writers of a bounds file, killed while they write",
                measure: crashes::kills,
            },
            Part {
                name: "faults",
                about: "Every system call of an update, failed in turn",
                measure: |_| crashes::faults(),
            },
            Part {
                name: "crowd",
                about: "64 writers of one file at once",
                measure: |_| crashes::crowd(),
            },
            Part {
                name: "fuzzing",
                about: "Inputs of fuzzers, target by target",
                measure: fuzzing::section,
            },
        ]
    }

    fn template(&self) -> &'static str {
        "# Trust, measured

Written by `cargo xtask trust`, which fails if a bar is missed. What is tried, and what must hold each time, is code:
`fuzz/src/targets` and `tests/src/crash`.

## Inputs

Each target reads one sort of input, and checks what must hold of every one: it is read or refused with a reason, what was
read is written and read again as the same, and what is changed is changed nowhere else. libFuzzer varies inputs by the
branches that they take.

{fuzzing}
## Killed writers

A writer is killed in the middle of an update of a bounds file. The file must be whole, hold every update that was
acknowledged before, and be either what it was or what it would have become. Writers that do nothing else are killed at any
moment; those that write once, at their end, are killed at the system calls by which they do, in turn.

{kills}
## Failed system calls

Every system call of an update fails once with EIO, ENOSPC, EACCES and EINTR, and kills the writer once. An update that is
acknowledged must be there, one that is refused must have changed nothing, and a killed one must have left the old file or the
new one.

{faults}
## Many writers

{crowd}"
    }

    fn has_quick_form(&self) -> bool {
        true
    }
}
