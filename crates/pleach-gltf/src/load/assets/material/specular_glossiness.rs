//! KHR_materials_pbrSpecularGlossiness (archived, but in many files), converted to the nearest
//! metallic-roughness material.
//!
//! - Diffuse becomes the base colour of a dielectric; roughness is 1 minus glossiness.
//! - An explicit specular colour, and the colour of the specularGlossinessTexture, become the
//!   specular colour, with the index of refraction that KHR_materials_ior reserves for this: 0. The
//!   default without a texture would be white, a mirror, which files rarely intend; it is loaded as
//!   the default of a dielectric.
//! - Glossiness in the texture's alpha channel cannot be represented: it counts as one half
//!   everywhere, with one warning per file.
//! - A material may have both models, with metallic-roughness as the fallback. The fallback was
//!   made by the author and is preferred, unless only the extension has a texture.
//!
//! Invariant: a material whose fields from the extension were edited is saved without the
//! extension; otherwise loading would replace the edited values.

use glam::{Vec3, Vec4};
use pleach::{Handle, Material, Specular};

use super::{MaterialReader, UNIT, read};
use crate::diagnostics::{Pointer, Result, Tolerance};
use crate::json::{KhrSpecularGlossiness, PbrMetallicRoughness, Root};
use crate::{Report, WarningCode};

pub(crate) const NAME: &str = "KHR_materials_pbrSpecularGlossiness";

/// The glossiness that replaces the alpha channel of a texture.
const TEXTURE_GLOSSINESS: f32 = 0.5;

impl MaterialReader<'_> {
    pub(super) fn specular_glossiness(
        &mut self,
        json: &KhrSpecularGlossiness,
        fallback: Option<&PbrMetallicRoughness>,
        material: &mut Material,
        at: &Pointer<'_>,
    ) -> Result<()> {
        let color = self.factors(json.diffuse_factor, UNIT, &at.key("diffuseFactor"))?;
        let info = json.diffuse_texture.as_ref();
        let texture = self.texture(info, &at.key("diffuseTexture"))?;
        let specular = self.factors(json.specular_factor, UNIT, &at.key("specularFactor"))?;
        let glossiness = self.factor(json.glossiness_factor, UNIT, &at.key("glossinessFactor"))?;
        let info = json.specular_glossiness_texture.as_ref();
        let specular_texture = self.texture(info, &at.key("specularGlossinessTexture"))?;

        let prefers_fallback = fallback.is_some_and(|it| {
            it.base_color_texture.is_some() || it.base_color_factor.is_some() && texture.is_none()
        });
        if prefers_fallback {
            return Ok(());
        }
        material.base_color = color.map_or(Vec4::ONE, Vec4::from);
        material.base_color_texture = texture;
        material.metallic = 0.0;
        let texture_glossiness = if specular_texture.is_some() { TEXTURE_GLOSSINESS } else { 1.0 };
        material.roughness = 1.0 - glossiness.unwrap_or(1.0) * texture_glossiness;
        material.metallic_roughness_texture = None;
        if specular_texture.is_some() {
            let message = format!("the glossiness in the texture of {NAME} is loaded as one half");
            self.tolerance.warn(
                &Pointer::root("materials"),
                WarningCode::SpecularGlossinessTexture,
                message,
            );
        }
        if specular_texture.is_some() || specular.is_some() {
            material.specular = Some(Box::new(Specular {
                color: specular.map_or(Vec3::ONE, Vec3::from),
                color_texture: specular_texture,
                ..Specular::default()
            }));
            material.ior = 0.0;
        }
        Ok(())
    }
}

/// Loads a material without the extension, if it has the extension and `now` differs from
/// `was` in a field that may come from it.
pub(crate) fn without(
    root: &Root<'_>,
    index: usize,
    images: &[Handle<pleach::Image>],
    was: &Material,
    now: &Material,
) -> Result<Option<Material>> {
    let extensions = root.materials.get(index).and_then(|it| it.extensions.as_ref());
    let has_extension = extensions.is_some_and(|it| it.specular_glossiness.is_some());
    if !has_extension || extension_fields(was) == extension_fields(now) {
        return Ok(None);
    }
    // The warnings were reported on loading.
    let mut tolerance = Tolerance { strict: false, report: Report::default() };
    read(root, index, images, &mut tolerance, false).map(Some)
}

/// Returns the fields of a material that the extension may set.
fn extension_fields(material: &Material) -> impl PartialEq {
    let Material { base_color, metallic, roughness, ior, .. } = material;
    let textures = (&material.base_color_texture, &material.metallic_roughness_texture);
    ((base_color, metallic, roughness, ior), textures, &material.specular)
}
