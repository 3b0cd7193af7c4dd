//! The raw layer: the objects of a glTF file as its JSON describes them, without scenes.
//!
//! These are the types that loading itself uses: one struct per object of the specification, one
//! field per supported member, named as in the specification (`kind` for `type`). Extras, unknown extensions and members
//! that loading does not need have no field; [`Document::raw`](crate::Document::raw) returns their
//! text. Indices are not checked; [`references`](crate::references) lists them.
//!
//! The types are read only: a file is edited through its scenes, or as text.
//!
//! ```
//! use pleach_gltf::raw::Root;
//!
//! let file = r#"{
//!     "asset": {"version": "2.0"},
//!     "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
//!     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 24},
//!                   {"componentType": 5123, "type": "SCALAR", "count": 36}]
//! }"#;
//! let root = Root::from_json(file)?;
//! let primitive = &root.meshes[0].primitives[0];
//! let indices = &root.accessors[primitive.indices.unwrap().index()];
//! assert_eq!((indices.count.get(), &*indices.kind), (36, "SCALAR"));
//! # Ok::<(), pleach_gltf::Error>(())
//! ```

pub use crate::json::{
    Accessor, Animation, AnimationChannel, AnimationPointer, AnimationSampler, AnimationTarget,
    Asset, Attributes, Buffer, BufferExtensions, BufferView, BufferViewExtensions, Camera,
    Compressed, Draco, Fallback, Hoverability, Image, Instancing, KhrAnisotropy, KhrClearcoat,
    KhrDiffuseTransmission, KhrDispersion, KhrEmissiveStrength, KhrIor, KhrIridescence, KhrSheen,
    KhrSpecular, KhrSpecularGlossiness, KhrTransmission, KhrUnlit, KhrVolume, Light, Lights,
    Material, MaterialExtensions, Mesh, MeshExtras, Node, NodeExtensions, NodeLight, NormalTexture,
    OcclusionTexture, Orthographic, PbrMetallicRoughness, Perspective, PleachAmbient,
    PleachBackground, PleachBounds, PleachEnvironment, PleachEnvironmentMap, PleachFog,
    PleachMapBackground, Primitive, PrimitiveExtensions, Root, RootExtensions, Sampler, Scene,
    SceneExtensions, Selectability, Skin, Sparse, SparseIndices, SparseValues, Spot,
    TargetExtensions, Text, Texture, TextureExtensions, TextureInfo, TextureInfoExtensions,
    TextureSource, TextureTransform, Tolerant, UInt, Variant, VariantMapping, VariantMappings,
    Variants, Visibility,
};
