//! `bound --jsonl`.

use serde_json::Value;

/// Every line that is not blank gets one line of JSON, with the id that it has.
pub fn jsonl(bytes: &[u8]) {
    let mut answers = Vec::new();
    cargo_flex::answer_lines(bytes, &mut answers).expect("memory is read and written");
    let text = String::from_utf8(answers).expect("answers are text");
    let is_question = |line: &&[u8]| !line.iter().all(u8::is_ascii_whitespace);
    let questions = bytes.split(|byte| *byte == b'\n').filter(is_question);
    assert_eq!(text.lines().count(), questions.clone().count(), "{text}");
    for (question, answer) in questions.zip(text.lines()) {
        let answer: Value = serde_json::from_str(answer).expect("answers are JSON");
        let asked: Option<Value> = serde_json::from_slice(question).ok();
        if let Some(id) = asked.as_ref().and_then(|asked| asked.get("id")) {
            assert_eq!(answer.get("id"), Some(id));
        }
        let finite = |number: &Value| number.as_f64().is_none_or(f64::is_finite);
        assert!(finite(&answer["bound"]), "{answer}");
    }
}
