//! Material variants (KHR_materials_variants): other materials for the primitives of a file, by name.
//!
//! Applying a variant assigns materials to the parts of meshes in the scenes. It selects what is
//! shown and does not edit the file: a save writes the primitives' own materials for parts that show
//! the applied variant.
//!
//! Invariant: a material that the caller assigned to a part is never replaced: only the part's own
//! material and those of its variants are.

use std::borrow::Cow;
use std::collections::HashMap;

use pleach::{AssetId, Handle, Material, Mesh, NodeId, Part};
use serde::Deserialize;

use crate::Document;

/// The variants of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variants {
    names: Vec<String>,
    /// By mesh and primitive.
    mappings: Vec<Vec<Vec<Mapping>>>,
    /// By node.
    meshes: Vec<Option<usize>>,
    /// The variant that was applied.
    applied: Option<usize>,
}

/// A material for some variants.
#[derive(Clone, Debug, Deserialize)]
struct Mapping {
    variants: Vec<usize>,
    material: usize,
}

impl Variants {
    /// Reads the variants from the JSON of a file. None if they are not valid.
    pub(crate) fn parse(json: &str) -> Self {
        let root: Root = serde_json::from_str(json).unwrap_or_default();
        let mappings = |mesh: MeshJson| -> Vec<Vec<Mapping>> {
            mesh.primitives.into_iter().map(|it| it.extensions.variants.mappings).collect()
        };
        Self {
            names: root.extensions.variants.variants.into_iter().map(|it| it.name).collect(),
            mappings: root.meshes.into_iter().map(mappings).collect(),
            meshes: root.nodes.into_iter().map(|node| node.mesh).collect(),
            applied: None,
        }
    }

    fn mappings(&self, mesh: usize, primitive: usize) -> &[Mapping] {
        self.mappings.get(mesh).and_then(|mesh| mesh.get(primitive)).map_or(&[], |it| it)
    }
}

impl Document {
    /// Returns the names of the file's material variants (KHR_materials_variants), in its order.
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "extensionsUsed": ["KHR_materials_variants"],
    ///     "extensions": {"KHR_materials_variants": {"variants": [{"name": "beach"}, {"name": "city"}]}} }"#;
    /// let document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// assert_eq!(document.variants(), ["beach", "city"]);
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    #[must_use]
    pub fn variants(&self) -> &[String] {
        &self.variants.names
    }

    /// Returns the name of the variant that was [applied](Self::apply_variant), or `None` if the
    /// primitives have their own materials.
    #[must_use]
    pub fn variant(&self) -> Option<&str> {
        self.variants.applied.and_then(|it| self.variants.names.get(it)).map(String::as_str)
    }

    /// Assigns the materials of a variant to the meshes of all scenes, or with `None` the
    /// primitives' own materials. Of several variants with the same name it is the first. Returns
    /// `false`, and changes nothing, if the file has no such variant. O(nodes with meshes).
    ///
    /// - Primitives without a material for the variant get their own.
    /// - Meshes of nodes that were cloned or added are included if they have the geometries of one
    ///   of the file's meshes. A part with a material of the caller's keeps it.
    /// - It selects what is shown: saving writes the primitives' own materials, whatever variant is
    ///   applied; see [`bake_variant`](Self::bake_variant).
    ///
    /// ```
    /// let file = r#"{ "asset": {"version": "2.0"}, "extensionsUsed": ["KHR_materials_variants"],
    ///     "extensions": {"KHR_materials_variants": {"variants": [{"name": "night"}]}},
    ///     "materials": [{"name": "day"}, {"name": "night"}],
    ///     "meshes": [{"primitives": [{"attributes": {}, "material": 0, "extensions":
    ///         {"KHR_materials_variants": {"mappings": [{"material": 1, "variants": [0]}]}}}]}],
    ///     "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}] }"#;
    /// let mut document = pleach_gltf::load_bytes(file.as_bytes())?;
    /// let shown = |document: &pleach_gltf::Document| {
    ///     let node = document.node(0, 0).unwrap();
    ///     document.scenes()[0].mesh(node).unwrap().parts[0].material.get().name.clone().unwrap()
    /// };
    /// assert!(document.apply_variant(Some("night")));
    /// assert_eq!((shown(&document), document.variant()), ("night".into(), Some("night")));
    /// assert!(document.apply_variant(None));
    /// assert_eq!(shown(&document), "day");
    /// assert!(!document.apply_variant(Some("dusk")));
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    #[doc(alias = "select variant")]
    #[doc(alias = "KHR_materials_variants")]
    pub fn apply_variant(&mut self, name: Option<&str>) -> bool {
        let variant = name.map(|name| self.variants.names.iter().position(|it| it == name));
        if variant == Some(None) {
            return false;
        }
        let variant = variant.flatten();
        let lookup = VariantMeshes::new(self);
        let mut changes: Vec<(usize, NodeId, usize, Handle<Material>)> = Vec::new();
        for (tree, scene) in self.trees.iter().enumerate() {
            for (node, mesh) in scene.meshes.iter(&scene.graph) {
                let file = self.node_indices.get(tree).and_then(|it| it.index_of(node));
                let file = file.and_then(|it| self.variants.meshes.get(it as usize).copied()?);
                let Some(file) = lookup.find(self, mesh, file) else { continue };
                for (number, part) in mesh.parts.iter().enumerate() {
                    let material = self.variant_material(file, number, variant);
                    if part.material != *material && self.is_of_variant(file, number, part) {
                        changes.push((tree, node, number, material.clone()));
                    }
                }
            }
        }
        for (tree, node, part, material) in changes {
            let scene = &mut self.trees[tree];
            if let Some(mesh) = scene.meshes.get_mut(&scene.graph, node) {
                mesh.parts[part].material = material;
            }
        }
        self.variants.applied = variant;
        true
    }

