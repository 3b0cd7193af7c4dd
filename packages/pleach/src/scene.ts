/**
 * `Scene`: a graph with meshes, cameras, lights, skins, animation and undo.
 */
import { Clip, type ClipChannel, createClip, Mixer } from './animation.js';
import { toList, toObject, toText, toVec3 } from './arguments.js';
import { PleachError } from './errors.js';
import { Geometry } from './geometries.js';
import type { GltfDocument } from './gltf.js';
import {
	type ClipSpace,
	filterOf,
	Graph,
	type GraphOptions,
	layersOf,
	type NodeOptions,
	type RayOptions,
} from './graph.js';
import { EditHistory } from './history.js';
import { type Color, Material, toColor } from './materials.js';
import { SceneNode } from './node.js';
import { checked, glue, guarded, MemoryView, numbers, raw } from './runtime.js';
import {
	type Camera,
	expectAsset,
	KINDS,
	KindNode,
	type Kinds,
	type Light,
	type Mesh,
	type Shadow,
	type SkinnedMesh,
} from './scene-node.js';
import { NewSkin, type Skin, SkinOfNode, type SkinOptions } from './skin.js';
import { type RayLike, RenderList, sizeOf, View, type Viewport } from './view.js';

/** Bytes in a buffer of their own, which can be transferred. */
export type Bytes = ReturnType<Uint8Array['slice']>;

/** What a scene is created with. */
export interface SceneOptions extends GraphOptions {
	name?: string;
}

/** What a mesh is created with. */
export interface MeshOptions extends NodeOptions {
	geometry: Geometry;
	material: Material;
	layers?: number;
	castShadow?: boolean;
	receiveShadow?: boolean;
	isStatic?: boolean;
	transparent?: boolean | 'auto';
	palette?: Material[];
	instances?: Float32Array;
	weights?: Float32Array;
}

/** What a camera is created with. Without a transform it stands at (0, 10, 5), or (0, 5, 10) if Y is up, and looks at the origin. */
export interface CameraOptions extends NodeOptions {
	projection?: 'perspective' | 'orthographic';
	/** In radians: `degrees(60)`. */
	fov?: number;
	near?: number;
	far?: number;
	aspect?: number | null;
	height?: number;
	zoom?: number;
	clip?: ClipSpace;
	seesLayers?: number;
}

/** What a light is created with. It is white by default. */
export interface LightOptions extends NodeOptions {
	type: 'directional' | 'point' | 'spot' | 'ambient';
	color?: Color;
	/** Lux for directional lights, candela for point and spot lights; 1 by default. */
	intensity?: number;
	range?: number;
	innerAngle?: number;
	outerAngle?: number;
	shadow?: Partial<Shadow> | null;
	layers?: number;
}

const LIGHTS: readonly LightOptions['type'][] = ['directional', 'point', 'spot', 'ambient'];

/** Light from everywhere. */
export interface Ambient {
	/** Linear. */
	readonly color: Color;
	readonly intensity: number;
}

/** Fog: none before `near`, nothing else behind `far`. */
export interface Fog {
	/** Linear. */
	readonly color: Color;
	/** In metres. */
	readonly near: number;
	/** In metres. */
	readonly far: number;
}

/** What a ray hit. */
export interface Hit {
	readonly node: Mesh;
	/** In metres. */
	readonly distance: number;
	readonly point: Float32Array;
	/** The geometric normal in world space, of length 1. */
	readonly normal: Float32Array;
	/** The weights of the three corners of the triangle. */
	readonly barycentrics: Float32Array;
	readonly triangle: number;
	/** The part of the mesh. */
	readonly part: number;
	/** The number of the instance, or `null`. */
	readonly instance: number | null;
	/** `true` if the side that the normal points to was hit. */
	readonly front: boolean;
}

/** An asset that a scene does not use any more: a renderer can free what it has for it. */
export interface UnusedAsset {
	readonly kind: 'geometry' | 'material' | 'image';
	readonly id: number;
}

