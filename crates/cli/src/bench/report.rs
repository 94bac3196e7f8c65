//! What a run found, as a table for people and as JSON.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value, json};

/// Figures with their names, in the order in which they are shown.
#[derive(Default)]
pub(super) struct Report {
    rows: Vec<Row>,
    faults: Vec<String>,
    fault_count: u64,
}

struct Row {
    key: String,
    label: String,
    value: Value,
    unit: &'static str,
}

impl Report {
    /// A figure, rounded to what can be read.
    pub(super) fn figure(&mut self, key: &str, label: &str, value: f64, unit: &'static str) {
        let scale = if value.abs() < 100.0 { 1e3 } else { 1.0 };
        let value = json!((value * scale).round() / scale);
        self.rows.push(Row { key: key.to_owned(), label: label.to_owned(), value, unit });
    }

    /// A number of things.
    pub(super) fn count(&mut self, key: &str, label: &str, count: u64) {
        let (key, label) = (key.to_owned(), label.to_owned());
        self.rows.push(Row { key, label, value: json!(count), unit: "" });
    }

    /// A word.
    pub(super) fn word(&mut self, key: &str, label: &str, word: &str) {
        let (key, label) = (key.to_owned(), label.to_owned());
        self.rows.push(Row { key, label, value: json!(word), unit: "" });
    }

    /// How long things took: median, 99th percentile and longest.
    pub(super) fn times(&mut self, key: &str, label: &str, mut times: Vec<Duration>) {
        times.sort_unstable();
        let Some(last) = times.len().checked_sub(1) else { return };
        for (name, permille) in [("p50", 500), ("p99", 990), ("max", 1000)] {
            let time = times[last * permille / 1000].as_secs_f64() * 1e3;
            self.figure(&format!("{key}_{name}_ms"), &format!("{label}, {name}"), time, "ms");
        }
    }

    /// What must not have happened.
    pub(super) fn faults(&mut self, faults: Vec<String>, count: u64) {
        self.faults.extend(faults);
        self.fault_count += count;
    }

    pub(super) fn fault_count(&self) -> u64 {
        self.fault_count
    }

    /// Prints the table.
    pub(super) fn print(&self) -> anyhow::Result<()> {
        let width = self.rows.iter().map(|row| row.label.len()).max().unwrap_or(0);
        let mut out = std::io::stdout().lock();
        for Row { label, value, unit, .. } in &self.rows {
            let value = match value {
                Value::String(word) => word.clone(),
                value => value.to_string(),
            };
            writeln!(out, "{}", format!("{label:width$}  {value:>12} {unit}").trim_end())?;
        }
        writeln!(out, "{:width$}  {:>12}", "violations", self.fault_count)?;
        for fault in &self.faults {
            writeln!(out, "  {fault}")?;
        }
        Ok(())
    }

    /// Writes the JSON.
    pub(super) fn write(&self, path: &Path) -> anyhow::Result<()> {
        let rows = self.rows.iter().map(|row| (row.key.clone(), row.value.clone()));
        let mut object: Map<String, Value> = rows.collect();
        object.insert("violations".to_owned(), json!(self.fault_count));
        object.insert("faults".to_owned(), json!(self.faults));
        let mut file = File::create(path)?;
        serde_json::to_writer_pretty(&mut file, &Value::Object(object))?;
        Ok(writeln!(file)?)
    }
}
