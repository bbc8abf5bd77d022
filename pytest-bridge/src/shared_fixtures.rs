//! Fixtures that several tests share: what one touches when it is set up is touched by every test that has it.
//!
//! pytest asks a fixture for its value by `FixtureDef.execute`, each time that somebody needs it, also by
//! `getfixturevalue`, and makes the value only once. What stands in the place of that method takes note of what is
//! touched meanwhile, and the test of which nothing is made any more gets it, too. No hook is called for the fixtures of
//! one test, of which parametrised tests have several, and no frame is added to any stack.

use std::collections::HashMap;
use std::sync::Mutex;

use flex_run::model::{self, Touch};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::looking::Looking;
use crate::probe::locked;

/// Stands in for `FixtureDef.execute`.
#[pyclass(frozen)]
pub struct SharedFixtures {
    execute: Py<PyAny>,
    looking: Py<Looking>,
    /// The scope of fixtures that no other test shares.
    narrow: Py<PyAny>,
    /// What each touched that touched something, by its address; it is kept, so that no other gets that.
    touched: Mutex<HashMap<usize, (Py<PyAny>, model::Probe)>>,
}

#[pymethods]
impl SharedFixtures {
    #[new]
    fn new(execute: Py<PyAny>, looking: Py<Looking>, narrow: Py<PyAny>) -> Self {
        SharedFixtures {
            execute,
            looking,
            narrow,
            touched: Mutex::default(),
        }
    }

    /// The method of a fixture, as functions give it.
    fn __get__<'py>(
        this: Bound<'py, Self>,
        fixture: &Bound<'py, PyAny>,
        _class: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        static METHOD: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let py = this.py();
        match fixture.is_none() {
            true => Ok(this.into_any()),
            false => METHOD
                .import(py, "types", "MethodType")?
                .call1((this, fixture)),
        }
    }

    #[pyo3(signature = (fixture, *args, **kwargs))]
    fn __call__<'py>(
        &self,
        fixture: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let py = fixture.py();
        let execute = self.execute.bind(py).getattr(intern!(py, "__get__"))?;
        let execute = execute.call1((fixture, fixture.get_type()))?;
        let scope = fixture.getattr(intern!(py, "_scope"));
        if scope.is_ok_and(|scope| scope.is(&self.narrow)) {
            return Ok(execute.call(args, kwargs)?.unbind());
        }
        let looking = self.looking.get();
        let before = looking.so_far(py);
        let value = execute.call(args, kwargs);
        let touched = since(&before, &looking.so_far(py));
        let mut all = locked(&self.touched);
        let known = all.get_mut(&(fixture.as_ptr() as usize));
        match (known, touched.touches().is_empty()) {
            (Some((_, known)), true) => looking.add_touches(py, known),
            (Some((_, known)), false) => known.absorb(&touched),
            (None, true) => {}
            (None, false) => {
                let kept = (fixture.clone().unbind(), touched);
                all.insert(fixture.as_ptr() as usize, kept);
            }
        }
        value.map(Bound::unbind)
    }
}

/// What was touched between two looks.
fn since(before: &model::Probe, after: &model::Probe) -> model::Probe {
    let earlier = |touch: &Touch| {
        let mut before = before.touches().iter();
        let same = before.find(|known| {
            (known.cause, known.seeded, &known.what) == (touch.cause, touch.seeded, &touch.what)
        });
        same.map_or(0, |known| known.count)
    };
    let more = after.touches().iter().map(|touch| Touch {
        count: touch.count - earlier(touch),
        ..touch.clone()
    });
    more.filter(|touch| touch.count > 0).collect()
}
