//! The run that is watched: whether its window is open, and what it touched so far.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use flex_run::model::{Cause, Place, Probe, Touch};
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::cause_of;
use super::counted;
use super::frames::{Walk, locked};
use super::rule::{Call, Rule};
use crate::text::Text;

/// Whether the window of a run is open.
static OPEN: AtomicBool = AtomicBool::new(false);
/// Whether the window of the present run was ever open: what is done elsewhere, as in another process, nobody sees.
static OPENED: AtomicBool = AtomicBool::new(false);
/// Whether something is done for all runs, while one is under way.
static AWAY: AtomicBool = AtomicBool::new(false);
/// Whether the run has started threads, so that what others do counts, too.
static EVERYWHERE: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread makes the run.
    static HERE: Cell<bool> = const { Cell::new(false) };
    /// Whether this thread is looking at a touch, and is not to be looked at itself.
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

static RUN: Mutex<Option<Run>> = Mutex::new(None);
/// What a call of a function is, by its number; nothing where calls are not reported.
static ENTRIES: Mutex<Vec<Option<(Cause, String)>>> = Mutex::new(Vec::new());
static ENTROPY: Mutex<Option<Py<PyAny>>> = Mutex::new(None);
static GENERATORS: Mutex<Option<Generators>> = Mutex::new(None);

/// What a run touched so far.
#[derive(Debug, Default)]
struct Run {
    serial: u64,
    /// Whether global generators were seeded for it.
    is_seeded: bool,
    touched: Vec<Touched>,
    /// Generators of `random` that were seeded since it began, by their addresses.
    seeded: HashSet<usize>,
}

#[derive(Debug)]
struct Touched {
    touch: Touch,
    /// By which function of C, if that says enough to count another call without looking who calls.
    entry: Option<usize>,
    /// By which function of C, and from which code of Python outside of the standard library.
    caller: Option<(usize, usize)>,
    at_import: bool,
}

/// The locks by which generators of NumPy are known, since each is taken for every draw.
struct Generators {
    /// The type of those that were made since flex looks; an instance says in which run.
    kind: Py<PyType>,
    /// Those that were there before, by their addresses.
    known: HashMap<usize, Py<PyAny>>,
    /// That of the global generator.
    global: Option<Py<PyAny>>,
}

/// Something that an audit event or a function says.
#[derive(Debug)]
pub struct SeenEvent {
    pub cause: Cause,
    pub what: Cow<'static, str>,
    pub detail: Option<String>,
}

impl SeenEvent {
    pub fn new(cause: Cause, what: impl Into<Cow<'static, str>>) -> Self {
        SeenEvent {
            cause,
            what: what.into(),
            detail: None,
        }
    }
}

/// Whether calls are to be looked at: the window of a run is open, for this thread.
pub fn is_awake() -> bool {
    OPEN.load(Ordering::Relaxed)
        && (HERE.get() || EVERYWHERE.load(Ordering::Relaxed))
        && !BUSY.get()
}

/// Says what the function in this place of the table is.
pub fn name_entry(number: usize, cause: Cause, what: String) {
    let mut entries = locked(&ENTRIES);
    entries.resize(number + 1, None);
    entries[number] = Some((cause, what));
}

/// Begins a run that has touched nothing. `is_seeded` says whether global generators follow its seed.
pub fn begin_run(is_seeded: bool) {
    add_counted();
    OPEN.store(false, Ordering::Relaxed);
    OPENED.store(false, Ordering::Relaxed);
    EVERYWHERE.store(false, Ordering::Relaxed);
    let mut run = locked(&RUN);
    let serial = run.as_ref().map_or(0, |run| run.serial) + 1;
    *run = Some(Run {
        serial,
        is_seeded,
        ..Run::default()
    });
}

/// The number of the present run among all that this process has watched; 0 before the first.
#[pyfunction]
pub fn current_run() -> u64 {
    locked(&RUN).as_ref().map_or(0, |run| run.serial)
}

/// Whether global generators follow the seed of the present run.
#[pyfunction]
pub fn is_seeded() -> bool {
    locked(&RUN).as_ref().is_some_and(|run| run.is_seeded)
}

/// Whether the window of the present run was ever open.
pub fn was_open() -> bool {
    OPENED.load(Ordering::Relaxed)
}

/// Lets what this thread does from now on belong to the run.
pub fn resume() {
    HERE.set(true);
    OPENED.store(true, Ordering::Relaxed);
    OPEN.store(true, Ordering::Relaxed);
}

/// Lets nothing belong to the run any more, and returns whether something did.
pub fn suspend() -> bool {
    OPEN.swap(false, Ordering::Relaxed)
}

/// Hands over what the run touched, and what modules did that it imported.
pub fn collect(probe: &mut Probe, at_import: &mut Probe) {
    add_counted();
    let touched = match locked(&RUN).as_mut() {
        Some(run) => std::mem::take(&mut run.touched),
        None => Vec::new(),
    };
    for touched in touched {
        let whose = match touched.at_import {
            true => &mut *at_import,
            false => &mut *probe,
        };
        whose.add(touched.touch);
    }
}

