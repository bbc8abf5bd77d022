//! The assertions that are known.

use crate::record::Role;

/// What an assertion compares, by the name of its macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AssertionKind {
    Comparison,
    Close,
    Approx,
}

impl AssertionKind {
    pub fn of(name: &str) -> Option<AssertionKind> {
        Some(match name {
            "assert" | "debug_assert" | "assert_tail_bound" => AssertionKind::Comparison,
            "assert_close" => AssertionKind::Close,
            "assert_abs_diff_eq" | "assert_relative_eq" | "assert_ulps_eq" => AssertionKind::Approx,
            _ => return None,
        })
    }

    /// The option that holds a tolerance.
    pub fn key(self, role: Role) -> Option<&'static str> {
        match (self, role) {
            (AssertionKind::Close, Role::Absolute) => Some("abs"),
            (AssertionKind::Close, Role::Relative) => Some("rel"),
            (AssertionKind::Approx, Role::Absolute) => Some("epsilon"),
            (AssertionKind::Approx, Role::Relative) => Some("max_relative"),
            (AssertionKind::Approx, Role::Ulps) => Some("max_ulps"),
            _ => None,
        }
    }
}
