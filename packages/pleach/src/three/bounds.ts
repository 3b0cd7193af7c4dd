/**
 * Bounds of adopted objects in pleach's index, and what the index is for: rays and culling.
 *
 * The index finds the objects whose bounds a ray hits; three's own `raycast` of these objects computes the hits, so
 * results are those of three.js. Bounds are handed over when the first query needs them, and again when the version of a
 * geometry changed. The geometries and objects are not modified.
 */
import {
	Box3,
	type BufferAttribute,
	type BufferGeometry,
	type Camera,
	Frustum,
	InstancedMesh,
	type InterleavedBufferAttribute,
	type Intersection,
	Matrix4,
	Mesh,
	type Object3D,
	Ray,
	type Raycaster,
	SkinnedMesh,
	type Sprite,
	Vector3,
} from 'three';
import { type ClipSpace, Graph } from '../graph.js';
import { checked, numbers, raw } from '../runtime.js';
import type { Bridge } from './bridge.js';
import { InstanceBoxes } from './instances.js';
import type { Link } from './link.js';
import { canBeHit } from './prototypes.js';
import { SkinBounds } from './skin-bounds.js';

/** What `Bridge.raycast` leaves out. */
export interface RaycastOptions {
	/** Returns `false` for objects to leave out. */
	filter?: (object: Object3D) => boolean;
	/** `true` to leave out objects that are not visible, or below such objects. Three.js hits them, and so does this by default. */
	visibleOnly?: boolean;
}

const ALL_LAYERS = 0xffffffff;
/** How many objects are compared in each query: a ray into 100,000 objects must not cost a walk over them. */
const COMPARED = 4096;

/** A geometry with the objects that use it. */
class SharedGeometry {
	readonly links = new Set<Link>();
	/** 6 floats, or `null` without positions. */
	minMax: Float32Array | null = null;
	private positions: BufferAttribute | InterleavedBufferAttribute | undefined;
	private version = -1;

	constructor(readonly geometry: BufferGeometry) {}

	/** Computes the bounds if the positions changed; returns `true` if they did. */
	refresh(): boolean {
		const positions = this.geometry.attributes.position as BufferAttribute | InterleavedBufferAttribute | undefined;
		const version = versionOf(positions);
		if (positions === this.positions && version === this.version) return false;
		this.positions = positions;
		this.version = version;
		this.minMax = boundsOf(this.geometry, positions);
		return true;
	}
}

/** The bounds of a bridge. */
export class Bounds {
	/** Objects whose bounds were not handed over yet. */
	private readonly pending = new Set<Link>();
	private readonly geometries = new Map<BufferGeometry, SharedGeometry>();
	private readonly shared = new Map<Link, SharedGeometry>();
	private readonly instanced = new Map<Link, InstanceBoxes>();
	private readonly skinned = new Map<Link, SkinBounds>();
	/** Objects with a `raycast` that knows more than bounds: points, lines, sprites, levels of detail. */
	private readonly custom = new Set<Link>();
	/** Objects that are drawn wherever they are. */
	private readonly neverCulled = new Set<Link>();
	/** Objects that are drawn. */
	private readonly known: Link[] = [];
	private nextCompared = 0;

	constructor(private readonly bridge: Bridge) {}

	/** The bounds of the object are needed, for the first time or again. */
	add(link: Link): void {
		this.pending.add(link);
	}

	delete(link: Link): void {
		this.pending.delete(link);
		this.forget(link);
		const { known } = this;
		const last = known.at(-1);
		if (link.boundsIndex < 0 || last === undefined) return;
		known[link.boundsIndex] = last;
		last.boundsIndex = link.boundsIndex;
		known.pop();
		link.boundsIndex = -1;
	}