/// Sets whom to tell that the operating system is asked for randomness.
#[pyfunction]
pub fn on_entropy(tell: Py<PyAny>) {
    *locked(&ENTROPY) = Some(tell);
}

/// Sets the locks by which generators of NumPy are known: the type of new ones, and those that are there already.
#[pyfunction]
pub fn generator_locks(kind: Py<PyType>, known: Vec<Py<PyAny>>) {
    let known = known.into_iter().map(|lock| (lock.as_ptr() as usize, lock));
    *locked(&GENERATORS) = Some(Generators {
        kind,
        known: known.collect(),
        global: None,
    });
}

/// Sets the lock of NumPy's global generator.
#[pyfunction]
pub fn global_lock(lock: Py<PyAny>) {
    if let Some(generators) = locked(&GENERATORS).as_mut() {
        generators.global = Some(lock);
    }
}

/// Leaves the run for something that is shared by all, and returns whether its window was open.
#[pyfunction]
pub fn leave() -> bool {
    AWAY.store(true, Ordering::Relaxed);
    suspend()
}

/// Comes back to the run, and to its window if that was open.
#[pyfunction]
pub fn come_back(was_open: bool) {
    AWAY.store(false, Ordering::Relaxed);
    if was_open {
        resume();
    }
}

/// Takes what Python code noticed itself, such as a generator that is made, and returns whether it belongs to the run.
#[pyfunction]
pub fn noted(py: Python<'_>, cause: &str, what: Text, seeded: bool) -> PyResult<bool> {
    let cause = cause_of(cause)?;
    let is_ours = is_awake();
    if is_ours {
        // Whoever says so knows that it is the run's.
        looking(|| {
            if let Ok(mut walk) = Walk::new(py) {
                (walk.is_pytest, walk.is_flex) = (false, false);
                push(None, SeenEvent::new(cause, what.0), seeded, walk);
            }
        });
    }
    Ok(is_ours)
}

/// Takes what was found out after the window was shut: a generator that is in another state.
#[pyfunction]
pub fn found(cause: &str, what: Text, seeded: bool) -> PyResult<()> {
    let cause = cause_of(cause)?;
    if !again(cause, &what.0, seeded) {
        push(None, SeenEvent::new(cause, what.0), seeded, Walk::default());
    }
    Ok(())
}

/// Takes what Python announces.
pub fn announced(py: Python<'_>, event: &str, seen: SeenEvent) {
    looking(|| {
        if seen.detail.is_none() && again(seen.cause, &seen.what, false) {
            return;
        }
        let Ok(walk) = Walk::new(py) else {
            return;
        };
        if !(event == "socket.__new__" && walk.is_self_pipe) {
            push(None, seen, false, walk);
        }
    });
}

