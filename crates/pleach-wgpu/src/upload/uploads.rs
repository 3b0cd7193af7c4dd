//! `Uploads`: the stages of an upload, in order.

use pleach::{AssetId, AssetKind, Assets, Geometry, Material, NodeId, RenderList, Scene};

use crate::upload::asset_changes::AssetWatch;
use crate::upload::geometry::{Geometries, GpuGeometry, VertexStream};
use crate::upload::instances::InstanceMatrices;
use crate::upload::joints::Joints;
use crate::upload::materials::{GpuMaterial, Materials};
use crate::upload::morphs::Morphs;
use crate::upload::scatter::Scatter;
use crate::upload::staging::{Recorder, Staging};
use crate::upload::textures::Textures;
use crate::upload::worlds::Worlds;
use crate::upload::{DataStore, Decoder, UploadStats, UploadedAssets};
use crate::{Error, Gpu, Tier, Warning};

/// The data of a scene and its assets on the GPU.
///
/// ```no_run
/// use pleach::{RenderList, Scene};
/// use pleach_wgpu::{Error, Gpu, upload::Uploads};
///
/// # fn draw(device: &wgpu::Device, queue: &wgpu::Queue, mut scene: Scene, list: RenderList) -> Result<(), Error> {
/// let gpu = Gpu::new(device, queue);
/// let mut uploads = Uploads::new(&gpu, None);
/// uploads.attach(&mut scene);
/// let mut encoder = device.create_command_encoder(&Default::default());
/// let stats = uploads.sync(&gpu, &scene, &[&list], &mut encoder)?;
/// println!("{} bytes of world matrices", stats.worlds);
/// queue.submit([encoder.finish()]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Uploads {
    worlds: Worlds,
    joints: Joints,
    instances: InstanceMatrices,
    morphs: Morphs,
    geometries: Geometries,
    textures: Textures,
    materials: Materials,
    assets: AssetWatch,
    scatter: Option<Scatter>,
    staging: Staging,
    warnings: Vec<Warning>,
    /// The versions of lists whose assets were uploaded, since an asset changed.
    listed: Vec<u64>,
    /// The generation before everything was forgotten.
    forgotten: u64,
    /// See [`version`](Self::version).
    version: u64,
}

/// The versions of lists that are remembered: those of a picture and of its shadow maps, or of several.
const MAX_LISTED: usize = 128;

impl Uploads {
    /// Creates buffers with room for a few nodes. Encoded images are decoded by `decoder`; without,
    /// materials are drawn without them.
    #[must_use]
    pub fn new(gpu: &Gpu, decoder: Option<Box<Decoder>>) -> Self {
        Self {
            worlds: Worlds::new(gpu),
            joints: Joints::new(gpu),
            instances: InstanceMatrices::new(gpu),
            morphs: Morphs::new(gpu),
            geometries: Geometries::new(),
            textures: Textures::new(decoder),
            materials: Materials::default(),
            assets: AssetWatch::default(),
            scatter: (gpu.tier == Tier::Full).then(|| Scatter::new(gpu)),
            staging: Staging::default(),
            warnings: Vec::new(),
            listed: Vec::with_capacity(MAX_LISTED),
            forgotten: 0,
            version: 0,
        }
    }

    /// Sets the function that decodes images, before anything is uploaded.
    pub(crate) fn set_decoder(&mut self, decoder: Option<Box<Decoder>>) {
        self.textures = Textures::new(decoder);
    }

    /// Returns the function that decodes images.
    pub(crate) fn decoder(&self) -> Option<&Decoder> {
        self.textures.decoder()
    }

    /// Forgets everything that was uploaded: the next sync uploads it again. Call it if an encoder that
    /// [`sync`](Self::sync) recorded to was not submitted.
    pub fn forget(&mut self, gpu: &Gpu) {
        self.forgotten = self.generation() + 1;
        self.version += 1;
        self.worlds.forget();
        self.joints.forget();
        self.instances.forget();
        self.morphs = Morphs::new(gpu);
        self.geometries = Geometries::new();
        self.materials = Materials::default();
        self.textures.clear();
        self.listed.clear();
        self.staging = Staging::default();
    }