	private forget(link: Link): void {
		this.instanced.delete(link);
		this.skinned.delete(link);
		this.custom.delete(link);
		this.neverCulled.delete(link);
		const shared = this.shared.get(link);
		if (shared === undefined) return;
		this.shared.delete(link);
		shared.links.delete(link);
		if (shared.links.size === 0) this.geometries.delete(shared.geometry);
	}

	/** Hands bounds over that are new or changed. */
	private sync(): void {
		const ids: number[] = [];
		const boxes: number[] = [];
		const put = (link: Link, minMax: Float32Array | null) => {
			if (minMax === null) return;
			ids.push(link.id);
			boxes.push(...minMax);
		};
		for (const shared of this.geometries.values()) {
			if (!shared.refresh()) continue;
			for (const link of shared.links) put(link, shared.minMax);
		}
		this.compare();
		for (const link of this.pending) {
			this.forget(link);
			this.classify(link, put);
		}
		this.pending.clear();
		for (const [link, instances] of this.instanced) {
			if (instances.refresh()) put(link, instances.minMax);
		}
		if (ids.length > 0) this.bridge.scene.setBounds(Float64Array.from(ids), Float32Array.from(boxes));
	}

	/** Notices other geometries and other values of `frustumCulled`: of all objects, or of the next ones if there are many. */
	private compare(): void {
		const { known } = this;
		for (let i = Math.min(known.length, COMPARED); i > 0; i--) {
			this.nextCompared = this.nextCompared + 1 < known.length ? this.nextCompared + 1 : 0;
			const link = known[this.nextCompared] as Link;
			const object = link.object as Partial<Mesh>;
			if (object.geometry !== link.geometry || object.frustumCulled !== link.frustumCulled) this.pending.add(link);
		}
	}

	private classify(link: Link, put: (link: Link, minMax: Float32Array | null) => void): void {
		const { object } = link;
		const { raycast } = object;
		if (!canBeHit(object)) return;
		if (link.boundsIndex < 0) link.boundsIndex = this.known.push(link) - 1;
		link.geometry = (object as Partial<Mesh>).geometry;
		link.frustumCulled = object.frustumCulled;
		if (!object.frustumCulled) this.neverCulled.add(link);
		if (object instanceof SkinnedMesh && raycast === SkinnedMesh.prototype.raycast) {
			this.skinned.set(link, new SkinBounds(object));
			return;
		}
		if (object instanceof InstancedMesh && raycast === InstancedMesh.prototype.raycast) {
			this.instanced.set(link, new InstanceBoxes(object));
			return;
		}
		if (!(object instanceof Mesh) || raycast !== Mesh.prototype.raycast) {
			this.custom.add(link);
			return;
		}
		const geometry = object.geometry as BufferGeometry;
		let shared = this.geometries.get(geometry);
		if (shared === undefined) {
			shared = new SharedGeometry(geometry);
			shared.refresh();
			this.geometries.set(geometry, shared);
		}
		shared.links.add(link);
		this.shared.set(link, shared);
		if (shared.minMax === null) this.custom.add(link);
		put(link, shared.minMax);
	}