/// Takes a call of a function of C; `innermost` tells the address of the code of Python that calls it.
pub fn called(
    number: usize,
    rule: Rule,
    call: &Call<'_>,
    innermost: fn(Python<'_>) -> Option<usize>,
) {
    let py = call.object.py();
    looking(|| {
        let seeded = match rule {
            Rule::Seed => return seeded_generator(call),
            Rule::Draw => locked(&RUN)
                .as_ref()
                .is_some_and(|run| run.seeded.contains(&call.address())),
            Rule::Lock => match generator(call) {
                Some(Some(is_seeded)) => return drawn(py, is_seeded),
                Some(None) => return,
                None if call.would_wait() => false,
                None => return,
            },
            rule if !rule.counts(call) => return,
            _ => false,
        };
        if rule == Rule::Thread {
            EVERYWHERE.store(true, Ordering::Relaxed);
        }
        if rule == Rule::Entropy {
            tell_of_entropy(py);
        }
        if count(number, seeded) {
            if let Some(whose) = rule.only_counts(call) {
                add_counted_of(number);
                counted::know(number, whose, seeded);
            }
            return;
        }
        // Some programs ask thousands of times, from one place.
        let caller = innermost(py).map(|code| (number, code));
        if caller.is_some() && count_same(1, seeded, |touched| touched.caller == caller) {
            return;
        }
        let named = locked(&ENTRIES).get(number).cloned().flatten();
        if let Some((cause, what)) = named {
            touched(
                py,
                Some((number, rule)),
                SeenEvent::new(cause, what),
                seeded,
            );
        }
    });
}

/// Does something without looking at what it does itself.
fn looking(look: impl FnOnce()) {
    BUSY.set(true);
    look();
    BUSY.set(false);
}

/// Adds the calls of all functions that were only counted; the next ones are looked at.
fn add_counted() {
    counted::take_known().for_each(add_counted_of);
}

/// Adds the calls of a function that were only counted; the next one is looked at.
fn add_counted_of(number: usize) {
    let (calls, seeded) = counted::forget(number);
    if calls > 0 {
        count_same(calls, seeded, |touched| touched.entry == Some(number));
    }
}

/// Takes a seeding of a generator of `random`.
fn seeded_generator(call: &Call<'_>) {
    add_counted();
    let mut run = locked(&RUN);
    if let Some(run) = run.as_mut().filter(|_| !AWAY.load(Ordering::Relaxed)) {
        match call.has_argument() {
            true => run.seeded.insert(call.address()),
            false => run.seeded.remove(&call.address()),
        };
    }
}

/// Counts another call of a function that is known to have touched something, and returns whether it is.
fn count(number: usize, seeded: bool) -> bool {
    count_same(1, seeded, |touched| touched.entry == Some(number))
}

/// Counts the same thing done again, and returns whether it is known: who does it need not be looked at.
fn again(cause: Cause, what: &str, seeded: bool) -> bool {
    count_same(1, seeded, |touched| {
        touched.touch.cause == cause && touched.touch.what == what
    })
}

fn count_same(calls: u64, seeded: bool, is_same: impl Fn(&Touched) -> bool) -> bool {
    let mut run = locked(&RUN);
    let touched = run.as_mut().map(|run| &mut run.touched);
    let same = |touched: &&mut Touched| {
        touched.touch.seeded == seeded && !touched.at_import && is_same(touched)
    };
    match touched.into_iter().flatten().find(same) {
        Some(touched) => {
            touched.touch.count += calls;
            true
        }
        None => false,
    }
}

/// Whether a lock is that of a generator of NumPy: of one that the run made, `Some(None)`; of another, whether what it
/// draws follows the seed.
fn generator(call: &Call<'_>) -> Option<Option<bool>> {
    let py = call.object.py();
    let (kind, is_known, is_global) = {
        let generators = locked(&GENERATORS);
        let generators = generators.as_ref()?;
        let global = generators.global.as_ref();
        let is_global = global.is_some_and(|global| global.is(&call.object));
        let is_known = generators.known.contains_key(&call.address());
        (generators.kind.clone_ref(py), is_known, is_global)
    };
    let (serial, is_seeded) = {
        let run = locked(&RUN);
        let run = run.as_ref()?;
        (run.serial, run.is_seeded)
    };
    if is_global || is_known {
        return Some(Some(is_global && is_seeded));
    }
    if !call.object.get_type().is(kind.bind(py)) {
        return None;
    }
    let made = call
        .object
        .getattr("made")
        .and_then(|made| made.extract::<u64>());
    match made.is_ok_and(|made| made == serial) {
        true => Some(None),
        false => Some(Some(false)),
    }
}

/// Takes a draw from a generator of NumPy.
fn drawn(py: Python<'_>, is_seeded: bool) {
    let what = match is_seeded {
        true => "numpy.random",
        false => "numpy.random: a generator from before the run",
    };
    if !again(Cause::Randomness, what, is_seeded) {
        touched(py, None, SeenEvent::new(Cause::Randomness, what), is_seeded);
    }
}

fn tell_of_entropy(py: Python<'_>) {
    let tell = locked(&ENTROPY).as_ref().map(|tell| tell.clone_ref(py));
    // Whoever asks for randomness is not to be bothered with what goes wrong in a list of places.
    if let Some(tell) = tell {
        drop(tell.call0(py));
    }
}

fn touched(py: Python<'_>, entry: Option<(usize, Rule)>, mut seen: SeenEvent, seeded: bool) {
    let Ok(walk) = Walk::new(py) else {
        return;
    };
    if let Some((_, rule)) = entry.filter(|(_, rule)| rule.has_names()) {
        rule.name(seen.what.to_mut(), &walk.through(py));
    }
    push(entry, seen, seeded, walk);
}

fn push(entry: Option<(usize, Rule)>, seen: SeenEvent, seeded: bool, walk: Walk) {
    let is_excused = match seen.cause {
        _ if walk.is_flex => true,
        Cause::Concurrency | Cause::Network => false,
        Cause::Time => walk.is_pytest || walk.is_logging || walk.is_asyncio,
        Cause::Randomness => walk.is_pytest || walk.is_tempfile,
        _ => walk.is_pytest,
    };
    let mut run = locked(&RUN);
    let Some(run) = run.as_mut().filter(|_| !is_excused) else {
        return;
    };
    let is_same = |known: &&mut Touched| {
        known.at_import == walk.at_import
            && (known.touch.cause, known.touch.seeded) == (seen.cause, seeded)
            && known.touch.what.starts_with(&*seen.what)
            && (seen.detail.is_some() || known.touch.what == seen.what)
    };
    if let Some(known) = run.touched.iter_mut().find(is_same) {
        known.touch.count += 1;
        return;
    }
    let what = match seen.detail {
        Some(detail) => format!("{} {detail}", seen.what),
        None => seen.what.into_owned(),
    };
    let is_direct = walk.is_direct();
    run.touched.push(Touched {
        touch: Touch {
            cause: seen.cause,
            what,
            seeded,
            count: 1,
            place: walk.place.map(|(file, line)| Place::new(file, line)),
        },
        caller: entry
            .filter(|_| is_direct)
            .zip(walk.code)
            .map(|((number, _), code)| (number, code)),
        entry: entry
            .filter(|(_, rule)| rule.settles())
            .map(|(number, _)| number),
        at_import: walk.at_import,
    });
}