/** A copy of a document or of a node, with the clips bound to it. */
export interface Instance {
	readonly root: SceneNode;
	readonly clips: readonly Clip[];
	/** Returns the clip with the name. */
	clip(name: string): Clip;
}

const NO_HISTORY = 0xffffffff;
const EMPTY_LIST: readonly Mesh[] = [];

/**
 * Meshes, cameras, lights and groups below one root.
 *
 * @example
 * ```ts
 * const scene = createScene();
 * const crate = scene.createMesh({ geometry: box(), material: createMaterial({ color: [0.6, 0.4, 0.2] }), name: 'crate' });
 * const camera = scene.createCamera({ fov: degrees(60), aspect: 16 / 9 });
 * assert.equal(scene.getVisibleMeshes(camera)[0], crate);
 * ```
 */
export class Scene extends Graph {
	private history: WeakRef<EditHistory> | null = null;
	private readonly lists = new Map<number, RenderList>();
	private readonly visible = new Map<number, { slots: Uint32Array; version: number; meshes: readonly Mesh[] }>();
	private readonly paletteView = new MemoryView(Float32Array);

	/** Creates an empty scene. */
	constructor(options?: SceneOptions);
	/** @internal Takes over a world. */
	constructor(options: SceneOptions | undefined, world: number | undefined);
	constructor(options?: SceneOptions, world?: number) {
		super(options, world as number);
		if (options?.name !== undefined) this.name = options.name;
	}

	/** @internal */
	protected override createNode(slot: number, generation: number): SceneNode {
		return new KindNode(this, slot, generation);
	}

	/** The name. */
	get name(): string {
		return glue.scene_name(this.world);
	}
	set name(name: string) {
		this.status(glue.set_scene_name(this.world, toText(name, 'the name')));
	}

	// Creation.

	/** Creates a mesh. */
	createMesh(options: MeshOptions): Mesh {
		expectAsset(options?.geometry, Geometry, 'geometry');
		expectAsset(options.material, Material, 'material');
		const parent = this.putOptions(options);
		const [geometry, material] = [options.geometry.liveId, options.material.liveId];
		const id = guarded.spawn_mesh(this.world, parent.slot, parent.generation, geometry, material);
		return this.finishMesh(this.wrap(checked(this, id)) as KindNode, options) as Mesh;
	}

	/** Creates a mesh that the joints of a skin deform. */
	createSkinnedMesh(options: MeshOptions & { skin: Skin }): SkinnedMesh {
		expectAsset(options?.geometry, Geometry, 'geometry');
		expectAsset(options.material, Material, 'material');
		const { skin } = options;
		const [geometry, material] = [options.geometry.liveId, options.material.liveId];
		if (!(skin instanceof NewSkin) && !(skin instanceof SkinOfNode)) {
			throw new PleachError('wrong-type', 'a skin is needed: create one with `scene.createSkin({ joints })`');
		}
		const joints = skin.joints;
		for (const joint of joints) this.expectOwn(joint);
		const { inverseBinds, bindMatrix } = skin instanceof NewSkin ? skin : skin.binding;
		const parent = this.putOptions(options);
		const id = glue.spawn_skinned_mesh(
			this.world,
			parent.slot,
			parent.generation,
			geometry,
			material,
			Float64Array.from(joints, (joint) => joint.id),
			inverseBinds,
			bindMatrix,
		);
		const node = this.wrap(checked(this, id)) as KindNode;
		if (skin instanceof NewSkin) {
			skin.bindTo(node);
			node.bindSkin(skin);
		}
		return this.finishMesh(node, options) as SkinnedMesh;
	}

	/**
	 * Creates a skin for `createSkinnedMesh`. Without inverse bind matrices, the joints are bound in their current pose.
	 *
	 * @throws 'skin' (a joint whose scale is zero), 'foreign-node', 'wrong-length'
	 */
	createSkin(options: SkinOptions): Skin {
		for (const joint of toList(options?.joints, 'the joints')) this.expectOwn(joint);
		return new NewSkin(options, this.world);
	}

