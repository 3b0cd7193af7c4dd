//! Text tables with aligned columns.

use std::fmt;

/// A table with a row of headings.
pub(crate) struct Table(comfy_table::Table);

impl Table {
    /// Creates a table with right-aligned columns.
    pub(crate) fn new(headings: &[&str]) -> Self {
        let mut table = comfy_table::Table::new();
        table.load_style(comfy_table::presets::NOTHING).set_header(headings);
        for column in table.column_iter_mut() {
            column.set_cell_alignment(comfy_table::CellAlignment::Right);
        }
        Self(table)
    }

    /// Appends a row.
    pub(crate) fn add_row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.add_row(cells.into_iter().collect::<Vec<_>>());
    }

    /// Left-aligns the given columns.
    pub(crate) fn left(mut self, columns: &[usize]) -> Self {
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
        // Without the padding of the last column.
        for (number, line) in self.0.lines().enumerate() {
            if number > 0 {
                writeln!(f)?;
            }
            write!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
