//! `--set FIELD=VALUE`: a grid over fields of the strategies, from the command line.

use toml::Value;

use crate::experiment::Grid;

/// A field and its values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Assignment {
    field: String,
    values: Vec<Value>,
}

/// Reads `FIELD=VALUE[,VALUE…]`. A value is TOML; what is none is text, so that `summarizer.template=codex` needs no quotes.
pub(super) fn parse(text: &str) -> Result<Assignment, String> {
    let (field, values) = text.split_once('=').ok_or("expected FIELD=VALUE, such as trigger.reserve_tokens=8000")?;
    let (field, values) = (field.trim(), values.trim());
    if field.is_empty() || values.is_empty() {
        return Err("expected a field before the `=` and a value after it".to_owned());
    }
    // A list, a table or a quoted text is one TOML value, whose commas are its own.
    let values = if values.starts_with(['[', '{', '"', '\'']) {
        match toml_value(values).ok_or_else(|| format!("`{values}` is no TOML value"))? {
            Value::Array(values) => values,
            value => vec![value],
        }
    } else {
        values.split(',').map(|value| bare(value.trim())).collect()
    };
    Ok(Assignment { field: field.to_owned(), values })
}

/// Reads `MODEL=TOKENS`. Names of models may hold `=`, numbers do not.
pub(super) fn model_window(text: &str) -> Result<(String, u64), String> {
    let expected = "expected MODEL=TOKENS, such as small-128k=128000";
    let (name, tokens) = text.rsplit_once('=').ok_or(expected)?;
    let (name, tokens) = (name.trim(), tokens.trim());
    let window = tokens.parse().map_err(|_| format!("`{tokens}` is no whole number of tokens; {expected}"))?;
    if name.is_empty() { Err(expected.to_owned()) } else { Ok((name.to_owned(), window)) }
}

fn toml_value(text: &str) -> Option<Value> {
    toml::from_str::<toml::Table>(&format!("value = {text}")).ok()?.remove("value")
}

fn bare(text: &str) -> Value {
    toml_value(text).unwrap_or_else(|| Value::String(text.to_owned()))
}

/// All assignments as a grid; a field that is named twice has the values of both.
pub(super) fn grid(assignments: &[Assignment]) -> Grid {
    let mut grid = Grid::new();
    for Assignment { field, values } in assignments {
        grid.entry(field.clone()).or_default().extend(values.iter().cloned());
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<Value> {
        parse(text).unwrap().values
    }

    #[test]
    fn numbers_words_and_tables() {
        assert_eq!(values("trigger.reserve_tokens=8000, 16000"), [Value::Integer(8_000), Value::Integer(16_000)]);
        assert_eq!(values("trigger.share=0.5"), [Value::Float(0.5)]);
        assert_eq!(values("cut.whole_turns = true"), [Value::Boolean(true)]);
        assert_eq!(values("summarizer.template=codex,by-task").len(), 2);
        assert_eq!(values("summarizer.template=\"a,b\""), [Value::String("a,b".to_owned())]);
        assert_eq!(values("x=[1, 2]"), [Value::Integer(1), Value::Integer(2)]);
        let table = values("trigger={ kind = \"threshold\", share = 0.5 }");
        assert_eq!(table[0]["share"], Value::Float(0.5));
    }

    #[test]
    fn a_window_of_a_model_is_a_name_and_a_number() {
        assert_eq!(model_window("small-128k=128000"), Ok(("small-128k".to_owned(), 128_000)));
        assert_eq!(model_window("a=b = 5"), Ok(("a=b".to_owned(), 5)));
        for text in ["", "small", "=5", "small=", "small=128k", "small=-1"] {
            model_window(text).unwrap_err();
        }
    }

    #[test]
    fn what_is_no_assignment_is_refused() {
        for text in ["", "trigger", "=5", "trigger.share=", "x={ kind = "] {
            parse(text).unwrap_err();
        }
    }

    #[test]
    fn a_field_that_is_named_twice_has_both_values() {
        let all = ["a.b=1", "c=2", "a.b=3"].map(|text| parse(text).unwrap());
        assert_eq!(grid(&all)["a.b"], [Value::Integer(1), Value::Integer(3)]);
    }
}
