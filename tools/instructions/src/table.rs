//! The committed table: a line per entry, with its count and, if it was raised, the reason.
//!
//! Invariants: the lines are sorted by compiler, kernel and entry; comments are those of `HEADER`.

use std::collections::BTreeMap;

use crate::Error;

/// The path of the table, from the root of the workspace.
pub(crate) const PATH: &str = "docs/benchmarks/instructions.tsv";

const HEADER: &str = "\
# Instructions per stage, counted by callgrind (valgrind) with cargo's profile `instructions`: opt-level 3,
# one codegen unit per crate, no LTO, no RUSTFLAGS. x86-64 Linux, one thread; 10,000 nodes, or 50 skeletons of
# 64 joints, or a .glb of 2,000 nodes. Kernel `any`: no kernel is forced; of these only `load` runs one, AVX2.
# Compare: cargo run -p instructions. Renew the entries of the installed compiler: cargo run -p instructions -- --bless
# CI fails if an entry grows by more than 3 %, or was raised by more than that without a reason.
# rustc\tkernel\tentry\tinstructions\treason, if the entry was raised
";

/// Instructions by kernel and entry.
pub(crate) type Counts = BTreeMap<[String; 2], u64>;

/// A count, and why it was raised.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    count: u64,
    reason: String,
}

/// Counts by compiler, kernel and entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    rows: BTreeMap<[String; 3], Row>,
}

impl Table {
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let mut rows = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut columns = line.splitn(5, '\t');
            let mut column = || columns.next().ok_or_else(|| format!("{PATH}: too short: {line}"));
            let key = [column()?, column()?, column()?].map(str::to_owned);
            let count = column()?.parse().map_err(|e| format!("{PATH}: {e}: {line}"))?;
            let reason = columns.next().unwrap_or_default().to_owned();
            rows.insert(key, Row { count, reason });
        }
        Ok(Self { rows })
    }

    pub(crate) fn to_text(&self) -> String {
        let line = |(key, row): (&[String; 3], &Row)| {
            let line = format!("{}\t{}\t{}", key.join("\t"), row.count, row.reason);
            line.trim_end().to_owned() + "\n"
        };
        HEADER.to_owned() + &self.rows.iter().map(line).collect::<String>()
    }

    /// Returns the counts of a compiler.
    pub(crate) fn counts(&self, version: &str) -> Counts {
        let rows = self.rows.iter().filter(|([of, ..], _)| of == version);
        rows.map(|([_, kernel, entry], row)| ([kernel.clone(), entry.clone()], row.count)).collect()
    }

    /// Replaces the counts of a compiler. Keeps the reasons of entries that are not raised beyond
    /// `limit` times their count, and returns the others.
    pub(crate) fn replace(&mut self, version: &str, counts: &Counts, limit: f64) -> Vec<String> {
        let old = core::mem::take(&mut self.rows);
        let (mut replaced, kept): (BTreeMap<_, _>, _) =
            old.into_iter().partition(|([of, ..], _)| of == version);
        self.rows = kept;
        let mut raised = Vec::new();
        for ([kernel, entry], &count) in counts {
            let key = [version.to_owned(), kernel.clone(), entry.clone()];
            let reason = match replaced.remove(&key) {
                Some(row) if count as f64 > row.count as f64 * limit => {
                    raised.push(format!("{entry} ({kernel})"));
                    String::new()
                }
                Some(row) => row.reason,
                None => String::new(),
            };
            self.rows.insert(key, Row { count, reason });
        }
        raised
    }

    /// Returns the entries that exceed `limit` times those of an earlier table, and have no reason
    /// or the same as before.
    pub(crate) fn raised_without_reason(&self, earlier: &Self, limit: f64) -> Vec<String> {
        let raised = self.rows.iter().filter(|(key, row)| {
            earlier.rows.get(*key).is_some_and(|old| {
                let is_raised = row.count as f64 > old.count as f64 * limit;
                is_raised && (row.reason.is_empty() || row.reason == old.reason)
            })
        });
        raised.map(|([_, kernel, entry], _)| format!("{entry} ({kernel})")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(lines: &[&str]) -> Table {
        Table::parse(&lines.join("\n")).unwrap()
    }

    #[test]
    fn text_is_read_back() {
        let table = table(&["1.0\tany\tedit\t7", "1.0\tavx2\tcull/scan\t8\tmore planes"]);
        assert_eq!(Table::parse(&table.to_text()).unwrap(), table);
        assert_eq!(table.counts("1.0").len(), 2);
        assert!(table.counts("2.0").is_empty());
        assert!(Table::parse("1.0\tany\tedit").is_err());
        assert!(Table::parse("1.0\tany\tedit\tmany").is_err());
    }

    #[test]
    fn raised_entries_need_a_reason_of_their_own() {
        let old = table(&["1\tany\ta\t100", "1\tany\tb\t100\tbefore", "1\tany\tc\t100"]);
        let new = table(&["1\tany\ta\t103", "1\tany\tb\t104\tbefore", "1\tany\tc\t104\tnew"]);
        assert_eq!(new.raised_without_reason(&old, 1.03), ["b (any)"]);
        let other_compiler = table(&["2\tany\ta\t900"]);
        assert!(other_compiler.raised_without_reason(&old, 1.03).is_empty());
    }

    #[test]
    fn blessing_drops_the_reasons_of_raised_entries_only() {
        let mut it = table(&["1\tany\ta\t100\tbefore", "1\tany\tb\t100\tbefore", "2\tany\ta\t5"]);
        let counts = [("a", 101), ("b", 200), ("new", 1)];
        let counts: Counts =
            counts.map(|(entry, count)| (["any".to_owned(), entry.to_owned()], count)).into();
        assert_eq!(it.replace("1", &counts, 1.03), ["b (any)"]);
        assert_eq!(
            it,
            table(&["1\tany\ta\t101\tbefore", "1\tany\tb\t200", "1\tany\tnew\t1", "2\tany\ta\t5"])
        );
    }
}