	private finishMesh(node: KindNode, options: MeshOptions): SceneNode {
		return this.orDispose(node, () => {
			this.finish(node, options);
			const { layers, castShadow, receiveShadow, isStatic, transparent, palette, instances, weights } = options;
			if (layers !== undefined) node.layers = layers;
			if (castShadow !== undefined) node.castShadow = castShadow;
			if (receiveShadow !== undefined) node.receiveShadow = receiveShadow;
			if (isStatic !== undefined) node.isStatic = isStatic;
			if (transparent !== undefined) node.transparent = transparent;
			if (palette !== undefined) node.palette = palette;
			if (instances !== undefined) node.instances = instances;
			if (weights !== undefined) node.weights = weights;
		});
	}

	/** Creates a camera. */
	createCamera(options: CameraOptions = {}): Camera {
		toObject(options, 'the options of a camera');
		const { position, rotation, scale } = options;
		const parent = this.putOptions(options);
		if (position === undefined && rotation === undefined && scale === undefined) {
			raw.default_camera_transform(this.up === 'y' ? 1 : 0);
		}
		const node = this.wrap(checked(this, guarded.spawn_camera(this.world, parent.slot, parent.generation))) as KindNode;
		return this.orDispose(node, () => {
			this.finish(node, options);
			const { projection, fov, near, far, aspect, height, zoom, clip, seesLayers } = options;
			if (projection !== undefined) node.projection = projection;
			if (fov !== undefined) node.fov = fov;
			if (near !== undefined) node.near = near;
			if (far !== undefined) node.far = far;
			if (aspect !== undefined) node.aspect = aspect;
			if (height !== undefined) node.height = height;
			if (zoom !== undefined) node.zoom = zoom;
			if (clip !== undefined) node.clip = clip;
			if (seesLayers !== undefined) node.seesLayers = seesLayers;
		}) as Camera;
	}

	/** Creates a light. */
	createLight(options: LightOptions): Light {
		const kind = LIGHTS.indexOf(options?.type);
		if (kind < 0) {
			throw new PleachError('out-of-range', `'${options?.type}' is not a light: use one of ${LIGHTS.join(', ')}`);
		}
		const parent = this.putOptions(options);
		const id = guarded.spawn_light(this.world, parent.slot, parent.generation, kind, options.intensity ?? 1);
		const node = this.wrap(checked(this, id)) as KindNode;
		return this.orDispose(node, () => {
			this.finish(node, options);
			const { color, range, innerAngle, outerAngle, shadow, layers } = options;
			if (color !== undefined) node.color = color;
			if (range !== undefined) node.range = range;
			if (outerAngle !== undefined) node.outerAngle = outerAngle;
			if (innerAngle !== undefined) node.innerAngle = innerAngle;
			if (shadow !== undefined) node.shadow = shadow;
			if (layers !== undefined) node.layers = layers;
		}) as Light;
	}

	/** Creates a clip from keys, bound to nodes of this scene. */
	createClip(name: string, channels: readonly ClipChannel[]): Clip {
		return createClip(this, name, channels);
	}

	/** Creates a player of clips. */
	createMixer(): Mixer {
		this.check('scene');
		return new Mixer(this);
	}

	/** Returns the nodes below the root that have this, by slot. */
	list<K extends keyof Kinds>(kind: K): Kinds[K][] {
		const which = KINDS.indexOf(kind);
		if (which < 0) throw new PleachError('out-of-range', `'${kind}' is not a kind: use one of ${KINDS.join(', ')}`);
		return Array.from(glue.list(this.world, which), (id) => this.wrap(id) as Kinds[K]);
	}

	// Assets.

	/** Returns the geometry with an id of a render list, or `null` if no mesh uses it. */
	geometry(id: number): Geometry | null {
		this.check('scene');
		return raw.asset_keep_used(this.world, id, 0) === 0 ? null : Geometry.of(id);
	}

