//! Tone curves, punctual lights and environment lookups on the GPU, compared with pleach-shading.

use std::sync::Arc;

use glam::{Mat4, Quat, Vec3};
use pleach::Light;
use pleach_shading::{EnvironmentLight, PrefilteredEnvironment, PunctualLight, ToneMapping};
use testkit::Rng;

use super::harness;
use super::{BRDF, PUNCTUAL, STORABLE_LIGHT, TONE_MAPPING};

const COUNT: usize = 100_000;

fn environment(rotation: f32) -> EnvironmentLight {
    let map = Arc::clone(PrefilteredEnvironment::studio());
    EnvironmentLight::uniform(Vec3::splat(0.1)).with_map(map, 1.5, rotation)
}

fn vector([x, y, z, _]: [f32; 4]) -> Vec3 {
    Vec3::new(x, y, z)
}

#[test]
fn light_that_is_not_a_number_is_stored_as_none() {
    let run = "
    @compute @workgroup_size(64)
    fn run(@builtin(global_invocation_id) id: vec3u) {
        if id.x >= arrayLength(&inputs) {
            return;
        }
        let used = environment_cube(vec3f(1.0), 0.0) * ggx_lut(0.0, 0.0).x * 0.0;
        outputs[id.x] = vec4f(storable_light(inputs[id.x].xyz) + used, 0.0);
    }";
    let (nan, infinity) = (f32::NAN, f32::INFINITY);
    let inputs = [
        [nan, 1.5, -nan, 0.0],
        [infinity, -infinity, 1e38, 0.0],
        [-2.5, 0.0, 5.9e4, 0.0],
        [0.25, nan, 7e4, 0.0],
    ];
    let expected = [[0.0, 1.5, 0.0], [6e4, -6e4, 6e4], [-2.5, 0.0, 5.9e4], [0.25, 0.0, 6e4]];
    for test in harness::gpus() {
        let source = STORABLE_LIGHT.to_owned() + run;
        let outputs = harness::run(&test.gpu, &source, &inputs, 4, 1, &environment(0.0));
        for (found, expected) in outputs.iter().zip(expected) {
            assert_eq!(vector(*found), Vec3::from(expected), "{}", test.name);
        }
    }
}

#[test]
fn tone_curves_and_their_inverses_agree() {
    let run = "
    @compute @workgroup_size(64)
    fn run(@builtin(global_invocation_id) id: vec3u) {
        if id.x >= arrayLength(&inputs) {
            return;
        }
        let used = environment_cube(vec3f(1.0), 0.0) * ggx_lut(0.0, 0.0).x * 0.0;
        let value = inputs[id.x];
        let curve = u32(value.w);
        outputs[id.x * 2u] = vec4f(tone_mapping_apply(curve, value.xyz) + used, 0.0);
        outputs[id.x * 2u + 1u] = vec4f(tone_mapping_inverse(curve, value.xyz), 0.0);
    }";
    let curves = [ToneMapping::KhronosPbrNeutral, ToneMapping::Clamp, ToneMapping::Aces];
    let mut rng = Rng::from_env(0x70);
    let inputs: Vec<(ToneMapping, Vec3)> = (0..COUNT)
        .map(|_| {
            let brightness = rng.pick(&[0.1, 1.0, 1.0, 100.0]);
            (rng.pick(&curves), rng.vec3(brightness).abs())
        })
        .collect();
    let rows: Vec<[f32; 4]> = inputs
        .iter()
        .map(|(curve, light)| light.extend(curve.shader_constant() as f32).to_array())
        .collect();
    for test in harness::gpus() {
        let source = TONE_MAPPING.to_owned() + run;
        let outputs = harness::run(&test.gpu, &source, &rows, COUNT, 2, &environment(0.0));
        for ((curve, light), found) in inputs.iter().zip(outputs.chunks_exact(2)) {
            let error = (vector(found[0]) - curve.apply(*light)).abs().max_element();
            assert!(error < 1e-5, "{}, {curve:?}, {light}: {error}", test.name);
            let expected = curve.inverse(*light);
            let error = (vector(found[1]) - expected).abs().max_element();
            let limit = 1e-3 * expected.abs().max_element().max(0.01);
            assert!(error <= limit, "{}, inverse {curve:?}, {light}: {error}", test.name);
        }
    }
}

