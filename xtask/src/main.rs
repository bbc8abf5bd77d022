mod truth;
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let only = std::env::args().nth(2).filter(|s| s != "all");
    let runs: Vec<usize> = std::env::args()
        .nth(3)
        .map(|s| s.split(',').map(|x| x.parse().unwrap()).collect())
        .unwrap_or(truth::RUNS.to_vec());
    let t = std::time::Instant::now();
    let rows = truth::measure(n, only.as_deref(), &runs);
    truth::print_quick(&rows);
    truth::print_bad(&rows);
    for name in ["normal", "exponential", "t with 4 degrees"] {
        if rows.iter().any(|r| r.distribution.name == name) {
            truth::print_tightness(&rows, name);
        }
    }
    eprintln!("{:?}", t.elapsed());
}
