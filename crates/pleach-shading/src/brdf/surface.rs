//! `Surface`: the parameters of a point of a surface, after textures.
//!
//! Twin: `brdf_surface.wgsl` in `pleach-wgpu`.

use glam::Vec3;

/// A point of a surface: the factors of a [`Material`](pleach::Material) times its textures.
///
/// [`default`](Self::default) is a white, rough dielectric without any extension that faces +Z;
/// every parameter of an extension has the value that has no effect.
///
/// Directions are unit vectors in world space. Other parameters may have any finite value: they are
/// clamped to their ranges where they are used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// The shading normal, on the side of the viewer.
    pub normal: Vec3,
    /// The tangent, perpendicular to the normal and turned by the anisotropy's rotation. Only
    /// anisotropy uses it.
    pub tangent: Vec3,
    /// The bitangent, perpendicular to normal and tangent.
    pub bitangent: Vec3,
    /// The linear base colour.
    pub base_color: Vec3,
    /// The metalness, from 0 to 1.
    pub metallic: f32,
    /// The roughness, from 0 to 1.
    pub roughness: f32,
    /// The fraction of the environment's light that reaches the surface.
    pub occlusion: f32,
    /// The emitted light.
    pub emissive: Vec3,
    /// The index of refraction; 0 for total reflection.
    pub ior: f32,
    /// The strength of the specular reflection of dielectrics.
    pub specular: f32,
    /// The colour that the reflectance of dielectrics at normal incidence is multiplied by.
    pub specular_color: Vec3,
    /// The strength of the clear coat.
    pub clearcoat: f32,
    /// The roughness of the clear coat.
    pub clearcoat_roughness: f32,
    /// The normal of the clear coat: the geometry's, or that of its own normal map.
    pub clearcoat_normal: Vec3,
    /// The colour of the sheen; black for none.
    pub sheen_color: Vec3,
    /// The roughness of the sheen.
    pub sheen_roughness: f32,
    /// The strength of the thin film.
    pub iridescence: f32,
    /// The index of refraction of the thin film.
    pub iridescence_ior: f32,
    /// The thickness of the thin film in nanometres.
    pub iridescence_thickness: f32,
    /// The strength of the anisotropy, from 0 to 1.
    pub anisotropy: f32,
    /// The fraction of diffuse light that is transmitted instead of reflected.
    pub diffuse_transmission: f32,
    /// The colour of diffusely transmitted light.
    pub diffuse_transmission_color: Vec3,
    /// The fraction of light that is transmitted instead of reflected diffusely.
    pub transmission: f32,
    /// The thickness of the volume in world space: see
    /// [`world_thickness`](crate::brdf::transmission::world_thickness).
    pub thickness: f32,
    /// The distance after which white light has the attenuation colour; 0 or infinite for no
    /// attenuation.
    pub attenuation_distance: f32,
    /// The colour of white light after that distance.
    pub attenuation_color: Vec3,
    /// 20 divided by the Abbe number; 0 for no dispersion.
    pub dispersion: f32,
}

impl Surface {
    /// Limits all parameters to their ranges, so that no product overflows.
    pub(crate) fn clamped(&self) -> Self {
        let unit = |value: f32| value.clamp(0.0, 1.0);
        let color = |value: Vec3| value.clamp(Vec3::ZERO, Vec3::ONE);
        Self {
            base_color: color(self.base_color),
            metallic: unit(self.metallic),
            roughness: unit(self.roughness),
            occlusion: unit(self.occlusion),
            emissive: self.emissive.clamp(Vec3::ZERO, Vec3::splat(1e30)),
            ior: self.ior.clamp(0.0, 100.0),
            specular: unit(self.specular),
            specular_color: self.specular_color.clamp(Vec3::ZERO, Vec3::splat(1e4)),
            clearcoat: unit(self.clearcoat),
            clearcoat_roughness: unit(self.clearcoat_roughness),
            sheen_color: color(self.sheen_color),
            sheen_roughness: unit(self.sheen_roughness),
            iridescence: unit(self.iridescence),
            anisotropy: unit(self.anisotropy),
            diffuse_transmission: unit(self.diffuse_transmission),
            diffuse_transmission_color: color(self.diffuse_transmission_color),
            transmission: unit(self.transmission),
            thickness: self.thickness.clamp(0.0, 1e30),
            dispersion: self.dispersion.clamp(0.0, 100.0),
            ..*self
        }
    }
}

impl Default for Surface {
    fn default() -> Self {
        Self {
            normal: Vec3::Z,
            tangent: Vec3::X,
            bitangent: Vec3::Y,
            base_color: Vec3::ONE,
            metallic: 0.0,
            roughness: 1.0,
            occlusion: 1.0,
            emissive: Vec3::ZERO,
            ior: 1.5,
            specular: 1.0,
            specular_color: Vec3::ONE,
            clearcoat: 0.0,
            clearcoat_roughness: 0.0,
            clearcoat_normal: Vec3::Z,
            sheen_color: Vec3::ZERO,
            sheen_roughness: 0.0,
            iridescence: 0.0,
            iridescence_ior: 1.3,
            iridescence_thickness: 400.0,
            anisotropy: 0.0,
            diffuse_transmission: 0.0,
            diffuse_transmission_color: Vec3::ONE,
            transmission: 0.0,
            thickness: 0.0,
            attenuation_distance: f32::INFINITY,
            attenuation_color: Vec3::ONE,
            dispersion: 0.0,
        }
    }
}
