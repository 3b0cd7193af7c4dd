//! The layered lobes on the GPU, compared with those of pleach-shading.
//!
//! Direct light agrees to 0.1 % of its value. Light of the environment is read from a texture of
//! 16-bit floats with the filter of the GPU: see [`harness::map_tolerance`].

use std::sync::Arc;

use glam::Vec3;
use pleach_shading::{EnvironmentLight, PrefilteredEnvironment, Shading, SplitSumLut};
use testkit::{Rng, sized};

use super::BRDF;
use super::harness;
use super::inputs::{Input, LOBES, READ, ROWS};

const RUN: &str = "
@compute @workgroup_size(64)
fn run(@builtin(global_invocation_id) id: vec3u) {
    if id.x * 14u >= arrayLength(&inputs) {
        return;
    }
    let at = id.x * 14u;
    let shading = shading_new(read_surface(at), inputs[at + 12u].xyz);
    let light = inputs[at + 13u].xyz;
    let iors = transmission_dispersed_iors(shading.surface.ior, shading.surface.dispersion);
    let blur = transmission_lod(shading.surface.roughness, shading.surface.ior, 1024.0);
    outputs[id.x * 5u] = vec4f(shading_evaluate(shading, light), 0.0);
    outputs[id.x * 5u + 1u] = vec4f(shading_environment_light(shading), 0.0);
    outputs[id.x * 5u + 2u] = vec4f(shading_transmittance(shading), 0.0);
    outputs[id.x * 5u + 3u] = vec4f(shading_transmission_ray(shading, iors.z), blur);
    outputs[id.x * 5u + 4u] = vec4f(shading_emitted_light(shading), 0.0);
}
";

fn assert_close(found: [f32; 4], expected: Vec3, tolerance: f32, what: &str, input: &Input) {
    let found = Vec3::new(found[0], found[1], found[2]);
    let error = (found - expected).abs().max_element();
    let limit = tolerance * (0.01 + expected.abs().max_element());
    assert!(
        error <= limit,
        "{what}: {found} on the GPU, {expected} on the CPU; view {}, light {}, {:?}",
        input.view,
        input.light,
        input.surface
    );
}

#[test]
fn every_lobe_has_the_same_value_on_the_gpu() {
    let map = Arc::clone(PrefilteredEnvironment::studio());
    let environment = EnvironmentLight::uniform(Vec3::new(0.1, 0.2, 0.3)).with_map(map, 0.8, 0.9);
    let source = BRDF.concat() + READ + RUN;
    let mut rng = Rng::from_env(0xb2df);
    for lobe in LOBES {
        let inputs: Vec<Input> =
            (0..sized(20_000, 1_000_000)).map(|_| Input::random(&mut rng, lobe)).collect();
        let rows: Vec<[f32; 4]> = inputs.iter().flat_map(Input::rows).collect();
        assert_eq!(rows.len(), inputs.len() * ROWS);
        for test in harness::gpus() {
            let outputs = harness::run(&test.gpu, &source, &rows, inputs.len(), 5, &environment);
            let map_tolerance = harness::map_tolerance(&test.gpu);
            let what = |value: &str| format!("{}, {lobe:?}, {value}", test.name);
            for (input, found) in inputs.iter().zip(outputs.chunks_exact(5)) {
                let shading = Shading::new(&input.surface, input.view, SplitSumLut::shared());
                let [_, _, ray] = shading.transmission_rays();
                let blur = shading.transmission_lod(1024.0);
                assert_close(found[0], shading.evaluate(input.light), 1e-3, &what("direct"), input);
                let light = shading.environment_light(&environment);
                assert_close(found[1], light, map_tolerance, &what("environment"), input);
                assert_close(found[2], shading.transmittance(), 1e-3, &what("through"), input);
                assert_close(found[3], ray, 1e-3, &what("ray"), input);
                assert_close([found[3][3]; 4], Vec3::splat(blur), 1e-3, &what("blur"), input);
                assert_close(found[4], shading.emitted_light(), 1e-3, &what("emission"), input);
            }
        }
    }
}