    /// Reads the changes of this scene by change readers from now on, so that a
    /// [`sync`](Self::sync) takes O(changed). Other scenes (a clone is another scene) are compared with
    /// a copy in O(nodes). After another scene, everything is uploaded.
    ///
    /// The next sync uploads the world matrices of the whole scene.
    pub fn attach(&mut self, scene: &mut Scene) {
        self.worlds.attach(scene);
        self.instances.attach(scene);
    }

    /// Records the upload of what changed, and of what `lists` need for the first time.
    ///
    /// The encoder must be submitted: what it uploads is not uploaded again, unless it is
    /// [forgotten](Self::forget). Images that cannot be used and the like are
    /// [warnings](Self::drain_warnings).
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] if the device does not allow buffers of the size that is needed. What is on
    /// the GPU is incomplete then; the next sync uploads it again.
    pub fn sync(
        &mut self,
        gpu: &Gpu,
        scene: &Scene,
        lists: &[&RenderList],
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<UploadStats, Error> {
        self.read_asset_changes(&scene.assets);
        let result = self.record(gpu, scene, lists, encoder);
        if result.is_err() {
            self.worlds.forget();
            self.joints.forget();
            self.instances.forget();
            self.listed.clear();
        }
        result
    }

    fn record(
        &mut self,
        gpu: &Gpu,
        scene: &Scene,
        lists: &[&RenderList],
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<UploadStats, Error> {
        let mut stats = UploadStats::default();
        let Self { staging, scatter, .. } = self;
        let mut recorder = Recorder { gpu, encoder, staging, scatter: scatter.as_mut() };
        stats.worlds = self.worlds.sync(&mut recorder, &scene.graph)?;
        stats.joints = self.joints.sync(&mut recorder, scene.joint_matrices())?;
        stats.instances = self.instances.sync(&mut recorder, scene)?;
        let mut assets = AssetUpload {
            assets: &scene.assets,
            geometries: &mut self.geometries,
            textures: &mut self.textures,
            materials: &mut self.materials,
            morphs: &mut self.morphs,
            warnings: &mut self.warnings,
        };
        for list in lists {
            if self.listed.contains(&list.version()) {
                continue;
            }
            assets.upload_list(&mut recorder, list, &mut stats);
            if self.listed.len() == MAX_LISTED {
                self.listed.clear();
            }
            self.listed.push(list.version());
        }
        stats.morph_weights = self.morphs.sync(&mut recorder, scene)?;
        recorder.flush();
        self.staging.check()?;
        self.version += u64::from(stats != UploadStats::default());
        Ok(stats)
    }

    /// Frees what became unused, and marks what was edited.
    fn read_asset_changes(&mut self, assets: &Assets) {
        let Self { geometries, materials, textures, morphs, .. } = self;
        let Some(changes) = self.assets.read(assets) else {
            self.listed.clear();
            self.version += 1;
            self.check_all(assets);
            return;
        };
        if !(changes.edited().is_empty() && changes.unused().is_empty()) {
            self.listed.clear();
            self.version += 1;
        }
        for edit in changes.edited() {
            match edit.kind {
                AssetKind::Geometry => geometries.mark_stale(edit.id),
                AssetKind::Material => materials.mark_stale(edit.id),
                AssetKind::Image => materials.mark_users_stale(edit.id),
                _ => {}
            }
        }
        for unused in changes.unused() {
            match unused.kind {
                AssetKind::Geometry => {
                    geometries.remove(unused.id);
                    morphs.remove_geometry(unused.id);
                }
                AssetKind::Material => materials.remove(unused.id),
                AssetKind::Image => textures.remove(unused.id),
                _ => {}
            }
        }
    }

    /// Frees all assets that the registry does not contain, and checks the versions of the others when
    /// they are used. O(uploaded assets).
    fn check_all(&mut self, assets: &Assets) {
        let ids = self.geometries.ids().chain(self.materials.ids()).chain(self.textures.ids());
        let ids: Vec<AssetId> = ids.collect();
        for id in ids {
            if assets.contains(id) {
                self.geometries.mark_stale(id);
                self.materials.mark_stale(id);
            } else {
                self.geometries.remove(id);
                self.morphs.remove_geometry(id);
                self.materials.remove(id);
                self.textures.remove(id);
            }
        }
    }

    /// Returns the world matrices: three texels (rows) per slot.
    #[must_use]
    pub fn worlds(&self) -> &DataStore {
        self.worlds.store()
    }

    /// Returns the joint matrices: three texels (rows) per matrix, in the order of
    /// [`JointMatrices::matrices`](pleach::JointMatrices::matrices).
    #[must_use]
    pub fn joints(&self) -> &DataStore {
        self.joints.store()
    }

    /// Returns the matrices of instances: three texels (rows) per matrix.
    #[must_use]
    pub fn instances(&self) -> &DataStore {
        self.instances.store()
    }

    /// Returns the row of the first instance of a node's mesh in [`instances`](Self::instances);
    /// `None` if it has none.
    #[must_use]
    pub fn instance_row(&self, node: NodeId) -> Option<u32> {
        self.instances.first_row(node)
    }

    /// Returns the offsets of morph targets. A texel is an offset: x, y, z, 0.
    #[must_use]
    pub fn morph_deltas(&self) -> &DataStore {
        self.morphs.deltas()
    }

    /// Returns the records of morphed parts, and their weights.
    ///
    /// A record is one texel: the start of the geometry's offsets in
    /// [`morph_deltas`](Self::morph_deltas), its number of vertices, the bits of the attributes that
    /// are offset ([`MORPH_POSITIONS`](crate::upload::MORPH_POSITIONS) and others), and the index of the
    /// list of weights. The offset of target `t`, the k-th of n attributes and vertex v is texel
    /// `start + (t * n + k) * vertices + v`.
    ///
    /// A list of weights is one texel with the number of weights in x, then two weights per texel:
    /// target, weight, target, weight. All numbers are floats.
    #[must_use]
    pub fn morph_records(&self) -> &DataStore {
        self.morphs.records()
    }

    /// Returns the index of the record of a part of a node's mesh; `None` if it is not morphed.
    #[must_use]
    pub fn morph_record(&self, node: NodeId, part: u32) -> Option<u32> {
        self.morphs.record(node, part)
    }

    /// Returns a geometry that is on the GPU.
    #[must_use]
    pub fn geometry(&self, id: AssetId) -> Option<&GpuGeometry> {
        self.geometries.get(id)
    }

    /// Returns the buffer of a vertex stream and its offset in bytes; `None` if the geometry has no
    /// such stream.
    #[must_use]
    pub fn vertex_stream(
        &self,
        geometry: &GpuGeometry,
        stream: VertexStream,
    ) -> Option<(&wgpu::Buffer, u64)> {
        self.geometries.stream(geometry, stream)
    }

    /// Returns the buffer of the indices of a geometry (32 bits each) and their offset in bytes;
    /// `None` if it is drawn without.
    #[must_use]
    pub fn indices(&self, geometry: &GpuGeometry) -> Option<(&wgpu::Buffer, u64)> {
        self.geometries.indices(geometry, false)
    }

    /// Returns the buffer and offset of the indices that [`Draw::group`](pleach::Draw::group) is a
    /// range of; `None` if its triangles do not select materials.
    #[must_use]
    pub fn group_indices(&self, geometry: &GpuGeometry) -> Option<(&wgpu::Buffer, u64)> {
        self.geometries.indices(geometry, true)
    }

    /// Returns a material that is on the GPU.
    #[must_use]
    pub fn material(&self, id: AssetId) -> Option<&GpuMaterial> {
        self.materials.get(id)
    }

    /// Returns the uniform block of a material.
    #[must_use]
    pub fn material_block(&self, material: &GpuMaterial) -> wgpu::BufferBinding<'_> {
        self.materials.block(material)
    }

    /// Returns a number that changes whenever a buffer, a texture, or the location or layout of
    /// something in them is another than before: then record bundles again. Contents may change
    /// without it.
    #[must_use]
    pub fn generation(&self) -> u64 {
        let stores = [
            self.worlds(),
            self.joints(),
            self.instances(),
            self.morph_deltas(),
            self.morph_records(),
        ];
        let stores: u64 = stores.iter().map(|store| store.generation()).sum();
        // Each only ever increases, so that their sum changes if one does.
        let moved = self.instances.generation() + self.morphs.generation();
        self.forgotten + stores + moved + self.geometries.generation() + self.materials.generation()
    }

    /// Returns a number that changes whenever the contents of a buffer or texture may be others.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Returns the numbers of assets that are on the GPU.
    #[must_use]
    pub fn uploaded_assets(&self) -> UploadedAssets {
        let [geometries, streams, buffers] = self.geometries.counts();
        let (materials, textures) = (self.materials.len(), self.textures.len());
        UploadedAssets { geometries, streams, buffers, materials, textures }
    }

    /// Returns the warnings since the last call.
    pub fn drain_warnings(&mut self) -> impl Iterator<Item = Warning> {
        self.warnings.drain(..)
    }
}

