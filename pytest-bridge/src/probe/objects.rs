//! Objects of a type that are alive, found by way of the objects that Python's collector of garbage knows.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};

/// Returns objects of a type that something refers to, each once. An object that only a running function holds is not
/// found.
#[pyfunction]
pub fn living<'py>(kind: &Bound<'py, PyType>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let gc = kind.py().import("gc")?;
    let (referents, is_tracked) = (gc.getattr("get_referents")?, gc.getattr("is_tracked")?);
    let mut holders = gc.call_method0("get_objects")?.cast_into::<PyList>()?;
    let mut found: Vec<Bound<'py, PyAny>> = Vec::new();
    // Types are asked, and not objects, which may say of themselves what they like.
    let mut types: HashMap<usize, bool> = HashMap::new();
    while !holders.is_empty() {
        let held = referents.call1(holders.to_tuple())?.cast_into::<PyList>()?;
        let hidden = PyList::empty(kind.py());
        for object in held {
            let type_of = object.get_type();
            let is_known = types.get(&(type_of.as_ptr() as usize)).copied();
            let is_found = match is_known {
                Some(is_found) => is_found,
                None => type_of.is_subclass(kind)?,
            };
            types.insert(type_of.as_ptr() as usize, is_found);
            if is_found {
                if !found.iter().any(|known| known.is(&object)) {
                    found.push(object);
                }
            // The collector leaves out what holds nothing that it knows.
            } else if is_container(&object) && !is_tracked.call1((&object,))?.is_truthy()? {
                hidden.append(object)?;
            }
        }
        holders = hidden;
    }
    Ok(found)
}

fn is_container(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<PyDict>() || object.is_exact_instance_of::<PyTuple>()
}
