//! All shaders that a renderer may use, for validation without a GPU.
//!
//! The product of all features is too large. What features add is independent of each other, so each is
//! listed alone and with all others, in every pass, tier and meaning of alpha.

use std::collections::HashSet;

use crate::Tier;
use crate::pipeline::key::{
    Alpha, Attributes, Illumination, Lobes, Pass, ShaderKey, TEXTURES, texture_bit,
};

const ALL_TEXTURES: u32 = (1 << TEXTURES.len()) - 1;
const ALL_ILLUMINATIONS: [Illumination; 3] =
    [Illumination::Lit, Illumination::WithoutNormals, Illumination::Unlit];

/// Returns a name and the text of each shader.
#[doc(hidden)]
#[must_use]
pub fn shader_variants() -> Vec<(String, String)> {
    let mut known = HashSet::new();
    let mut texts = Vec::new();
    let mut add = |key: ShaderKey| {
        let key = key.canonical();
        if known.insert(key) {
            texts.push((format!("{key:?}"), super::surface(key)));
        }
    };
    for tier in [Tier::Full, Tier::Limited] {
        for pass in [Pass::Light, Pass::Ids, Pass::Shadow] {
            for alpha in [Alpha::Opaque, Alpha::Masked, Alpha::Blended] {
                for illumination in ALL_ILLUMINATIONS {
                    let base = ShaderKey {
                        tier,
                        pass,
                        attributes: Attributes::ALL,
                        textures: ALL_TEXTURES,
                        lobes: Lobes::ALL,
                        alpha,
                        illumination,
                    };
                    let none = ShaderKey {
                        attributes: Attributes(0),
                        textures: 0,
                        lobes: Lobes(0),
                        ..base
                    };
                    [base, none].into_iter().for_each(&mut add);
                    add(ShaderKey { attributes: Attributes(0), ..base });
                    add(ShaderKey { textures: 0, ..base });
                    for &attributes in Attributes::EACH {
                        let without = Attributes(Attributes::ALL.0 & !attributes.0);
                        add(ShaderKey { attributes, ..none });
                        add(ShaderKey { attributes: without, ..base });
                    }
                    for &lobes in Lobes::EACH {
                        add(ShaderKey { lobes, ..none });
                        add(ShaderKey { lobes, ..base });
                    }
                    for (slot, _) in TEXTURES {
                        add(ShaderKey { textures: texture_bit(slot), ..base });
                    }
                }
            }
        }
    }
    for samples in [1, 4] {
        for (unmultiply, encode_srgb) in [(false, false), (true, true)] {
            let name = format!("tone mapping of {samples} samples");
            texts.push((name, super::tone_map_pass(samples, unmultiply, encode_srgb)));
        }
    }
    texts.push(("lines of overlays".into(), super::overlay_lines()));
    for is_srgb_target in [false, true] {
        texts.push(("layer of lines".into(), super::overlay_layer(is_srgb_target)));
        texts.push(("outline".into(), super::overlay_outline(is_srgb_target)));
    }
    texts.push(("background".into(), super::background()));
    texts.push(("mip level".into(), super::downsample().into()));
    texts.push(("scatter".into(), include_str!("scatter.wgsl").into()));
    texts
}
