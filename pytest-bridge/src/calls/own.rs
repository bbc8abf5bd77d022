//! Calls of flex's own while a test runs, which are none of the test's.

use std::cell::Cell;

thread_local! {
    static OWN: Cell<bool> = const { Cell::new(false) };
}

/// Does some work of flex's own: what it calls on this thread is not traced.
pub fn untraced<T>(work: impl FnOnce() -> T) -> T {
    struct Until(bool);
    impl Drop for Until {
        fn drop(&mut self) {
            OWN.set(self.0);
        }
    }
    let _until = Until(OWN.replace(true));
    work()
}

/// Whether this thread does work of flex's own.
pub fn is_own() -> bool {
    OWN.get()
}
