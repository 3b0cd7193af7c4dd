//! Edits of shared materials, images and geometries appear in the next picture.

use crate::common::{Fixture, at, exact_settings, unlit};
use pleach::glam::{Vec2, Vec3, Vec4};
use pleach::shapes::Plane;
use pleach::{Image, Material, TextureRef};
use pleach_render::Renderer;

const RED: [u8; 4] = [255, 0, 0, 255];
const GREEN: [u8; 4] = [0, 255, 0, 255];
const BLACK: [u8; 4] = [0, 0, 0, 255];

#[test]
fn d_shared_material_edit_appears_in_the_next_picture() {
    let mut fixture = Fixture::new();
    let image = fixture.scene.assets.add(Image::from_rgba8(1, 1, RED.to_vec()).unwrap());
    let texture = Some(TextureRef::new(image.clone()));
    let node = fixture.plane(
        Vec2::splat(2.0),
        Vec3::ZERO,
        Material { base_color_texture: texture, ..unlit(Vec4::ONE) },
    );
    let part = fixture.scene.mesh(node).unwrap().parts[0].clone();
    // One renderer: its cache of textures must notice.
    let mut renderer = Renderer::new().with_settings(exact_settings());
    let mut colors = || {
        fixture.scene.update().unwrap();
        let view = fixture.scene.view(fixture.camera, (64, 48)).unwrap();
        let picture = renderer.render(&fixture.scene, &view).unwrap();
        [at(&picture, 0.0, 0.0), at(&picture, 2.0, 0.0)]
    };
    assert_eq!(colors(), [RED, BLACK]);
    image.set(Image::from_rgba8(1, 1, GREEN.to_vec()).unwrap());
    assert_eq!(colors(), [GREEN, BLACK]);
    part.material.set(unlit(Vec4::new(1.0, 0.0, 0.0, 1.0)));
    assert_eq!(colors(), [RED, BLACK]);
    part.geometry.set(Plane::new(Vec2::splat(6.0)).build().unwrap());
    assert_eq!(colors(), [RED, RED]);
}
