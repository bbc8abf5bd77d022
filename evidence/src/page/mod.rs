//! Pages of measurements: what a page is, and how one is made.

mod bars;
mod run;

pub use bars::{Bar, Section};
pub use run::{Asked, run};

/// A page of `docs/evidence`, and the command that measures what it says.
pub trait Page: Sync {
    /// The name of the command.
    fn name(&self) -> &'static str;

    /// The name of the file in `docs/evidence`, without its ending.
    fn file(&self) -> &'static str {
        self.name()
    }

    /// The things that are measured, and what that needs, for lists of commands.
    fn about(&self) -> &'static str;

    /// The time that everything takes on two quiet processors.
    fn takes(&self) -> &'static str;

    /// The parts, in the order in which they are measured.
    fn parts(&self) -> &'static [Part];

    /// The page, in which `{name}` stands for the section of the part of that name.
    fn template(&self) -> &'static str;

    /// Returns true if there is a quick form with a tenth of the simulations.
    fn has_quick_form(&self) -> bool {
        false
    }
}

/// A part of a page, which can be measured alone.
pub struct Part {
    /// The name, for `--part`.
    pub name: &'static str,
    /// The things that are measured, for lists.
    pub about: &'static str,
    /// Measures it.
    pub measure: fn(Size) -> Result<Section, String>,
}

/// The amount of simulations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// As much as the committed page rests on.
    Full,
    /// A tenth of that.
    Quick,
}

impl Size {
    /// Returns as many simulations as this size has, where the full one has `full`.
    pub fn of(self, full: usize) -> usize {
        match self {
            Size::Full => full,
            Size::Quick => full / 10,
        }
    }
}
