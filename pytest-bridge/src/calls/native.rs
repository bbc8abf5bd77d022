//! Functions that are written in C, as the interpreter calls them.

use flex_detect::trace::Function;
use pyo3::prelude::*;
use pyo3::types::{PyModule, PyType};

use super::interpreter;
use super::names;

/// The types of callable objects that matter.
#[derive(Debug)]
pub struct Kinds {
    function: Py<PyAny>,
    bound: Py<PyAny>,
    builtin: Py<PyAny>,
    descriptor: Py<PyAny>,
}

/// A function that is written in C.
#[derive(Debug)]
pub struct NativeFunction<'py> {
    function: Bound<'py, PyAny>,
    /// The type of the object that it is a method of.
    class: Option<Bound<'py, PyType>>,
    key: (usize, usize),
}

impl Kinds {
    pub fn new(py: Python<'_>) -> PyResult<Self> {
        let types = py.import("types")?;
        let of = |name: &str| types.getattr(name).map(Bound::unbind);
        Ok(Kinds {
            function: of("FunctionType")?,
            bound: of("MethodType")?,
            builtin: of("BuiltinFunctionType")?,
            descriptor: of("MethodDescriptorType")?,
        })
    }

    /// The function that a callable is, if it is written in C; `first` is the first argument of the call.
    pub fn native<'py>(
        &self,
        callable: &Bound<'py, PyAny>,
        first: Option<&Bound<'py, PyAny>>,
    ) -> Option<NativeFunction<'py>> {
        let kind = callable.get_type();
        if kind.is(&self.function) {
            None
        } else if kind.is(&self.builtin) {
            let (address, object) = interpreter::builtin(callable)?;
            let object =
                object.filter(|object| !object.is_none() && !object.is_instance_of::<PyModule>());
            Some(NativeFunction::new(
                callable,
                address,
                object.map(|object| object.get_type()),
            ))
        } else if kind.is(&self.descriptor) {
            let address = callable.as_ptr() as usize;
            Some(NativeFunction::new(
                callable,
                address,
                first.map(|first| first.get_type()),
            ))
        } else if kind.is(&self.bound) {
            let function = callable.getattr("__func__").ok()?;
            is_of_cython(&function.get_type()).then(|| NativeFunction::of_cython(&function))
        } else {
            is_of_cython(&kind).then(|| NativeFunction::of_cython(callable))
        }
    }
}

/// Whether objects of this type are functions that Cython compiled, which are no built-in ones.
fn is_of_cython(kind: &Bound<'_, PyType>) -> bool {
    // Every module that Cython compiled has, by its version, a type of its own by this name.
    let name = kind.name();
    name.is_ok_and(|name| {
        name.to_str()
            .is_ok_and(|name| name == "cython_function_or_method")
    })
}

impl<'py> NativeFunction<'py> {
    fn new(
        function: &Bound<'py, PyAny>,
        address: usize,
        class: Option<Bound<'py, PyType>>,
    ) -> Self {
        let of_class = class.as_ref().map_or(0, |class| class.as_ptr() as usize);
        NativeFunction {
            function: function.clone(),
            key: (address, of_class),
            class,
        }
    }

    fn of_cython(function: &Bound<'py, PyAny>) -> Self {
        NativeFunction::new(function, function.as_ptr() as usize, None)
    }

    /// What stands for it: the same at each call, although its object need not be.
    pub fn key(&self) -> (usize, usize) {
        self.key
    }

    /// The objects that the key is made of, so that their addresses belong to nothing else.
    pub fn kept(&self) -> Vec<Py<PyAny>> {
        let class = self.class.iter().map(|class| class.clone().into_any());
        class
            .chain([self.function.clone()])
            .map(Bound::unbind)
            .collect()
    }

    /// Whether its class may end with the test.
    pub fn is_passing(&self) -> bool {
        self.class
            .as_ref()
            .is_some_and(interpreter::is_made_at_run_time)
    }

    /// Its name and its class.
    pub fn named(&self) -> Function {
        let text = |of: &Bound<'_, PyAny>, name: &str| -> Option<String> {
            Some(
                of.getattr(name)
                    .ok()?
                    .str()
                    .ok()?
                    .to_string_lossy()
                    .into_owned(),
            )
        };
        let class = match &self.class {
            Some(class) => text(class, "__name__"),
            None if is_of_cython(&self.function.get_type()) => {
                let qualified = text(&self.function, "__qualname__").unwrap_or_default();
                Some(names::class_of(&qualified).to_owned())
            }
            None => None,
        };
        Function {
            function: text(&self.function, "__name__").unwrap_or_default(),
            class: class.unwrap_or_default(),
            ..Function::default()
        }
    }
}