	/** Returns what a ray hits, nearest first. */
	raycast(raycaster: Raycaster, options: RaycastOptions | undefined, nested: ReadonlySet<Bridge>): Intersection[] {
		this.sync();
		const { bridge } = this;
		const hits: Intersection[] = [];
		const filter = options?.filter;
		const visibleOnly = options?.visibleOnly === true;
		const accepts = (object: Object3D) =>
			object.layers.test(raycaster.layers) &&
			(filter === undefined || filter(object)) &&
			(!visibleOnly || isVisible(object, bridge.root));
		// `raycast` returns `false` to exclude what is below.
		const blocked = new Set<Object3D>();
		for (const { object } of this.custom) {
			if (!accepts(object)) continue;
			const result = object.raycast(raycaster, hits) as unknown;
			if (result === false) blocked.add(object);
		}
		const { skinned, instanced } = this;
		for (const [link, bounds] of skinned) {
			if (accepts(link.object)) bounds.raycast(raycaster, hits);
		}
		const placement = bridge.placementOfScene;
		ray.copy(raycaster.ray);
		if (placement !== null) ray.applyMatrix4(inverse.copy(placement).invert());
		const { origin, direction } = ray;
		// The distance in the scene's space.
		const farthest = placement === null ? raycaster.far : raycaster.far * inverseScale(raycaster.ray, inverse);
		const n = numbers();
		n[0] = origin.x;
		n[1] = origin.y;
		n[2] = origin.z;
		n[3] = direction.x;
		n[4] = direction.y;
		n[5] = direction.z;
		n[6] = farthest;
		const count = checked(bridge.scene, raw.ray_candidates(bridge.scene.world, ALL_LAYERS, 1));
		const slots = new Uint32Array(raw.memory.buffer, raw.slots_address(bridge.scene.world) >>> 0, count).slice();
		for (let i = 0; i < count; i++) {
			const link = bridge.linkInSlot(slots[i] as number);
			if (link === undefined || !this.isIndexed(link) || !accepts(link.object)) continue;
			const instances = instanced.size === 0 ? undefined : instanced.get(link);
			if (instances === undefined) link.object.raycast(raycaster, hits);
			else instances.raycast(raycaster, hits);
		}
		for (const bridge of nested) {
			if (!visibleOnly || isVisible(bridge.root, this.bridge.root)) hits.push(...bridge.raycast(raycaster, options));
		}
		const all = blocked.size === 0 ? hits : hits.filter((hit) => !isBelow(hit.object, blocked, bridge.root));
		return all.sort(nearestFirst);
	}

	/** Meshes of a document's scene have bounds in the index anyway; these objects are found without it. */
	private isIndexed(link: Link): boolean {
		return !(this.skinned.has(link) || this.custom.has(link));
	}

	/** Returns the visible objects in the view of a camera. */
	cull(camera: Camera): Object3D[] {
		this.sync();
		const { bridge } = this;
		viewProjection.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
		const { coordinateSystem } = camera;
		const isReversed = (camera as Camera & { reversedDepth?: boolean }).reversedDepth === true;
		const clip: ClipSpace = isReversed ? 'reversed' : coordinateSystem === 2001 ? 'zero-to-one' : 'negative-one-to-one';
		const visible: Object3D[] = [];
		const shown = new Map<Object3D, boolean>();
		const add = (object: Object3D) => {
			if (object.layers.test(camera.layers) && isShown(object, bridge.root, shown)) visible.push(object);
		};
		const placement = bridge.placementOfScene;
		local.copy(viewProjection);
		if (placement !== null) local.multiply(placement);
		for (const slot of Graph.prototype.cull.call(bridge.scene, local.elements, { clip, hidden: true })) {
			const link = bridge.linkInSlot(slot);
			if (link !== undefined && this.isIndexed(link) && !this.neverCulled.has(link)) add(link.object);
		}
		for (const { object } of this.neverCulled) add(object);
		frustum.setFromProjectionMatrix(viewProjection, coordinateSystem, isReversed);
		for (const [link, bounds] of this.skinned) {
			if (!this.neverCulled.has(link) && bounds.intersects(frustum)) add(link.object);
		}
		for (const link of this.custom) {
			if (this.neverCulled.has(link)) continue;
			const object = link.object as Object3D & Partial<Sprite & Mesh>;
			const isIn = object.isSprite
				? frustum.intersectsSprite(link.object as Sprite)
				: object.geometry === undefined || frustum.intersectsObject(link.object);
			if (isIn) add(link.object);
		}
		return visible;
	}
}

const viewProjection = new Matrix4();
const local = new Matrix4();
const inverse = new Matrix4();
const ray = new Ray();
const direction = new Vector3();
const frustum = new Frustum();
const box = new Box3();

