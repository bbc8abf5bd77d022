use flex_harness::prelude::*;

#[stochastic_test]
struct NotAFunction;

#[stochastic_test]
mod tests {
    fn inside() {}
}

trait Tested {
    #[stochastic_test]
    fn without_body();
}

fn main() {}
