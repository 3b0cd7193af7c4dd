//! Decodes a box: 118 bytes of Draco to 12 triangles with positions and normals.
//!
//! `cargo run -p pleach-draco --example decode_box`

use pleach_draco::{AttributeKind, ComponentType, Error, decode};

fn main() -> Result<(), Error> {
    let stream = include_bytes!("box.drc");
    // Entropy decoders may need 16 MiB; the mesh itself takes little.
    let mesh = decode(stream, 16 << 20)?;

    println!("{} bytes: {} triangles", stream.len(), mesh.indices.len() / 3);
    for attribute in &mesh.attributes {
        let (kind, components) = (attribute.kind, attribute.components);
        println!("  {kind:?}: {components} × {:?} per point", attribute.component_type);
    }
    assert_eq!((mesh.point_count, mesh.indices.len()), (24, 36));

    let positions = mesh.attributes.iter().find(|it| it.kind == AttributeKind::Position);
    let positions = positions.expect("the box has positions");
    assert_eq!((positions.components, positions.component_type), (3, ComponentType::F32));
    let (components, _) = positions.bytes.as_chunks();
    for component in components.iter().map(|&bytes| f32::from_le_bytes(bytes)) {
        assert!((component.abs() - 0.5).abs() < 0.001, "not a corner of the box: {component}");
    }
    Ok(())
}
