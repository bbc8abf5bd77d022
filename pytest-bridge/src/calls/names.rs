//! What a function is called: its name, its class and its file.

use flex_detect::trace::Function;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

/// The folders that files are named relative to.
#[derive(Debug)]
pub struct Files {
    /// The longest first, each with its separator.
    folders: Vec<String>,
}

impl Files {
    pub fn new(mut folders: Vec<String>) -> Self {
        folders.retain(|folder| !folder.is_empty());
        for folder in &mut folders {
            if !folder.ends_with(['/', '\\']) {
                folder.push(std::path::MAIN_SEPARATOR);
            }
        }
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.len()));
        Files { folders }
    }

    /// A file as a trace has it: the same in every environment.
    fn named(&self, file: &str) -> String {
        // Some modules of the standard library are part of the interpreter, others with each version.
        let frozen = file
            .strip_prefix("<frozen ")
            .and_then(|rest| rest.strip_suffix('>'));
        if let Some(module) = frozen {
            return format!("{}.py", module.replace('.', "/"));
        }
        let inside = self
            .folders
            .iter()
            .find_map(|f| file.strip_prefix(f.as_str()));
        match std::path::MAIN_SEPARATOR {
            '/' => inside.unwrap_or(file).to_owned(),
            separator => inside.unwrap_or(file).replace(separator, "/"),
        }
    }
}

/// The function that a code object is of. Its frame tells the class where the code does not: CPython 3.10.
pub fn of_code(
    code: &Bound<'_, PyAny>,
    frame: Option<&Bound<'_, PyAny>>,
    files: &Files,
) -> Function {
    let text = |name: &str| -> Option<String> {
        let value = code.getattr(name).ok()?;
        Some(value.str().ok()?.to_string_lossy().into_owned())
    };
    let function = text("co_name").unwrap_or_default();
    let qualified = text("co_qualname")
        .or_else(|| frame.and_then(|frame| qualified(code, frame, &function)))
        .unwrap_or_default();
    let named = Function {
        class: class_of(&qualified).to_owned(),
        file: files.named(&text("co_filename").unwrap_or_default()),
        line: code
            .getattr("co_firstlineno")
            .and_then(|line| line.extract())
            .unwrap_or(0),
        function,
        qualified: String::new(),
    };
    match qualified == named.in_class() {
        true => named,
        false => Function { qualified, ..named },
    }
}

/// The class in a qualified name: `C` of `C.method` and of `function.<locals>.C.method`.
pub fn class_of(qualified: &str) -> &str {
    let inner = qualified
        .rsplit_once("<locals>.")
        .map_or(qualified, |(_, inner)| inner);
    inner.rsplit_once('.').map_or("", |(class, _)| class)
}

/// The qualified name of the method that a frame runs, found by its first argument.
fn qualified(code: &Bound<'_, PyAny>, frame: &Bound<'_, PyAny>, name: &str) -> Option<String> {
    let names = code.getattr("co_varnames").ok()?;
    let first = names.cast::<PyTuple>().ok()?.get_item(0).ok()?;
    let is_object = matches!(
        &*first.str().ok()?.to_string_lossy(),
        "self" | "cls" | "mcs"
    );
    let object = match is_object {
        true => frame.getattr("f_locals").ok()?.get_item(first).ok()?,
        false => return None,
    };
    // A class is an object, too, and a function may be that of its own class.
    let own = object.cast::<PyType>().ok().map(|class| class.mro());
    let classes = own.into_iter().chain([object.get_type().mro()]);
    let mut classes = classes.flat_map(|classes| classes.iter().collect::<Vec<_>>());
    classes.find_map(|class| {
        let function = member(&class, name).filter(|function| is_of(function, code))?;
        function.getattr("__qualname__").ok()?.extract().ok()
    })
}

/// The function that a class has by that name, also below what decorators of Python itself make of it.
fn member<'py>(class: &Bound<'py, PyAny>, name: &str) -> Option<Bound<'py, PyAny>> {
    let members = class.getattr("__dict__").ok()?;
    let plain = members.get_item(name).ok();
    let member = plain.or_else(|| {
        // Names that begin with two underscores are those of one class alone.
        let class = class.getattr("__name__").ok()?;
        let class = class
            .str()
            .ok()?
            .to_string_lossy()
            .trim_start_matches('_')
            .to_owned();
        members.get_item(format!("_{class}{name}")).ok()
    })?;
    let below = ["fget", "__func__", "__wrapped__"];
    let below = below.iter().find_map(|of| member.getattr(*of).ok());
    Some(below.unwrap_or(member))
}

fn is_of(function: &Bound<'_, PyAny>, code: &Bound<'_, PyAny>) -> bool {
    function
        .getattr("__code__")
        .is_ok_and(|found| found.is(code))
}
