//! The assertions that are known.

use crate::record::Role;

/// What an assertion compares, by the name of its macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Comparison,
    Close,
    Approx,
}

impl Kind {
    pub fn of(name: &str) -> Option<Kind> {
        Some(match name {
            "assert" | "debug_assert" | "assert_tail_bound" => Kind::Comparison,
            "assert_close" => Kind::Close,
            "assert_abs_diff_eq" | "assert_relative_eq" | "assert_ulps_eq" => Kind::Approx,
            _ => return None,
        })
    }

    /// The option that holds a tolerance.
    pub fn key(self, role: Role) -> Option<&'static str> {
        match (self, role) {
            (Kind::Close, Role::Absolute) => Some("abs"),
            (Kind::Close, Role::Relative) => Some("rel"),
            (Kind::Approx, Role::Absolute) => Some("epsilon"),
            (Kind::Approx, Role::Relative) => Some("max_relative"),
            (Kind::Approx, Role::Ulps) => Some("max_ulps"),
            _ => None,
        }
    }
}