	/** Returns the material with an id of a render list, or `null` if no mesh uses it. */
	material(id: number): Material | null {
		this.check('scene');
		return raw.asset_keep_used(this.world, id, 1) === 0 ? null : Material.of(id);
	}

	/** Returns the assets that lost their last use since the last call: a renderer frees its copies. */
	drainUnused(): UnusedAsset[] {
		const kinds = ['geometry', 'material', 'image'] as const;
		const pairs = glue.drain_unused(this.world);
		return Array.from({ length: pairs.length / 2 }, (_, i) => ({
			kind: kinds[pairs[i * 2] as number] ?? 'image',
			id: pairs[i * 2 + 1] as number,
		}));
	}

	// The environment.

	/** Light from everywhere. */
	get ambientLight(): Ambient {
		this.status(raw.ambient(this.world));
		const n = numbers();
		return { color: [n[0] as number, n[1] as number, n[2] as number], intensity: n[3] as number };
	}
	set ambientLight(ambient: Ambient) {
		const { color, intensity } = toObject(ambient, 'the ambient light');
		numbers().set([...toColor(color, 'the ambient light'), intensity]);
		this.status(raw.set_ambient(this.world));
	}

	/** The colour behind everything, linear; `null`: that of the page. */
	get background(): Color | null {
		if (checked(this, raw.background(this.world)) === 0) return null;
		const n = numbers();
		return [n[0] as number, n[1] as number, n[2] as number];
	}
	set background(color: Color | null) {
		if (color !== null) numbers().set(toColor(color, 'the background'));
		this.status(raw.set_background(this.world, color === null ? 0 : 1));
	}

	/** Fog, or `null`. */
	get fog(): Fog | null {
		if (checked(this, raw.fog(this.world)) === 0) return null;
		const n = numbers();
		return { color: [n[0] as number, n[1] as number, n[2] as number], near: n[3] as number, far: n[4] as number };
	}
	set fog(fog: Fog | null) {
		if (fog !== null)
			numbers().set([...toColor(toObject(fog, 'the fog').color, 'the colour of the fog'), fog.near, fog.far]);
		this.status(raw.set_fog(this.world, fog === null ? 0 : 1));
	}

	/** The joint matrices of all skins, 16 floats each, as of the last update. A view, valid until the next method call. */
	get palettes(): Float32Array {
		this.check('scene');
		return this.paletteView.at(raw.joint_matrices(this.world), (raw.joint_matrix_count(this.world) >>> 0) * 16);
	}

	// Views.

	/**
	 * Returns the matrices of a camera for a viewport. Updates first.
	 *
	 * @throws 'no-viewport' if neither a viewport nor `camera.aspect` is given
	 */
	view(camera: Camera, viewport?: Viewport): View {
		return new View(this, camera, viewport);
	}

	/** Returns the meshes that a camera sees. Updates first. The array is the same until they change. */
	getVisibleMeshes(camera: Camera, viewport?: Viewport): readonly Mesh[] {
		this.expectOwn(camera);
		const [width, height] = sizeOf(viewport);
		const found = guarded.visible_meshes(this.world, camera.slot, camera.generation, width, height);
		const slots = this.slotList(found);
		const last = this.visible.get(camera.id);
		const version = this.structureVersion;
		if (last === undefined) this.forgetDeadCameras();
		if (last !== undefined && last.version === version && isSame(last.slots, slots)) return last.meshes;
		const copy = slots.slice();
		const meshes = copy.length === 0 ? EMPTY_LIST : (this.nodesAt(copy) as Mesh[]);
		this.visible.set(camera.id, { slots: copy, version, meshes });
		return meshes;
	}

	/** Returns what a camera sees, sorted for a renderer. Updates first. There is one list per camera, which is built again. */
	renderList(camera: Camera, viewport?: Viewport): RenderList {
		this.expectOwn(camera);
		let list = this.lists.get(camera.id);
		if (list === undefined) {
			this.forgetDeadCameras();
			list = new RenderList(this);
			this.lists.set(camera.id, list);
		}
		return list.build(camera, viewport);
	}

