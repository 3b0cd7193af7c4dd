//! The outline of selected nodes, from the nodes of the picture's pixels.

use pleach_shading::overlay::{OUTLINE_COLOR, Selection, outline_coverage, outline_width};

use super::coverage_mask::blend_over;
use crate::Picture;
use crate::threads;

/// Draws the outline on a picture with as many nodes as pixels, and at least one.
pub(super) fn draw(picture: &mut Picture, selection: &Selection) {
    let (width, height) = (picture.width as usize, picture.height as usize);
    let is_selected: Vec<bool> =
        threads::map(&picture.nodes, |node| node.is_some_and(|node| selection.contains(node)));
    let line_width = outline_width(picture.height);
    let reach = (line_width + 0.5).ceil() as usize;
    threads::for_each_chunk(
        &mut picture.pixels,
        width,
        || (),
        |(), y, row| {
            let rows = y.saturating_sub(reach)..(y + reach + 1).min(height);
            if !is_selected[rows.start * width..rows.end * width].contains(&true) {
                return;
            }
            for (x, pixel) in row.iter_mut().enumerate() {
                let columns = x.saturating_sub(reach)..(x + reach + 1).min(width);
                let nearest = rows
                    .clone()
                    .flat_map(|row| columns.clone().map(move |column| (column, row)))
                    .filter(|(column, row)| is_selected[row * width + column])
                    .map(|(column, row)| column.abs_diff(x).pow(2) + row.abs_diff(y).pow(2))
                    .min();
                let Some(squared) = nearest else { continue };
                let coverage = outline_coverage((squared as f64).sqrt(), line_width);
                blend_over(pixel, OUTLINE_COLOR, (coverage * 255.0 + 0.5) as u8);
            }
        },
    );
}
