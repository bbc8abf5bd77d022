//! Whether what asks for entropy asks us.

use std::hash::RandomState;

use super::entropy;
use crate::entropy::Entropy;

/// Whether entropy can be controlled in this program; the error says what to do.
pub(crate) fn check() -> Result<(), String> {
    // A thread of its own: std asks once per thread.
    let is_ours = std::thread::scope(|scope| {
        let asks_us = || {
            let controlled = Entropy::new([0; 32]);
            controlled.during(RandomState::new);
            controlled.drawn() && entropy::is_found()
        };
        scope.spawn(asks_us).join().unwrap_or(false)
    });
    if is_ours {
        Ok(())
    } else {
        Err(
            "`entropy = controlled` has no effect in this program, which finds another `getrandom` than that of flex, as \
             where glibc is linked statically; link it dynamically, or seed the code from the test's `TestRng`"
                .to_owned(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn std_asks_us() {
        assert_eq!(check(), Ok(()));
    }
}
