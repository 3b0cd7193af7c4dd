//! Every shader is valid WGSL: parsed and validated by naga, without a GPU.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use pleach_wgpu::shader_variants;

#[test]
fn every_variant_is_valid() {
    let variants = shader_variants();
    assert!(variants.len() > 300, "{} variants", variants.len());
    for (name, text) in &variants {
        let module = match naga::front::wgsl::parse_str(text) {
            Ok(module) => module,
            Err(error) => panic!("{name}: {}", error.emit_to_string(text)),
        };
        // What WebGPU guarantees.
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        if let Err(error) = validator.validate(&module) {
            panic!("{name}: {}", error.emit_to_string(text));
        }
        assert!(!module.entry_points.is_empty(), "{name}");
    }
}
