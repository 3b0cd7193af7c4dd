// Copies matrices from a staging buffer to the rows of their slots, bit by bit.
//
// Words are integers, so that no bit of a float changes on the way.

// The number of entries; then for each the slot and the twelve words of its matrix.
@group(0) @binding(0) var<storage, read> staging: array<u32>;
@group(0) @binding(1) var<storage, read_write> rows: array<u32>;

@compute @workgroup_size(64)
fn scatter(@builtin(global_invocation_id) id: vec3<u32>) {
    let entry = id.x;
    if (entry >= staging[0]) {
        return;
    }
    let source = 1u + 13u * entry;
    let target_row = 12u * staging[source];
    for (var word = 0u; word < 12u; word++) {
        rows[target_row + word] = staging[source + 1u + word];
    }
}
