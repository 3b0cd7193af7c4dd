//! Tables for people: columns side by side, numbers to the right.

use std::fmt;

/// Rows under a head.
pub(crate) struct Table(comfy_table::Table);

impl Table {
    /// A table with these heads.
    pub(crate) fn new(headings: &[&str]) -> Self {
        let mut table = comfy_table::Table::new();
        table.load_style(comfy_table::presets::NOTHING).set_header(headings);
        for column in table.column_iter_mut() {
            column.set_cell_alignment(comfy_table::CellAlignment::Right);
        }
        Self(table)
    }

    /// One more row.
    pub(crate) fn add_row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.add_row(cells.into_iter().collect::<Vec<_>>());
    }

    /// With these columns to the left, as texts are.
    pub(crate) fn left_aligned(mut self, columns: &[usize]) -> Self {
        for &column in columns {
            if let Some(column) = self.0.column_mut(column) {
                column.set_cell_alignment(comfy_table::CellAlignment::Left);
            }
        }
        self
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without what it fills the last column up with.
        for (number, line) in self.0.lines().enumerate() {
            if number > 0 {
                writeln!(f)?;
            }
            write!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
