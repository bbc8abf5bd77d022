//! Keys: which site an entry is about.

use std::fmt;

use flex_core::calibration::SiteId;
use flex_core::visible::visible;

use crate::TestId;

/// What makes an entry the entry of one site. Entries are ordered by it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The test.
    pub test: TestId,
    /// The site of the test.
    pub site: SiteId,
    /// The kind of machine that the bound holds for; `None` for all that have no entry of their own.
    pub variant: Option<String>,
}

impl fmt::Display for Key {
    /// Writes the key for a person: "site `error<_` of test `sketch` in `lib`, case `10`, variant `gpu`".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "site `{}` of {}", visible(&self.site.label()), self.test)?;
        if let Some(case) = &self.site.case {
            write!(f, ", case `{}`", visible(case))?;
        }
        if let Some(variant) = &self.variant {
            write!(f, ", variant `{}`", visible(variant))?;
        }
        Ok(())
    }
}