	/** Frees what is kept for cameras that were removed. */
	private forgetDeadCameras(): void {
		for (const [id, list] of this.lists) {
			if (this.node(id) !== null) continue;
			list.free();
			this.lists.delete(id);
		}
		for (const id of this.visible.keys()) if (this.node(id) === null) this.visible.delete(id);
	}

	/**
	 * Returns why a camera does not see a node: 'in-view', 'never-culled', 'no-bounds', 'detached', 'hidden', 'layers', or
	 * 'outside-left' and the other sides. Updates first.
	 */
	cullReason(node: SceneNode, camera: Camera, viewport?: Viewport): string {
		this.expectOwn(node);
		this.expectOwn(camera);
		const [width, height] = sizeOf(viewport);
		const { slot, generation } = node;
		return glue.cull_reason(this.world, slot, generation, camera.slot, camera.generation, width, height);
	}

	// Picking.

	/**
	 * Returns the nearest hit of a ray with the triangles of meshes, posed skins, morphs and instances included, or `null`.
	 * Updates first.
	 *
	 * @example
	 * ```ts
	 * const crate = scene.createMesh({ geometry: box(), material: createMaterial() });
	 * const hit = scene.pick({ origin: [0, 0, 10], direction: [0, 0, -1] });
	 * assert.equal(hit?.node, crate);
	 * assert.equal(hit?.distance, 9.5);
	 * ```
	 */
	pick(ray: RayLike, options?: RayOptions): Hit | null {
		const filter = filterOf(options);
		const hits = this.cast(ray, options, filter === undefined ? 0 : 2);
		return (filter === undefined ? hits[0] : hits.find((hit) => filter(hit.node))) ?? null;
	}

	/** Returns all hits of a ray with the triangles of meshes, nearest first. Updates first. */
	pickAll(ray: RayLike, options?: RayOptions): Hit[] {
		const hits = this.cast(ray, options, 1);
		const filter = filterOf(options);
		if (filter === undefined) return hits;
		const answers = new Map<SceneNode, boolean>();
		for (const { node } of hits) if (!answers.has(node)) answers.set(node, filter(node));
		return hits.filter(({ node }) => answers.get(node));
	}

	/** Returns the nearest hit below a pixel, of what the camera sees. Updates first. */
	pickPixel(camera: Camera, x: number, y: number, viewport: Viewport, options?: RayOptions): Hit | null {
		const ray = this.view(camera, viewport).rayThroughPixel(x, y);
		return this.pick(ray, { layers: camera.seesLayers, ...options });
	}

	private cast(ray: RayLike, options: RayOptions | undefined, which: number): Hit[] {
		toObject(ray, 'the ray');
		const origin = toVec3(ray.origin, 'the origin of the ray');
		const direction = toVec3(ray.direction, 'the direction of the ray');
		const maxDistance = Math.min(ray.maxDistance ?? Infinity, options?.maxDistance ?? Infinity);
		numbers().set([...origin, ...direction, maxDistance]);
		const found = guarded.pick(this.world, layersOf(options), options?.hidden === true ? 1 : 0, which);
		const count = checked(this, found);
		if (count === 0) return [];
		const buffer = raw.memory.buffer;
		const ids = new Float64Array(buffer, raw.ids_address(this.world) >>> 0, count).slice();
		const whole = new Uint32Array(buffer, raw.slots_address(this.world) >>> 0, count * 4).slice();
		const real = new Float32Array(buffer, raw.floats_address(this.world) >>> 0, count * 10).slice();
		return Array.from(ids, (id, i) => {
			const instance = whole[i * 4 + 2] as number;
			return {
				node: this.wrap(id) as Mesh,
				distance: real[i * 10] as number,
				point: real.slice(i * 10 + 1, i * 10 + 4),
				normal: real.slice(i * 10 + 4, i * 10 + 7),
				barycentrics: real.slice(i * 10 + 7, i * 10 + 10),
				triangle: whole[i * 4] as number,
				part: whole[i * 4 + 1] as number,
				instance: instance === 0xffffffff ? null : instance,
				front: whole[i * 4 + 3] !== 0,
			};
		});
	}

