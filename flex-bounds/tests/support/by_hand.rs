//! Bounds files that a person has edited: with comments, other spacing, other spelling and another order.

use std::vec::IntoIter;

use flex_bounds::file::BoundsFile;

/// A text, and which of its comments belong to what.
pub struct ByHand {
    pub text: String,
    /// One for each entry, in the order of the file's entries.
    pub blocks: Vec<Block>,
    /// The comments that belong to no entry.
    pub free: Vec<String>,
}

#[derive(Default)]
pub struct Block {
    /// From the comments above the header to those below the last key.
    pub text: String,
    pub comments: Vec<String>,
}

/// How a person goes about it, decided by numbers.
#[derive(Debug)]
pub struct Hand {
    decisions: IntoIter<u8>,
    comments: usize,
}

impl Hand {
    pub fn new(decisions: Vec<u8>) -> Self {
        Hand {
            decisions: decisions.into_iter(),
            comments: 0,
        }
    }

    /// Edits the text that flex writes, without changing what it says.
    pub fn edit(&mut self, file: &BoundsFile) -> ByHand {
        let written = file.to_string();
        let mut sections = written.split("\n[[bound]]\n");
        let mut free = Vec::new();
        let mut text = String::new();
        self.some_comments(&mut text, &mut free, "");
        text += sections.next().unwrap();
        self.some_comments(&mut text, &mut free, "");
        let mut blocks: Vec<(usize, Block)> = sections
            .map(|section| self.block(section))
            .enumerate()
            .collect();
        if self.decides(4) {
            blocks.reverse();
        }
        for (_, block) in &blocks {
            // Without a blank line the comments above would be the entry's.
            text += "\n";
            if self.decides(4) {
                self.some_comments(&mut text, &mut free, "");
                text += "\n";
            }
            text += &block.text;
        }
        if self.decides(3) {
            text += "\n";
            self.some_comments(&mut text, &mut free, "");
        }
        blocks.sort_by_key(|(index, _)| *index);
        let mut by_hand = ByHand {
            text,
            blocks: blocks.into_iter().map(|(_, block)| block).collect(),
            free,
        };
        if self.decides(3) {
            by_hand.text = by_hand.text.replace('\n', "\r\n");
            for block in &mut by_hand.blocks {
                block.text = block.text.replace('\n', "\r\n");
            }
        }
        if self.decides(4) {
            by_hand.text.insert(0, '\u{feff}');
        }
        if self.decides(4) {
            by_hand.text.truncate(by_hand.text.trim_end().len());
        }
        by_hand
    }

    fn block(&mut self, section: &str) -> Block {
        let mut text = String::new();
        let mut comments = Vec::new();
        self.some_comments(&mut text, &mut comments, "");
        text += self.one_of(&["[[bound]]", "[[bound]]", "[[ bound ]]", " [[\"bound\"]]"]);
        self.end_line(&mut text, &mut comments);
        for line in section.lines() {
            if self.decides(8) {
                text += "\n";
            }
            self.some_comments(&mut text, &mut comments, "  ");
            let (key, value) = line.split_once(" = ").unwrap();
            let inline = value
                .strip_prefix("{ ")
                .and_then(|rest| rest.strip_suffix(" }"));
            match inline {
                Some(parts) if !parts.contains(['{', '"', '\'']) && self.decides(4) => {
                    for part in outside_of_brackets(parts) {
                        text += &format!("{key}.{part}");
                        self.end_line(&mut text, &mut comments);
                    }
                }
                _ => {
                    text += &match self.decision() % 16 {
                        1 => format!("\"{key}\" = "),
                        2 => format!("  {key}="),
                        3 => format!("{key}\t =  "),
                        _ => format!("{key} = "),
                    };
                    self.value(&mut text, &mut comments, value);
                    self.end_line(&mut text, &mut comments);
                }
            }
        }
        self.some_comments(&mut text, &mut comments, "");
        Block { text, comments }
    }

    fn value(&mut self, text: &mut String, comments: &mut Vec<String>, value: &str) {
        let elements = value.strip_prefix('[').and_then(|v| v.strip_suffix(']'));
        match elements {
            Some(elements) if self.decides(3) => {
                *text += "[";
                self.end_line(text, comments);
                for element in elements.split(", ") {
                    *text += &format!("    {element},");
                    self.end_line(text, comments);
                }
                *text += "]";
            }
            _ => *text += value,
        }
    }

    fn end_line(&mut self, text: &mut String, comments: &mut Vec<String>) {
        if self.decides(6) {
            *text += self.one_of(&[" ", "", "   "]);
            *text += &self.comment(comments);
        }
        *text += "\n";
    }

    fn some_comments(&mut self, text: &mut String, comments: &mut Vec<String>, indent: &str) {
        while self.decides(8) {
            *text += &format!("{indent}{}\n", self.comment(comments));
        }
    }

    fn comment(&mut self, comments: &mut Vec<String>) -> String {
        self.comments += 1;
        let comment = format!("# [[bound]] \"'{}'\" {{;", self.comments);
        comments.push(comment.clone());
        comment
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::from(self.decision()) % choices.len()]
    }

    /// Yes in one case of `of`, as long as there is something left to decide.
    pub fn decides(&mut self, of: u8) -> bool {
        self.decision() % of == 1
    }

    /// In the end nothing special is done any more.
    fn decision(&mut self) -> u8 {
        self.decisions.next().unwrap_or(0)
    }
}

/// The parts of a text between commas that stand in no brackets.
fn outside_of_brackets(text: &str) -> Vec<&str> {
    let mut parts = vec![text];
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                let from = text.len() - parts[parts.len() - 1].len();
                parts.pop();
                parts.extend([&text[from..at], &text[at + 2..]]);
            }
            _ => {}
        }
    }
    parts
}
