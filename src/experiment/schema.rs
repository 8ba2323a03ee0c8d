//! The example file and the JSON Schema of an experiment, as they are shipped.

/// A commented `experiment.toml` with every field.
pub const EXAMPLE: &str = include_str!("example.toml");

/// JSON Schema of `experiment.toml`, for editors that complete and check TOML. A test makes it from the types and compares.
pub const SCHEMA_JSON: &str = include_str!("../../schemas/experiment.schema.json");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;

    #[test]
    fn the_schema_is_that_of_the_types() {
        let made = serde_json::to_string_pretty(&schemars::schema_for!(Experiment)).unwrap() + "\n";
        if std::env::var_os("CUTPOINT_WRITE_SCHEMA").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/experiment.schema.json");
            std::fs::write(path, &made).unwrap();
            return;
        }
        assert!(
            made == SCHEMA_JSON,
            "CUTPOINT_WRITE_SCHEMA=1 cargo test --lib schema writes schemas/experiment.schema.json"
        );
    }

    #[test]
    fn the_example_is_an_experiment_with_and_without_its_settings() {
        let plain = Experiment::parse(EXAMPLE, "example.toml").unwrap();
        assert_eq!((plain.name.as_str(), plain.strategies.len()), ("first", 3));
        let is_setting = |line: &str| line.starts_with('#') && !line.starts_with("# ") && line.len() > 1;
        let settled: String =
            EXAMPLE.lines().map(|line| if is_setting(line) { &line[1..] } else { line }.to_owned() + "\n").collect();
        let settled = Experiment::parse(&settled, "example.toml").unwrap();
        assert!(!settled.grid.is_empty() && settled.gate.len() == 2 && settled.manual.len() == 1);
        let schema: serde_json::Value = serde_json::from_str(SCHEMA_JSON).unwrap();
        for field in schema["properties"].as_object().unwrap().keys() {
            assert!(EXAMPLE.contains(field.as_str()), "{field} is not explained");
        }
    }
}
