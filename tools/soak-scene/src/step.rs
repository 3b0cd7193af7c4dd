//! `Step`: an edit or a query of a scene as data.
//!
//! Nodes, geometries and materials are given by numbers, modulo what there is when the step is
//! applied: any list of steps is valid.

use pleach::Transform;
use pleach::glam::Vec3;
use testkit::Rng;

/// One step.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "each is the call of the same name")]
pub enum Step {
    Spawn {
        parent: usize,
        transform: Transform,
        mesh: Option<[usize; 2]>,
    },
    Remove(usize),
    Attach(usize, usize),
    Detach(usize),
    SetTransform(usize, Transform),
    SetVisible(usize, bool),
    /// Sets geometry and material.
    SetMesh(usize, [usize; 2]),
    SetLayers(usize, u32),
    RemoveMesh(usize),
    /// Edits a shared geometry: a box of another size.
    Resize(usize, Vec3),
    /// Edits a shared material: opaque or transparent.
    SetTransparent(usize, bool),
    Update,
    ClearChanges,
    /// Plays a clip of a node and advances by this time in seconds.
    Animate(usize, [Vec3; 3], f32),
    /// Updates, culls and lists the draws of a view.
    Cull {
        position: Vec3,
        toward: Vec3,
        fov: f32,
        far: f32,
    },
    /// Updates and casts this number of rays, from outside of all meshes.
    Pick {
        seed: u64,
        rays: usize,
    },
    /// Saves the scene and loads it again.
    Save,
    /// Undoes or redoes the latest edit; in every other scene.
    Undo,
    Redo,
    /// Performs an edit and undoes it, because its transaction fails.
    Fail(Box<Self>),
    /// Drops all that can be undone.
    Forget,
}

impl Step {
    /// Returns a random step.
    #[must_use]
    pub fn random(rng: &mut Rng) -> Self {
        let node = rng.next_u32() as usize;
        let other = rng.next_u32() as usize;
        let mesh = [rng.below(4), rng.below(6)];
        match rng.below(156) {
            0..20 => {
                let mesh = (!rng.one_in(3)).then_some(mesh);
                Self::Spawn { parent: node, transform: transform(rng), mesh }
            }
            20..30 => Self::Remove(node),
            30..38 => Self::Attach(node, other),
            38..41 => Self::Detach(node),
            41..81 => Self::SetTransform(node, transform(rng)),
            81..86 => Self::SetVisible(node, !rng.one_in(3)),
            86..91 => Self::SetMesh(node, mesh),
            91..93 => Self::SetLayers(node, 1 + rng.below(3) as u32),
            93..95 => Self::RemoveMesh(node),
            95 => Self::Resize(node, rng.vec3(1.0).abs() + 0.5),
            96 => Self::SetTransparent(node, rng.one_in(2)),
            97..101 => Self::Update,
            101 => Self::ClearChanges,
            102..106 => {
                let keys = [rng.vec3(10.0), rng.vec3(10.0), rng.vec3(10.0)];
                Self::Animate(node, keys, rng.between(0.0, 0.7))
            }
            106..117 => Self::Cull {
                position: rng.vec3(40.0),
                toward: rng.vec3(10.0),
                fov: rng.between(0.2, 1.5),
                far: rng.between(5.0, 100.0),
            },
            117..127 => Self::Pick { seed: rng.next_u64(), rays: 1 + rng.below(4).pow(3) },
            127 => Self::Save,
            128..140 => Self::Undo,
            140..149 => Self::Redo,
            149..155 => Self::Fail(Box::new(Self::random(rng))),
            _ => Self::Forget,
        }
    }

    /// Returns `true` for edits, which are recorded.
    #[must_use]
    pub fn is_edit(&self) -> bool {
        matches!(
            self,
            Self::Spawn { .. }
                | Self::Remove(_)
                | Self::Attach(..)
                | Self::Detach(_)
                | Self::SetTransform(..)
                | Self::SetVisible(..)
                | Self::SetMesh(..)
                | Self::SetLayers(..)
                | Self::RemoveMesh(_)
                | Self::Resize(..)
                | Self::SetTransparent(..)
        )
    }
}

/// Close to the identity in scale, so that chains of nodes neither explode nor vanish.
fn transform(rng: &mut Rng) -> Transform {
    let scale = Vec3::from_array([(); 3].map(|()| {
        let size = rng.between(0.8, 1.25);
        if rng.one_in(12) { -size } else { size }
    }));
    Transform { translation: rng.vec3(10.0), rotation: rng.rotation(), scale }
}