	// Copies.

	/**
	 * Copies a document's scene, or a node of any scene, below `parent` (the root by default). A node that turns the axes
	 * is put above it if the up axes differ.
	 */
	instantiate(source: GltfDocument | SceneNode, options?: { parent?: SceneNode }): Instance {
		const isNode = source instanceof SceneNode;
		if (!isNode && !(typeof source === 'object' && source !== null && 'scene' in source && 'clips' in source)) {
			throw new PleachError('wrong-type', 'a document or a node is needed: `instantiate(await loadGltf(url))`');
		}
		const from = source.scene;
		const node = isNode ? source : from.root;
		const sources = isNode ? [] : source.clips;
		let parent = options?.parent ?? this.root;
		this.expectOwn(parent);
		this.check('scene');
		if (from.disposed) throw new PleachError('disposed', 'the scene to copy from was disposed');
		let turned: SceneNode | null = null;
		if (from.up !== this.up) {
			const half = this.up === 'z' ? Math.SQRT1_2 : -Math.SQRT1_2;
			turned = this.createGroup({ parent, rotation: [half, 0, 0, Math.SQRT1_2] });
			parent = turned;
		}
		try {
			const { slot, generation } = node;
			const numbers = Uint32Array.from(sources, (clip) => clip.liveNumber);
			const result = glue.instantiate(
				this.world,
				parent.slot,
				parent.generation,
				from.world,
				slot,
				generation,
				numbers,
			);
			const pairs = result.length - sources.length;
			for (let i = 0; isNode && i < pairs; i += 2) {
				const { userData } = from.wrap(result[i] as number);
				if (Object.keys(userData).length > 0) {
					Object.assign(this.wrap(result[i + 1] as number).userData, userData);
				}
			}
			const clips = Array.from(result.subarray(pairs), (number) => new Clip(this, number));
			const root = turned ?? this.wrap(result[1] as number);
			return { root, clips, clip: (name) => findClip(clips, name) };
		} catch (error) {
			turned?.dispose();
			throw error;
		}
	}

	// Undo, patches and snapshots.

	/**
	 * Creates the history of this scene: what `transact`, `record` and `apply` do from now on can be undone. It keeps at most
	 * so many bytes.
	 *
	 * @throws 'busy' if the scene has a history that is not disposed
	 */
	createHistory(options?: { bytes?: number }): EditHistory {
		this.check('scene');
		const last = this.history?.deref();
		if (last !== undefined && !last.disposed) {
			throw new PleachError('busy', 'this scene has a history already: use it, or dispose it first');
		}
		const history = new EditHistory(this, options?.bytes);
		this.history = new WeakRef(history);
		return history;
	}

	private get historyNumber(): number {
		return this.currentHistory?.number ?? NO_HISTORY;
	}

	/** @internal The history that is not disposed, or `null`. */
	get currentHistory(): EditHistory | null {
		const history = this.history?.deref();
		return history === undefined || history.disposed ? null : history;
	}

	/**
	 * Calls `edit` as one step of the history. A value that it throws rolls everything back, bit for bit. Steps in a row with the
	 * same `merge` are one: those of a slider that is dragged.
	 *
	 * @throws 'async-transaction' if `edit` returns a promise: nothing is changed then
	 *
	 * @example
	 * ```ts
	 * const crate = scene.createGroup();
	 * assert.throws(() => scene.transact('fails', () => {
	 *   crate.position.x = 5;
	 *   throw new Error('no');
	 * }));
	 * assert.equal(crate.position.x, 0);
	 * ```
	 */
	transact<T>(label: string, edit: () => T, options?: { merge?: string }): T {
		const merge = toText(options?.merge ?? '', 'merge');
		toText(label, 'the label');
		return this.edit(edit, () => {
			this.status(glue.transaction_commit(this.world, this.historyNumber, label, merge));
		});
	}

