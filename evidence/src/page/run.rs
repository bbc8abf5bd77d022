//! Measuring a page: all of it is written in one go, from one run, or nothing is.

use std::path::Path;

use xtask::process::root;

use super::{Page, Section, Size};

/// A request: a whole page, one part of it, or its quick form.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The name of the only part that is measured.
    pub part: Option<String>,
    /// The amount of simulations.
    pub size: Size,
}

impl Asked {
    /// The whole page, as it is committed.
    pub const EVERYTHING: Asked = Asked {
        part: None,
        size: Size::Full,
    };

    fn is_everything(&self) -> bool {
        self.part.is_none() && self.size == Size::Full
    }
}

/// Measures and prints what is asked for; writes the page if that is everything. The error lists the bars that are
/// missed.
pub fn run(page: &dyn Page, asked: &Asked) -> Result<(), String> {
    write_into(&root().join("docs/evidence"), page, asked)
}

fn write_into(folder: &Path, page: &dyn Page, asked: &Asked) -> Result<(), String> {
    let mut sections = Vec::new();
    for part in page.parts() {
        if asked.part.as_deref().is_none_or(|only| only == part.name) {
            let section = (part.measure)(asked.size)?;
            println!("{}", section.text);
            sections.push((part.name, section));
        }
    }
    if asked.is_everything() {
        write(folder, page, &sections)?;
    }
    let missed: Vec<String> = sections.into_iter().flat_map(|(_, s)| s.missed).collect();
    match missed.is_empty() {
        true => Ok(()),
        false => Err(format!("missed bars:\n  {}", missed.join("\n  "))),
    }
}

fn write(folder: &Path, page: &dyn Page, sections: &[(&str, Section)]) -> Result<(), String> {
    let main = (
        format!("{}.md", page.file()),
        fill(page.template(), sections),
    );
    let others = sections.iter().flat_map(|(_, section)| &section.files);
    let others = others.map(|(file, text)| ((*file).to_owned(), text.clone()));
    for (file, text) in std::iter::once(main).chain(others) {
        let path = folder.join(file);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        eprintln!("wrote {}", path.display());
    }
    Ok(())
}

/// The template with the sections in their places.
fn fill(template: &str, sections: &[(&str, Section)]) -> String {
    let mut pieces = template.split('{');
    let mut page = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once('}').unwrap_or((piece, ""));
        let section = sections.iter().find(|(part, _)| *part == name);
        page += section.map_or("", |(_, section)| &section.text);
        page += rest;
    }
    page
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::super::{Bar, Part};
    use super::*;

    /// A page of two parts, the second of which is as given.
    struct Fake(&'static [Part; 2]);

    impl Page for Fake {
        fn name(&self) -> &'static str {
            "fake"
        }

        fn about(&self) -> &'static str {
            ""
        }

        fn takes(&self) -> &'static str {
            ""
        }

        fn parts(&self) -> &'static [Part] {
            self.0
        }

        fn template(&self) -> &'static str {
            "# Fake\n\n{second}\n{first}"
        }
    }

    const FIRST: Part = Part {
        name: "first",
        about: "",
        measure: |_| {
            Ok(Section {
                text: "1 and {second}\n".to_owned(),
                files: vec![("fake.csv", "1,2\n".to_owned())],
                ..Section::default()
            })
        },
    };

    const fn second(measure: fn(Size) -> Result<Section, String>) -> Part {
        Part {
            name: "second",
            about: "",
            measure,
        }
    }

    const GOOD: Fake = Fake(&[FIRST, second(|_| Ok(bar(true)))]);
    const SLOW: Fake = Fake(&[FIRST, second(|_| Ok(bar(false)))]);
    const BROKEN: Fake = Fake(&[FIRST, second(|_| Err("no valgrind".to_owned()))]);

    fn bar(kept: bool) -> Section {
        let bar = Bar {
            what: "time".to_owned(),
            measured: "2".to_owned(),
            bar: "1".to_owned(),
            kept,
        };
        Section::with_bars(String::new(), &[bar])
    }

    /// Runs a page; returns how that ended, and the page and its table as they were written.
    fn check(page: &Fake, asked: &Asked) -> (Result<(), String>, Option<String>, Option<String>) {
        let folder = TempDir::new().unwrap();
        let ended = write_into(folder.path(), page, asked);
        let read = |file: &str| std::fs::read_to_string(folder.path().join(file)).ok();
        (ended, read("fake.md"), read("fake.csv"))
    }

    #[test]
    fn a_page_is_written_with_its_files() {
        let (ended, page, csv) = check(&GOOD, &Asked::EVERYTHING);
        assert_eq!(ended, Ok(()));
        let table = "| what | measured | bar | |\n|---|---|---|---|\n| time | 2 | 1 | kept |\n";
        let expected = format!("# Fake\n\n{table}\n1 and {{second}}\n");
        assert_eq!(page, Some(expected));
        assert_eq!(csv, Some("1,2\n".to_owned()));
    }

    #[test]
    fn a_page_with_a_missed_bar_is_written_and_fails() {
        let (ended, page, _) = check(&SLOW, &Asked::EVERYTHING);
        assert_eq!(ended, Err("missed bars:\n  time: 2, bar 1".to_owned()));
        assert!(page.is_some_and(|page| page.contains("**missed**")));
    }

    #[test]
    fn nothing_is_written_if_a_part_cannot_be_measured() {
        let (ended, page, csv) = check(&BROKEN, &Asked::EVERYTHING);
        assert_eq!(ended, Err("no valgrind".to_owned()));
        assert_eq!((page, csv), (None, None));
    }

    #[test]
    fn parts_and_quick_forms_are_not_written() {
        let part = Asked {
            part: Some("second".to_owned()),
            size: Size::Full,
        };
        let quick = Asked {
            part: None,
            size: Size::Quick,
        };
        assert_eq!(check(&GOOD, &part), (Ok(()), None, None));
        assert_eq!(check(&GOOD, &quick), (Ok(()), None, None));
        // The other part is not even measured.
        let first = Asked {
            part: Some("first".to_owned()),
            size: Size::Full,
        };
        assert_eq!(check(&BROKEN, &first), (Ok(()), None, None));
    }
}
