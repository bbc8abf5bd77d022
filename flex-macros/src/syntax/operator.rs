//! Operators between two expressions.

use super::Input;

/// How tightly an operator binds, from the loosest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precedence {
    Assign,
    Range,
    Or,
    And,
    Compare,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Cast,
}

impl Precedence {
    /// The next tighter one.
    pub fn tighter(self) -> Self {
        match self {
            Precedence::Assign => Precedence::Range,
            Precedence::Range => Precedence::Or,
            Precedence::Or => Precedence::And,
            Precedence::And => Precedence::Compare,
            Precedence::Compare => Precedence::BitOr,
            Precedence::BitOr => Precedence::BitXor,
            Precedence::BitXor => Precedence::BitAnd,
            Precedence::BitAnd => Precedence::Shift,
            Precedence::Shift => Precedence::Sum,
            Precedence::Sum => Precedence::Product,
            Precedence::Product | Precedence::Cast => Precedence::Cast,
        }
    }
}

/// An operator between two expressions, as it is written.
pub type BinaryOperator = &'static str;

/// All operators; those that begin with others come first.
const OPERATORS: [(BinaryOperator, Precedence); 31] = [
    ("<<=", Precedence::Assign),
    (">>=", Precedence::Assign),
    ("..=", Precedence::Range),
    ("&&", Precedence::And),
    ("||", Precedence::Or),
    ("==", Precedence::Compare),
    ("!=", Precedence::Compare),
    ("<=", Precedence::Compare),
    (">=", Precedence::Compare),
    ("<<", Precedence::Shift),
    (">>", Precedence::Shift),
    ("..", Precedence::Range),
    ("+=", Precedence::Assign),
    ("-=", Precedence::Assign),
    ("*=", Precedence::Assign),
    ("/=", Precedence::Assign),
    ("%=", Precedence::Assign),
    ("^=", Precedence::Assign),
    ("&=", Precedence::Assign),
    ("|=", Precedence::Assign),
    ("=", Precedence::Assign),
    ("<", Precedence::Compare),
    (">", Precedence::Compare),
    ("+", Precedence::Sum),
    ("-", Precedence::Sum),
    ("*", Precedence::Product),
    ("/", Precedence::Product),
    ("%", Precedence::Product),
    ("^", Precedence::BitXor),
    ("&", Precedence::BitAnd),
    ("|", Precedence::BitOr),
];

/// The operator that comes next, if one does.
pub fn operator(input: &Input) -> Option<(BinaryOperator, Precedence)> {
    if input.is_word("as") {
        return Some(("as", Precedence::Cast));
    }
    if input.is_punct("=>") || input.is_punct("->") {
        return None;
    }
    let mut operators = OPERATORS.iter();
    operators.find(|(text, _)| input.is_punct(text)).copied()
}
