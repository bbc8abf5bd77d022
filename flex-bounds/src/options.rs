//! What a test asks for: by its attribute or marker, by `flex.toml`, or not at all.

/// What is said of a test. What is not said is left to whoever is asked next, and to the defaults in the end.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Options {
    /// `confidence = 0.9999`.
    pub confidence: Option<f64>,
    /// `runs = 100`: calibration runs to begin with.
    pub runs: Option<u32>,
    /// `max_runs = 3000`: calibration runs at most.
    pub max_runs: Option<u32>,
    /// `tail = light`: the user promises tails that are at most exponential.
    pub light: Option<bool>,
    /// `effort = 0.3`: expected extra runs per run.
    pub effort: Option<f64>,
    /// `on_ceiling = warn`: a value beyond a ceiling is no failure.
    pub ceiling_warns: Option<bool>,
    /// `overlap = true`: runs may overlap in time.
    pub overlap: Option<bool>,
    /// `entropy = controlled`: what the operating system gives follows the seed.
    pub controlled: Option<bool>,
    /// `attempts = 4`: runs of which one must not fail by itself.
    pub attempts: Option<u32>,
}

impl Options {
    /// Nothing is said.
    pub const NONE: Options = Options {
        confidence: None,
        runs: None,
        max_runs: None,
        light: None,
        effort: None,
        ceiling_warns: None,
        overlap: None,
        controlled: None,
        attempts: None,
    };

    /// What is said here, and what the other says where nothing is.
    pub fn or(self, other: Options) -> Options {
        let Options {
            confidence,
            mut runs,
            mut max_runs,
            light,
            effort,
            ceiling_warns,
            overlap,
            controlled,
            attempts,
        } = self;
        // Whoever states one end of the runs is not held to another's other end, if the two do not go together.
        match (runs, max_runs) {
            (Some(least), None) => max_runs = other.max_runs.map(|most| most.max(least)),
            (None, Some(most)) => runs = other.runs.map(|least| least.min(most)),
            (None, None) => (runs, max_runs) = (other.runs, other.max_runs),
            (Some(_), Some(_)) => {}
        }
        Options {
            confidence: confidence.or(other.confidence),
            runs,
            max_runs,
            light: light.or(other.light),
            effort: effort.or(other.effort),
            ceiling_warns: ceiling_warns.or(other.ceiling_warns),
            overlap: overlap.or(other.overlap),
            controlled: controlled.or(other.controlled),
            attempts: attempts.or(other.attempts),
        }
    }

    /// Whether tails are promised to be light.
    pub fn is_light(&self) -> bool {
        self.light == Some(true)
    }

    /// Whether a value beyond a ceiling is no failure.
    pub fn ceiling_warns(&self) -> bool {
        self.ceiling_warns == Some(true)
    }

    /// Whether runs may overlap in time.
    pub fn may_overlap(&self) -> bool {
        self.overlap == Some(true)
    }

    /// Whether what the operating system gives follows the seed.
    pub fn controls_entropy(&self) -> bool {
        self.controlled == Some(true)
    }

    /// How many runs are made until one does not fail by itself.
    pub fn attempts(&self) -> u32 {
        self.attempts.unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_first_counts() {
        let own = Options {
            overlap: Some(false),
            runs: Some(500),
            ..Options::NONE
        };
        let other = Options {
            overlap: Some(true),
            light: Some(true),
            max_runs: Some(300),
            ..Options::NONE
        };
        let both = own.or(other);
        assert!(!both.may_overlap() && both.is_light());
        assert_eq!((both.runs, both.max_runs), (Some(500), Some(500)));
        let both = other.or(own);
        assert_eq!((both.runs, both.max_runs), (Some(300), Some(300)));
        assert_eq!(Options::NONE.or(own), own);
        assert_eq!(own.or(Options::NONE), own);
    }
}
