//! KHR_materials_pbrSpecularGlossiness, archived but in many files: read as the nearest material
//! of metallic and roughness.
//!
//! - Diffuse is the base colour, of what is no metal; roughness is what glossiness lacks to 1.
//! - A specular colour that is said is that of reflections, with the index of refraction that
//!   KHR_materials_ior keeps for this: 0. One that is not said would be white, a mirror; hardly
//!   anybody means that, and it is read as that of any material that is no metal.
//! - Glossiness in a texture's alpha has no place in a material here. That texture is not used,
//!   which is told once a file.
//! - A material may be said in both ways, one for those who do not know the extension. As that
//!   is its author's own, it is taken, unless only the extension has a texture.
//!
//! Invariant: a material whose fields from here were changed is saved without the extension, or
//! that would be read again in their place.

use glam::{Vec3, Vec4};
use pleach::{Handle, Material, Specular};

use super::{MaterialReader, UNIT, read};
use crate::diagnostics::Pointer;
use crate::diagnostics::Tolerance;
use crate::json::{KhrSpecularGlossiness, PbrMetallicRoughness, Root};
use crate::{Error, Report, WarningCode};

pub(crate) const NAME: &str = "KHR_materials_pbrSpecularGlossiness";

impl MaterialReader<'_> {
    pub(super) fn specular_glossiness(
        &mut self,
        json: &KhrSpecularGlossiness,
        fallback: Option<&PbrMetallicRoughness>,
        material: &mut Material,
        at: &Pointer<'_>,
    ) -> Result<(), Error> {
        let color = self.check_factors(json.diffuse_factor, UNIT, &at.key("diffuseFactor"))?;
        let info = json.diffuse_texture.as_ref();
        let texture = self.texture(info, &at.key("diffuseTexture"))?;
        let specular = self.check_factors(json.specular_factor, UNIT, &at.key("specularFactor"))?;
        let glossiness =
            self.check_factor(json.glossiness_factor, UNIT, &at.key("glossinessFactor"))?;
        let info = json.specular_glossiness_texture.as_ref();
        let unused = self.texture(info, &at.key("specularGlossinessTexture"))?;

        let prefers_fallback = fallback.is_some_and(|it| {
            it.base_color_texture.is_some() || it.base_color_factor.is_some() && texture.is_none()
        });
        if prefers_fallback {
            return Ok(());
        }
        material.base_color = color.map_or(Vec4::ONE, Vec4::from);
        material.base_color_texture = texture;
        material.metallic = 0.0;
        material.roughness = 1.0 - glossiness.unwrap_or(1.0);
        material.metallic_roughness_texture = None;
        match (unused, specular) {
            (Some(_), _) => {
                let message = format!("{NAME} is read without its specularGlossinessTexture");
                self.tolerance.warn(
                    &Pointer::root("materials"),
                    WarningCode::SpecularGlossinessTexture,
                    message,
                );
            }
            (None, Some(color)) => {
                let color = Vec3::from(color);
                material.specular = Some(Box::new(Specular { color, ..Specular::default() }));
                material.ior = 0.0;
            }
            (None, None) => {}
        }
        Ok(())
    }
}

/// What a material of the file is without the extension, if it has it, and `now` is other than
/// `was` in what may come from it.
pub(crate) fn without(
    root: &Root<'_>,
    index: usize,
    images: &[Handle<pleach::Image>],
    was: &Material,
    now: &Material,
) -> Result<Option<Material>, Error> {
    let extensions = root.materials.get(index).and_then(|it| it.extensions.as_ref());
    let has_extension = extensions.is_some_and(|it| it.specular_glossiness.is_some());
    if !has_extension || extension_fields(was) == extension_fields(now) {
        return Ok(None);
    }
    // What is odd about it was told when it was loaded.
    let mut tolerance = Tolerance { strict: false, report: Report::default() };
    read(root, index, images, &mut tolerance, false).map(Some)
}

/// The fields of a material that the extension may say.
fn extension_fields(material: &Material) -> impl PartialEq {
    let Material { base_color, metallic, roughness, ior, .. } = material;
    let textures = (&material.base_color_texture, &material.metallic_roughness_texture);
    ((base_color, metallic, roughness, ior), textures, &material.specular)
}
