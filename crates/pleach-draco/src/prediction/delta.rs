//! Delta prediction: each value is predicted to equal the value before.

use super::octahedron::Octahedron;
use super::wrap::WrapTransform;

/// Restores values of `components` integers.
pub(crate) fn restore(values: &mut [i32], components: usize, wrap: WrapTransform) {
    for index in 0..values.len() {
        let last = if index < components { 0 } else { values[index - components] };
        values[index] = wrap.restore(last, values[index]);
    }
}

/// Restores octahedral coordinates of normals.
pub(crate) fn restore_normals(values: &mut [i32], octahedron: Octahedron) {
    let mut last = [0, 0];
    for value in values.as_chunks_mut().0 {
        last = octahedron.restore(last, *value);
        *value = last;
    }
}
