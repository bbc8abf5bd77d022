//! The one thread that looks after a process: at runs that may hang, and at the process that wants them.

use std::sync::{Mutex, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The longest that nobody looks.
const PAUSE: Duration = Duration::from_millis(200);

/// Looks at something, and says after how long it is to be looked at again, at the latest.
type Look = Box<dyn FnMut(Instant) -> Duration + Send>;

static LOOKS: Mutex<Vec<Look>> = Mutex::new(Vec::new());

/// From now on, the thread looks at this too. Where there is no thread to be had, nobody looks.
pub fn look_regularly(look: impl FnMut(Instant) -> Duration + Send + 'static) {
    add(Box::new(look));
}

fn add(look: Look) {
    static STARTED: Once = Once::new();
    let mut looks = LOOKS.lock().unwrap_or_else(PoisonError::into_inner);
    looks.push(look);
    STARTED.call_once(|| beside(watch));
}

fn watch() {
    loop {
        let now = Instant::now();
        let mut pause = PAUSE;
        for look in &mut *LOOKS.lock().unwrap_or_else(PoisonError::into_inner) {
            pause = pause.min(look(now));
        }
        thread::sleep(pause);
    }
}

/// Does something in a thread of its own, if there is one to be had.
pub(super) fn beside(what: fn()) {
    let thread = thread::Builder::new().name("flex: watch".to_owned());
    let _ = thread.spawn(what);
}