/// The assets that render lists need, to be uploaded.
struct AssetUpload<'a> {
    assets: &'a Assets,
    geometries: &'a mut Geometries,
    textures: &'a mut Textures,
    materials: &'a mut Materials,
    morphs: &'a mut Morphs,
    warnings: &'a mut Vec<Warning>,
}

impl AssetUpload<'_> {
    fn upload_list(
        &mut self,
        recorder: &mut Recorder<'_>,
        list: &RenderList,
        stats: &mut UploadStats,
    ) {
        let mut last = None;
        for draw in list.opaque().iter().chain(list.transparent()) {
            // Draws of the same assets are mostly adjacent.
            if last.replace((draw.geometry, draw.material)) == Some((draw.geometry, draw.material))
            {
                continue;
            }
            if !self.materials.is_current(draw.material) {
                self.upload_material(recorder, draw.material, stats);
            }
            let material = self.materials.get(draw.material);
            let tangent_uv_set = material.and_then(GpuMaterial::tangent_uv_set);
            if !self.geometries.is_current(draw.geometry, tangent_uv_set.is_some()) {
                self.upload_geometry(recorder, draw.geometry, tangent_uv_set, stats);
            }
        }
    }

    #[cold]
    fn upload_geometry(
        &mut self,
        recorder: &mut Recorder<'_>,
        id: AssetId,
        tangent_uv_set: Option<usize>,
        stats: &mut UploadStats,
    ) {
        let Some(handle) = self.assets.get::<Geometry>(id) else { return };
        let value = handle.snapshot();
        let Self { geometries, morphs, warnings, .. } = self;
        let bytes = &mut stats.geometry;
        let prepared = geometries.upload(recorder, id, &value, tangent_uv_set, warnings, bytes);
        let Some(prepared) = prepared else { return };
        match morphs.set_geometry(recorder, id, &prepared.geometry) {
            Ok(bytes) => stats.morph_deltas += bytes,
            Err(cause) => warnings.push(Warning::MorphTargetsIgnored { geometry: id, cause }),
        }
    }

    #[cold]
    fn upload_material(
        &mut self,
        recorder: &mut Recorder<'_>,
        id: AssetId,
        stats: &mut UploadStats,
    ) {
        let Some(handle) = self.assets.get::<Material>(id) else { return };
        let Self { materials, textures, warnings, .. } = self;
        let bytes = [&mut stats.materials, &mut stats.textures];
        materials.upload(recorder, id, &handle.snapshot(), textures, warnings, bytes);
    }
}
