//! Random surfaces, one extension at a time, and the rows by which shaders read them.

use glam::Vec3;
use pleach_shading::Surface;
use testkit::Rng;

/// The number of rows of an input.
pub(crate) const ROWS: usize = 14;

/// Reads the rows of an input into a surface and two directions.
pub(crate) const READ: &str = "
fn read_surface(at: u32) -> Surface {
    var rows: array<vec4f, 12>;
    for (var i = 0u; i < 12u; i++) {
        rows[i] = inputs[at + i];
    }
    return Surface(
        rows[0].xyz, rows[1].xyz, rows[2].xyz, rows[3].xyz, rows[0].w, rows[1].w, rows[4].w,
        rows[5].xyz, rows[2].w, rows[3].w, rows[4].xyz, rows[5].w, rows[6].w, rows[6].xyz,
        rows[7].xyz, rows[7].w, rows[8].x, rows[8].y, rows[8].z, rows[8].w, rows[9].w, rows[9].xyz,
        rows[11].x, rows[11].y, rows[10].w, rows[10].xyz, rows[11].z,
    );
}
";

/// A surface with the directions to view and light.
pub(crate) struct Input {
    pub(crate) surface: Surface,
    pub(crate) view: Vec3,
    pub(crate) light: Vec3,
}

/// The extensions that random surfaces have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lobe {
    MetallicRoughness,
    Clearcoat,
    Sheen,
    Iridescence,
    Anisotropy,
    DiffuseTransmission,
    Transmission,
    All,
}

pub(crate) const LOBES: [Lobe; 8] = [
    Lobe::MetallicRoughness,
    Lobe::Clearcoat,
    Lobe::Sheen,
    Lobe::Iridescence,
    Lobe::Anisotropy,
    Lobe::DiffuseTransmission,
    Lobe::Transmission,
    Lobe::All,
];

impl Input {
    /// Returns a random input. Half of the lights are near the mirrored view, in the highlight.
    pub(crate) fn random(rng: &mut Rng, lobe: Lobe) -> Self {
        let surface = surface(rng, lobe);
        let mut view = rng.direction();
        if !rng.one_in(8) {
            view *= view.dot(surface.normal).signum();
        }
        let mirrored = surface.normal * (2.0 * surface.normal.dot(view)) - view;
        let light = if rng.one_in(2) {
            rng.direction()
        } else {
            (mirrored + rng.direction() * rng.between(0.0, 0.3)).normalize()
        };
        Self { surface, view, light }
    }

    pub(crate) fn rows(&self) -> [[f32; 4]; ROWS] {
        let s = &self.surface;
        let row = |vector: Vec3, w: f32| vector.extend(w).to_array();
        [
            row(s.normal, s.metallic),
            row(s.tangent, s.roughness),
            row(s.bitangent, s.ior),
            row(s.base_color, s.specular),
            row(s.specular_color, s.occlusion),
            row(s.emissive, s.clearcoat),
            row(s.clearcoat_normal, s.clearcoat_roughness),
            row(s.sheen_color, s.sheen_roughness),
            [s.iridescence, s.iridescence_ior, s.iridescence_thickness, s.anisotropy],
            row(s.diffuse_transmission_color, s.diffuse_transmission),
            row(s.attenuation_color, s.attenuation_distance),
            [s.transmission, s.thickness, s.dispersion, 0.0],
            row(self.view, 0.0),
            row(self.light, 0.0),
        ]
    }
}

fn color(rng: &mut Rng) -> Vec3 {
    Vec3::new(rng.between(0.0, 1.0), rng.between(0.0, 1.0), rng.between(0.0, 1.0))
}

fn surface(rng: &mut Rng, lobe: Lobe) -> Surface {
    let has = |it: Lobe| if lobe == it || lobe == Lobe::All { 1.0 } else { 0.0 };
    let normal = rng.direction();
    let tangent = normal.cross(rng.direction()).normalize_or(normal.any_orthonormal_vector());
    Surface {
        normal,
        tangent,
        bitangent: normal.cross(tangent).normalize(),
        base_color: color(rng),
        metallic: rng.pick(&[0.0, 1.0, 0.4]),
        // The limits of the roughness occur, too.
        roughness: rng.between(-0.1, 1.1),
        occlusion: rng.between(0.0, 1.0),
        emissive: color(rng),
        ior: rng.between(1.0, 2.5),
        specular: rng.between(0.0, 1.0),
        specular_color: color(rng),
        clearcoat: has(Lobe::Clearcoat) * rng.between(0.0, 1.0),
        clearcoat_roughness: rng.between(0.0, 1.0),
        clearcoat_normal: (normal + rng.direction() * 0.3).normalize(),
        sheen_color: color(rng) * has(Lobe::Sheen),
        sheen_roughness: rng.between(0.0, 1.0),
        iridescence: has(Lobe::Iridescence) * rng.between(0.0, 1.0),
        iridescence_ior: rng.between(1.0, 2.5),
        iridescence_thickness: rng.between(0.0, 1200.0),
        anisotropy: has(Lobe::Anisotropy) * rng.between(0.0, 1.0),
        diffuse_transmission: has(Lobe::DiffuseTransmission) * rng.between(0.0, 1.0),
        diffuse_transmission_color: color(rng),
        transmission: has(Lobe::Transmission) * rng.between(0.0, 1.0),
        thickness: rng.between(0.0, 2.0),
        attenuation_distance: rng.between(0.2, 10.0),
        attenuation_color: color(rng),
        dispersion: rng.between(0.0, 5.0),
    }
}