	/** `commit` ends the transaction, also if it fails. Its arguments must be checked before: nothing must throw before its call. */
	private edit<T>(edit: () => T, commit: () => void): T {
		if (typeof edit !== 'function') throw new PleachError('wrong-type', 'a transaction needs a function');
		this.status(raw.transaction_begin(this.world));
		let result: T;
		try {
			result = edit();
			if (typeof (result as { then?: unknown } | null | undefined)?.then === 'function') {
				throw new PleachError(
					'async-transaction',
					'a transaction returned a promise: load and compute before it, and edit the scene synchronously inside',
				);
			}
		} catch (error) {
			if (!(error instanceof PleachError && error.code === 'panicked')) raw.transaction_roll_back(this.world);
			this.restorations += 1;
			throw error;
		}
		commit();
		return result;
	}

	/** Calls `edit`, and returns what it changed as bytes for `apply`, on another machine too. It is a step of the history. */
	record(edit: () => void, label = 'edit'): Bytes {
		toText(label, 'the label');
		this.status(raw.prepare_patches(this.world));
		let bytes: Uint8Array | undefined;
		this.edit(edit, () => {
			bytes = glue.commit_to_bytes(this.world, this.historyNumber, label);
		});
		return bytes as Bytes;
	}

	/**
	 * Applies what `record` returned to a scene in the same state: one restored from a snapshot, with all patches since then
	 * in order. It is a step of the history.
	 *
	 * @throws 'patch'
	 *
	 * @example
	 * ```ts
	 * const copy = Scene.restore(scene.snapshot());
	 * const patch = scene.record(() => scene.createGroup({ name: 'lamp' }));
	 * copy.apply(patch);
	 * assert.equal(copy.find('lamp')?.id, scene.find('lamp')?.id);
	 * ```
	 */
	apply(patch: Uint8Array): void {
		if (!(patch instanceof Uint8Array))
			throw new PleachError('wrong-type', 'a patch is a Uint8Array that `record` returned');
		this.restorations += 1;
		this.status(glue.apply_patch(this.world, this.historyNumber, patch));
	}

	/** Returns everything in the scene as bytes, for `Scene.restore`: nodes have the same ids there. */
	snapshot(): Bytes {
		return glue.snapshot(this.world, this.up === 'y') as Bytes;
	}

	/**
	 * Creates the scene of a snapshot.
	 *
	 * @throws 'snapshot'
	 */
	static restore(bytes: Uint8Array): Scene {
		if (!(bytes instanceof Uint8Array)) {
			throw new PleachError('wrong-type', 'a snapshot is a Uint8Array that `snapshot` returned');
		}
		const number = glue.restore(bytes);
		const isYUp = number >= 2 ** 31;
		return new Scene({ up: isYUp ? 'y' : 'z' }, isYUp ? number - 2 ** 31 : number);
	}
}

function isSame(a: Uint32Array, b: Uint32Array): boolean {
	return a.length === b.length && a.every((value, i) => value === b[i]);
}

/** @internal */
export function findClip(clips: readonly Clip[], name: string): Clip {
	const found = clips.find((clip) => clip.name === name);
	if (found !== undefined) return found;
	const names = clips.map((clip) => `'${clip.name}'`).join(', ');
	throw new PleachError(
		'out-of-range',
		`no clip is named '${name}'; ${names === '' ? 'there are none' : `there are ${names}`}`,
	);
}

/**
 * Creates an empty scene. Z points up by default.
 *
 * @example
 * ```ts
 * const level = createScene({ name: 'level', up: 'y' });
 * assert.deepEqual([level.name, level.up, level.nodeCount], ['level', 'y', 1]);
 * ```
 */
export function createScene(options?: SceneOptions): Scene {
	return new Scene(options);
}