/** Returns how much longer a transform makes the direction of a ray. */
function inverseScale(from: Ray, by: Matrix4): number {
	const e = by.elements;
	const { x, y, z } = from.direction;
	return direction
		.set(e[0] * x + e[4] * y + e[8] * z, e[1] * x + e[5] * y + e[9] * z, e[2] * x + e[6] * y + e[10] * z)
		.length();
}

/** A number that changes when an attribute is marked for upload; −1 without an attribute. */
export function versionOf(attribute: BufferAttribute | InterleavedBufferAttribute | undefined): number {
	if (attribute === undefined) return -2;
	return 'data' in attribute ? attribute.data.version : attribute.version;
}

/** Returns bounds of positions, enlarged by the rounding error, or `null`. */
function boundsOf(
	geometry: BufferGeometry,
	positions: BufferAttribute | InterleavedBufferAttribute | undefined,
): Float32Array | null {
	if (positions === undefined) return null;
	if (geometry.morphAttributes.position !== undefined) {
		// Weights may add up to more than the box of each target: three.js tests the sphere.
		const { boundingSphere, boundingBox } = geometry;
		if (boundingSphere === null) geometry.computeBoundingSphere();
		geometry.boundingSphere?.getBoundingBox(box);
		geometry.boundingSphere = boundingSphere;
		geometry.boundingBox = boundingBox;
	} else {
		box.setFromBufferAttribute(positions as BufferAttribute);
	}
	return enlarged(box);
}

/** Returns the box as 6 floats, enlarged by the rounding error, or `null` if it is empty or not finite. */
export function enlarged({ min, max }: Box3): Float32Array | null {
	const size = Math.max(max.x - min.x, max.y - min.y, max.z - min.z);
	if (!(size >= 0) || !Number.isFinite(size)) return null;
	const largest = Math.max(-min.x, -min.y, -min.z, max.x, max.y, max.z);
	const pad = size * 1e-5 + largest * 1e-6;
	return Float32Array.of(min.x - pad, min.y - pad, min.z - pad, max.x + pad, max.y + pad, max.z + pad);
}

/** Returns `true` if the object and all ancestors up to the root are visible. */
export function isVisible(object: Object3D, root: Object3D): boolean {
	for (let at: Object3D | null = object; at !== null; at = at.parent) {
		if (!at.visible) return false;
		if (at === root) return true;
	}
	return true;
}

/** `isVisible`, with the answers for ancestors remembered. */
function isShown(object: Object3D, root: Object3D, known: Map<Object3D, boolean>): boolean {
	if (!object.visible) return false;
	const { parent } = object;
	if (object === root || parent === null) return true;
	let above = known.get(parent);
	if (above === undefined) {
		above = isShown(parent, root, known);
		known.set(parent, above);
	}
	return above;
}

function isBelow(object: Object3D, blocked: ReadonlySet<Object3D>, root: Object3D): boolean {
	if (object === root) return false;
	for (let at = object.parent; at !== null; at = at.parent) {
		if (blocked.has(at)) return true;
		if (at === root) return false;
	}
	return false;
}

/** By distance; hits at the same distance in the order of a walk through the tree, as in three.js. */
function nearestFirst(a: Intersection, b: Intersection): number {
	return a.distance - b.distance || (a.object === b.object ? 0 : treeOrder(a.object, b.object));
}

function treeOrder(a: Object3D, b: Object3D): number {
	const [above, other] = [pathTo(a), pathTo(b)];
	let depth = 0;
	while (depth < above.length && above[depth] === other[depth]) depth++;
	const [first, second] = [above[depth], other[depth]];
	// A parent comes before what is below it.
	if (first === undefined || second === undefined) return above.length - other.length;
	const siblings = first.parent?.children ?? [];
	return siblings.indexOf(first) - siblings.indexOf(second);
}

function pathTo(object: Object3D): Object3D[] {
	const path: Object3D[] = [];
	for (let at: Object3D | null = object; at !== null; at = at.parent) path.unshift(at);
	return path;
}