#[test]
fn punctual_lights_agree() {
    let run = "
    @compute @workgroup_size(64)
    fn run(@builtin(global_invocation_id) id: vec3u) {
        if id.x * 5u >= arrayLength(&inputs) {
            return;
        }
        let used = environment_cube(vec3f(1.0), 0.0) * ggx_lut(0.0, 0.0).x * 0.0;
        let at = id.x * 5u;
        let light = PunctualLight(inputs[at], inputs[at + 1u], inputs[at + 2u], inputs[at + 3u]);
        let incident = punctual_incident_at(light, inputs[at + 4u].xyz);
        let layers = select(0.0, 1.0, punctual_lights_layers(light, 0x80000001u));
        outputs[id.x * 2u] = vec4f(incident.light + used, layers);
        outputs[id.x * 2u + 1u] = vec4f(incident.direction, 0.0);
    }";
    let mut rng = Rng::from_env(0x11);
    let lights: Vec<(PunctualLight, Vec3)> = (0..COUNT).map(|_| random_light(&mut rng)).collect();
    let rows: Vec<[f32; 4]> = lights
        .iter()
        .flat_map(|(light, point)| {
            light.to_rows().into_iter().chain([point.extend(0.0).to_array()])
        })
        .collect();
    for test in harness::gpus() {
        let source = PUNCTUAL.to_owned() + run;
        let outputs = harness::run(&test.gpu, &source, &rows, COUNT, 2, &environment(0.0));
        for ((light, point), found) in lights.iter().zip(outputs.chunks_exact(2)) {
            let incident = light.incident_at(*point);
            let expected = incident.map_or(Vec3::ZERO, |it| it.light);
            let error = (vector(found[0]) - expected).abs().max_element();
            let limit = 1e-3 * light.color.max_element().min(expected.max_element() + 1e-2);
            assert!(error <= limit, "{}, {light:?}, {point}: {error}", test.name);
            if let Some(incident) = incident {
                let error = (vector(found[1]) - incident.direction).length();
                assert!(error < 1e-4, "{}, {light:?}, {point}: {error}", test.name);
            }
            assert_eq!(found[0][3] == 1.0, light.layers & 0x8000_0001 != 0, "{light:?}");
        }
    }
}

fn random_light(rng: &mut Rng) -> (PunctualLight, Vec3) {
    loop {
        let (color, intensity) = (rng.vec3(1.0).abs(), rng.between(0.1, 10.0));
        let outer = rng.between(0.1, 1.5);
        let mut light = match rng.below(4) {
            0 => Light::directional(color, intensity),
            1 => Light::point(color, intensity),
            2 => Light::point(color, intensity).with_range(rng.between(1.0, 10.0)),
            _ => Light::spot(color, intensity, outer * rng.between(0.0, 0.9), outer),
        };
        light.layers = rng.next_u32() & rng.next_u32() & rng.next_u32() & rng.next_u32();
        let rotation: Quat = rng.rotation();
        let world = Mat4::from_rotation_translation(rotation, rng.vec3(5.0));
        let point = rng.vec3(5.0);
        if let Some(light) = PunctualLight::new(&light, &world) {
            return (light, point);
        }
    }
}

#[test]
fn the_environment_is_sampled_as_on_the_cpu() {
    let run = "
    @compute @workgroup_size(64)
    fn run(@builtin(global_invocation_id) id: vec3u) {
        if id.x >= arrayLength(&inputs) {
            return;
        }
        let value = inputs[id.x];
        let used = ggx_lut(0.0, 0.0).x * 0.0;
        outputs[id.x * 3u] = vec4f(environment_specular(value.xyz, value.w) + used, 0.0);
        outputs[id.x * 3u + 1u] = vec4f(environment_irradiance(value.xyz), 0.0);
        outputs[id.x * 3u + 2u] = vec4f(environment_sheen(value.xyz, vec3f(0.6, 0.0, 0.8), value.w), 0.0);
    }";
    let mut rng = Rng::from_env(0xe2);
    let environment = environment(2.5);
    let rows: Vec<[f32; 4]> =
        (0..COUNT).map(|_| rng.direction().extend(rng.between(0.0, 1.0)).to_array()).collect();
    for test in harness::gpus() {
        let source = BRDF[..10].concat() + run;
        let outputs = harness::run(&test.gpu, &source, &rows, COUNT, 3, &environment);
        let mut largest: f32 = 0.0;
        let tolerance = harness::map_tolerance(&test.gpu);
        for (row, found) in rows.iter().zip(outputs.chunks_exact(3)) {
            let (direction, roughness) = (vector(*row), row[3]);
            let expected = environment.specular(direction, roughness);
            let error = (vector(found[0]) - expected).abs().max_element() / expected.max_element();
            largest = largest.max(error);
            assert!(
                error < tolerance,
                "{}, {direction}, roughness {roughness}: {error}",
                test.name
            );
            let view = Vec3::new(0.6, 0.0, 0.8);
            let smooth = [
                (found[1], environment.irradiance(direction)),
                (found[2], environment.sheen(direction, view, roughness)),
            ];
            for (found, expected) in smooth {
                let error = (vector(found) - expected).abs().max_element();
                assert!(error < 1e-4, "{}, {direction}, roughness {roughness}: {error}", test.name);
            }
        }
        println!("{}: at most {:.2} %", test.name, largest * 100.0);
    }
}