    /// Makes the materials of the [applied](Self::apply_variant) variant the primitives' own: saving
    /// writes them. The variants themselves stay in the file.
    ///
    /// ```
    /// # let mut document = pleach_gltf::load_bytes(br#"{ "asset": {"version": "2.0"} }"#)?;
    /// if document.apply_variant(Some("night")) {
    ///     document.bake_variant();
    /// }
    /// # Ok::<(), pleach_gltf::Error>(())
    /// ```
    pub fn bake_variant(&mut self) {
        self.variants.applied = None;
    }

    /// Returns the material of a primitive in a variant. `mesh` and `primitive` are in the file.
    fn variant_material(
        &self,
        mesh: usize,
        primitive: usize,
        variant: Option<usize>,
    ) -> &Handle<Material> {
        let mut mappings = self.variants.mappings(mesh, primitive).iter();
        let mapping =
            variant.and_then(|variant| mappings.find(|it| it.variants.contains(&variant)));
        let material = mapping.and_then(|it| self.materials.get(it.material));
        material.unwrap_or(&self.meshes[mesh][primitive].material)
    }

    /// Returns `true` if a part has the own material of a primitive or one of its variants.
    fn is_of_variant(&self, mesh: usize, primitive: usize, part: &Part) -> bool {
        let mut mappings = self.variants.mappings(mesh, primitive).iter();
        part.material == self.meshes[mesh][primitive].material
            || mappings.any(|it| self.materials.get(it.material) == Some(&part.material))
    }
}

/// The file's meshes that have variants.
#[derive(Clone, Debug, Default)]
pub(crate) struct VariantMeshes {
    /// By their first geometry.
    by_geometry: HashMap<AssetId, Vec<usize>>,
}

impl VariantMeshes {
    pub(crate) fn new(document: &Document) -> Self {
        let mut by_geometry: HashMap<AssetId, Vec<usize>> = HashMap::new();
        for (index, parts) in document.meshes.iter().enumerate() {
            let mut numbers = 0..parts.len();
            if numbers.any(|number| !document.variants.mappings(index, number).is_empty()) {
                by_geometry.entry(parts[0].geometry.id()).or_default().push(index);
            }
        }
        Self { by_geometry }
    }

    /// Returns the mesh of the file with variants that `mesh` is: `file`, or else the first with
    /// the same geometries.
    fn find(&self, document: &Document, mesh: &Mesh, file: Option<usize>) -> Option<usize> {
        let known = self.by_geometry.get(&mesh.parts.first()?.geometry.id())?;
        let is_same = |&it: &usize| {
            let parts = &document.meshes[it];
            parts.len() == mesh.parts.len()
                && parts.iter().zip(&mesh.parts).all(|(one, other)| one.geometry == other.geometry)
        };
        let file = file.filter(|file| known.contains(file) && is_same(file));
        file.or_else(|| known.iter().copied().find(is_same))
    }

    /// Returns a mesh with the file's own materials where it shows the applied variant. `file` is
    /// the mesh of its node in the file.
    pub(crate) fn with_own_materials<'m>(
        &self,
        document: &Document,
        mesh: &'m Mesh,
        file: Option<usize>,
    ) -> Cow<'m, Mesh> {
        let mut own = Cow::Borrowed(mesh);
        let applied = document.variants.applied;
        let file = applied.and_then(|_| self.find(document, mesh, file));
        let Some(file) = file else { return own };
        for (number, part) in mesh.parts.iter().enumerate() {
            let material = &document.meshes[file][number].material;
            let shown = document.variant_material(file, number, applied);
            if part.material == *shown && part.material != *material {
                own.to_mut().parts[number].material = material.clone();
            }
        }
        own
    }
}

/// The members of a file that variants consist of.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Root {
    extensions: RootExtensions,
    meshes: Vec<MeshJson>,
    nodes: Vec<NodeJson>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RootExtensions {
    #[serde(rename = "KHR_materials_variants")]
    variants: VariantList,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct VariantList {
    variants: Vec<VariantName>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct VariantName {
    name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NodeJson {
    mesh: Option<usize>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MeshJson {
    primitives: Vec<PrimitiveJson>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PrimitiveJson {
    extensions: PrimitiveExtensions,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PrimitiveExtensions {
    #[serde(rename = "KHR_materials_variants")]
    variants: MappingList,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MappingList {
    mappings: Vec<Mapping>,
}
