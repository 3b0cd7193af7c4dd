/**
 * `Bridge`: keeps a hierarchy of three.js and a scene of pleach the same.
 *
 * Invariants: every adopted object has a link in `links`, at the slot of its node; `elements` holds the numbers of its
 * `matrixWorld` at the same place; `values` holds the local transform that both sides agreed on last, so that a
 * difference is a write by pleach. Tables are indexed by slot.
 */
import {
	type Camera,
	type Intersection,
	type LOD,
	Matrix4,
	Object3D,
	Quaternion,
	type Raycaster,
	type SkinnedMesh,
	Vector3,
} from 'three';
import { PleachError } from '../errors.js';
import { type ChangeReader, type Changes, layout, type NodeOptions } from '../graph.js';
import type { SceneNode } from '../node.js';
import { Owned } from '../owned.js';
import { glue, numbers, raw } from '../runtime.js';
import { Bounds, isVisible, type RaycastOptions } from './bounds.js';
import { type BridgeScene, createScene } from './create-scene.js';
import { type FlatRenderer, renderFlat } from './flat.js';
import { copyRotationBack, observe, release } from './hooks.js';
import { Link, linkOf, setLink } from './link.js';
import { mirrorNodes } from './mirror.js';
import { adoptPrototype, callOverridden, isOverridden, restorePrototype } from './prototypes.js';
import { followerOf, moveTarget } from './targets.js';

/** How a hierarchy is adopted. */
export interface AttachOptions {
	/**
	 * How changes of transforms are noticed: 'hook' (default) observes writes; 'scan' compares all transforms in each update; 'manual' needs
	 * `touch` after each change.
	 */
	track?: 'hook' | 'scan' | 'manual';
}

/** @internal A scene with nodes already, and what connects them with objects. */
export interface ExistingScene {
	readonly scene: BridgeScene;
	/** Creates the object of a node. */
	createObject(node: SceneNode): Object3D;
	/** Creates the node of an object, or returns `null` if a group is enough. */
	createNode(object: Object3D, options: NodeOptions & { parent: SceneNode }): SceneNode | null;
	/** Writes what pleach edited to the objects, but not transforms and what nodes of all kinds have. */
	update(bridge: Bridge): void;
	/** Geometry, materials or instances of a node were set. */
	partsSet(node: SceneNode): void;
}

/** The largest number of objects with `matrixAutoUpdate = false` whose matrices are compared in each update. */
const MANUAL_LIMIT = 1024;
/** How far the squared length of a quaternion may be from 1 to be kept as a rotation. */
const UNIT_TOLERANCE = 1e-6;
/** Differences of rotations up to this one come from normalization. */
const ROTATION_TOLERANCE = 1e-6;

const position = new Vector3();
const quaternion = new Quaternion();
const scale = new Vector3();
const matrix = new Matrix4();

/**
 * Keeps an adopted hierarchy and its scene the same. Create one with `attach`.
 *
 * @example
 * ```ts
 * const bridge = attach(threeScene);
 * mesh.position.x += 1; // noticed without a call
 * bridge.update(); // renderer.render() calls it, too
 * bridge.dispose(); // three.js as before
 * ```
 */
export class Bridge extends Owned {
	/** The scene that mirrors the hierarchy: its root is the adopted object. Y is up. */
	readonly scene: BridgeScene;
	/** The adopted object. */
	readonly root: Object3D;
	/** @internal The number of the world of `scene`. */
	readonly world: number;
	/**
	 * @internal Local transforms, 10 numbers per slot: position and scale as three.js has them, which are in no other place if they
	 * are observed; the rotation as both sides agreed on it last.
	 */
	values: Float64Array;
	/** @internal 1 for slots whose local transform is a matrix. */
	matrixKinds: Uint8Array;
	private readonly links: (Link | undefined)[] = [];
	private readonly elements: (number[] | undefined)[] = [];
	/** 1 for slots of objects with matrices that depend on `matrixWorld`. */
	private dependents: Uint8Array;
	private readonly reader: ChangeReader;
	private readonly bounds: Bounds;
	private readonly track: 'hook' | 'scan' | 'manual';
	/** Objects with a local matrix of their own, and the matrix as last seen. */
	private readonly manual = new Map<Link, Float32Array>();
	private readonly scanned = new Set<Link>();
	private readonly overridden = new Set<Link>();
	/** Lights and levels of detail: what renderers need before they draw. */
	private readonly specials = new Set<Link>();
	/** Objects that were removed since the last update: they may have been added elsewhere. */
	private readonly removed = new Set<Link>();
	/** Objects of nodes that pleach removed, in case the removal is undone. */
	private readonly objectsOfRemoved = new Map<number, Object3D>();
	private isUpdating = false;
	/** `true` while changes of pleach are applied to three.js: they are not sent back. */
	private isApplying = false;
	/** Bridges whose roots are in this tree: models that were loaded. */
	private readonly nested = new Set<Bridge>();
	private readonly existing: ExistingScene | null;
	private rootParent: Float32Array | null = null;
	/** The scene was disposed before the bridge. */
	private isAbandoned = false;
	private restorations = 0;
	private readonly endMirror: () => void;
	/** From the scene's space to that of three.js: a document's scene does not contain where its model was put. */
	private readonly placement: Matrix4 | null;

	/** @internal Use `attach`. */
	constructor(root: Object3D, options?: AttachOptions, existing: ExistingScene | null = null) {
		super();
		if (linkOf(root) !== null) {
			throw new PleachError('foreign-node', `'${describe(root)}' is adopted already: an object belongs to one bridge`);
		}
		const track = options?.track ?? 'hook';
		if (track !== 'hook' && track !== 'scan' && track !== 'manual') {
			throw new PleachError('out-of-range', `track is 'hook', 'scan' or 'manual', not '${track}'`);
		}
		this.track = track;
		this.root = root;
		this.existing = existing;
		this.placement = existing === null ? null : new Matrix4();
		this.scene = existing?.scene ?? createScene();
		this.world = this.scene.world;
		this.values = new Float64Array(0);
		this.matrixKinds = new Uint8Array(0);
		this.dependents = new Uint8Array(0);
		this.bounds = new Bounds(this);
		this.reader = this.scene.createChangeReader();
		this.endMirror = mirrorNodes(this.scene, {
			wrapped: (node) => this.share(node),
			read: (node) => this.readProperties(node),
			visibleSet: (node) => this.visibleSet(node),
			partsSet: (node) => this.existing?.partsSet(node),
			disposing: () => {
				this.isAbandoned = true;
				this.dispose();
			},
		});
		try {
			if (existing === null) {
				this.adoptRoot();
				for (const child of root.children) this.adoptBelow(child, this.scene.root);
			} else {
				this.adoptNodes();
			}
		} catch (error) {
			this.dispose();
			throw error;
		}
		this.update();
	}

	/** Gives three.js its own vectors and methods back, and frees the scene. */
	override dispose(): void {
		if (this.disposed) return;
		// The matrices are those of the last update; three.js computes them again in its next one.
		this.endMirror();
		for (const link of this.links) if (link !== undefined) this.releaseLink(link);
		this.reader.dispose();
		if (this.existing === null) this.scene.dispose();
		super.dispose();
	}

	/** Returns the node of an object, or `null` if the object is not adopted. Objects of a loaded model have nodes in the model's scene. */
	nodeOf(object: Object3D): SceneNode | null {
		const link = linkOf(object);
		if (link === null) return null;
		if (link.bridge === this) {
			const node = this.scene.node(link.id);
			if (node !== null) this.read(link);
			return node;
		}
		return this.nested.has(link.bridge) ? link.bridge.nodeOf(object) : null;
	}

	/** Returns the object of a node, or `null` for nodes that have none yet: `update` creates objects for new nodes. */
	objectOf(node: SceneNode): Object3D | null {
		this.scene.expectOwn(node);
		return this.linkAt(node.slot, node.generation)?.object ?? null;
	}

	/** @internal The links of all adopted objects. */
	*adopted(): Iterable<Link> {
		for (const link of this.links) {
			if (link === undefined) continue;
			this.read(link);
			yield link;
		}
	}

	/** @internal The object in a slot. */
	objectAt(slot: number): Object3D | undefined {
		return this.links[slot]?.object;
	}

	/** @internal */
	linkInSlot(slot: number): Link | undefined {
		return this.links[slot];
	}

	/**
	 * Computes what is out of date, and writes changed matrices to three.js. `renderer.render()` calls it. Does nothing after the scene
	 * was disposed: the objects are then like any other.
	 */
	update(): void {
		if (this.isUpdating || this.isAbandoned) return;
		this.check('bridge');
		this.isUpdating = true;
		try {
			if (this.removed.size > 0) this.settleRemoved();
			if (this.scanned.size > 0) for (const link of this.scanned) this.scan(link);
			if (this.manual.size > 0 && this.manual.size <= MANUAL_LIMIT) this.compareMatrices();
			if (this.root.parent !== null || this.placement !== null) this.followParent();
			this.writeBack();
			if (this.nested.size > 0) this.updateNested();
			if (this.overridden.size > 0) {
				for (const link of this.overridden) callOverridden(link.object);
				this.writeBack();
			}
		} finally {
			this.isUpdating = false;
		}
	}

	/**
	 * Reads an object again: its transform (or `matrix`, if `matrixAutoUpdate` is off) and its properties. Needed after
	 * `matrix` was written by hand, and after every change with `track: 'manual'`. In trees with more than 4096 drawn objects, queries notice another
	 * `geometry` or `frustumCulled` in turns; this lets the next one know.
	 */
	touch(object: Object3D): void {
		const link = this.expectAdopted(object);
		if (!object.matrixAutoUpdate) {
			this.writeMatrix(link);
		} else {
			link.isMatrix = true;
			this.writeTransform(link);
		}
		this.read(link);
		this.bounds.add(link);
	}

	/** Reads the children of an object again. Needed after `children` was edited without `add` and `remove`. */
	resync(object: Object3D): void {
		const parent = this.expectAdopted(object);
		const node = this.scene.wrap(parent.id);
		const children = new Set(object.children);
		for (const child of node.children) {
			const link = this.linkAt(child.slot, child.generation);
			if (link !== null && !children.has(link.object)) {
				child.detach();
				this.removed.add(link);
			}
		}
		for (const child of object.children) {
			this.childAdded(parent, child);
			this.resync(child);
		}
	}

	/**
	 * Returns what a ray hits in the whole hierarchy, nearest first, as `raycaster.intersectObject(root)`, which calls it. Objects are found through the
	 * index; three.js computes the exact hits. Skinned meshes are hit in their current pose. Updates first.
	 */
	raycast(raycaster: Raycaster, options?: RaycastOptions): Intersection[] {
		this.update();
		return this.bounds.raycast(raycaster, options, this.nested);
	}

	/**
	 * Returns the visible objects in the view of a camera: what a renderer draws, without walking the tree. `visible` and `layers`
	 * of three.js are respected. Updates first.
	 */
	cull(camera: Camera): Object3D[] {
		this.update();
		if (camera.parent === null) camera.updateMatrixWorld();
		const visible = this.bounds.cull(camera);
		for (const bridge of this.nested) {
			if (isVisible(bridge.root, this.root)) visible.push(...bridge.cull(camera));
		}
		return visible;
	}

	/**
	 * Renders the adopted tree without walking through it: the renderer gets lights, objects in view and shadow casters only. Not for trees with
	 * `Group.renderOrder`, with cameras of WebXR, or with callbacks that edit the tree while it is rendered.
	 */
	render(renderer: FlatRenderer, camera: Camera): void {
		this.update();
		const objects: Object3D[] = [];
		this.collectForRendering(objects, camera, renderer.shadowMap?.enabled === true);
		for (const object of this.cull(camera)) objects.push(object);
		renderFlat(renderer, this.root, objects, camera);
	}

	/** Appends what a renderer needs whether it is in view or not. */
	private collectForRendering(objects: Object3D[], camera: Camera, withShadows: boolean): void {
		for (const { object } of this.specials) {
			if (!isVisible(object, this.root)) continue;
			const { isLOD, autoUpdate, update } = object as Partial<LOD>;
			if (isLOD === true && autoUpdate === true) update?.call(object as LOD, camera);
			objects.push(object);
		}
		if (withShadows) {
			for (const link of this.links) {
				if (link?.object.castShadow === true && isVisible(link.object, this.root)) objects.push(link.object);
			}
		}
		for (const bridge of this.nested) {
			if (isVisible(bridge.root, this.root)) bridge.collectForRendering(objects, camera, withShadows);
		}
	}

	// Names, visibility and data. Objects have no place for accessors of these: they are compared where pleach needs them.

	/** Lets a node share the data of its object. */
	private share(node: SceneNode): void {
		const link = this.linkAt(node.slot, node.generation);
		if (link === null || link.node === node) return;
		link.node = node;
		link.userData = link.object.userData;
		node.userData = link.userData;
	}

	/** Reads what three.js wrote to an object; to all objects for `null`. */
	private readProperties(node: SceneNode | null): void {
		if (node === null) for (const link of this.links) this.read(link);
		else this.read(this.linkAt(node.slot, node.generation) ?? undefined);
	}

	private read(link: Link | undefined): void {
		if (link === undefined) return;
		const { name, visible } = link.object;
		if (link.node !== null) this.readUserData(link, link.node);
		if ((name === link.name && visible === link.visible) || this.isPlaced(link)) return;
		// The node of an object that was removed may not be alive.
		if (!isAlive(link)) return;
		if (name !== link.name) {
			link.name = name;
			glue.set_name(link.world, link.slot, link.generation, name);
		}
		if (visible !== link.visible) {
			link.visible = visible;
			if (raw.set_visible(link.world, link.slot, link.generation, visible ? 1 : 0) !== 0) this.fail(link);
		}
	}

	/** Both sides have the object that one of them assigned last; that of three.js if both did. */
	private readUserData(link: Link, node: SceneNode): void {
		const { object } = link;
		if (object.userData === link.userData && node.userData === link.userData) return;
		link.userData = object.userData !== link.userData ? object.userData : node.userData;
		object.userData = link.userData;
		node.userData = link.userData;
	}

	/** A program set `visible` of a node. */
	private visibleSet(node: SceneNode): void {
		const link = this.linkAt(node.slot, node.generation);
		if (link !== null) this.copyVisibleBack(link);
	}

	private copyVisibleBack(link: Link): void {
		const visible = (raw.flags(link.world, link.slot, link.generation) & VISIBLE) !== 0;
		// Values that are not of type boolean stay as they are.
		if (visible === Boolean(link.visible) || this.isPlaced(link)) return;
		link.visible = visible;
		link.object.visible = visible;
	}

	/** Returns `true` for the root of a model: its transform and properties are not those of the scene's root. */
	private isPlaced(link: Link): boolean {
		return this.placement !== null && link.object === this.root;
	}

	// What hooks call.

	/** @internal Throws the error of a call, after the transform of pleach was copied to the object. */
	fail(link: Link): void {
		const node = this.scene.wrap(link.id);
		// A node that pleach removed: the object follows with the next update.
		if (!node.alive) return;
		try {
			node.fail();
		} finally {
			this.copyLocalBack(link);
		}
	}

	/** @internal A write to a slot failed. */
	failed(slot: number): void {
		const link = this.links[slot];
		if (link !== undefined) this.fail(link);
	}

	/** @internal */
	writeTransformOf(slot: number): void {
		const link = this.links[slot];
		if (link !== undefined) this.writeTransform(link);
	}

	/** @internal */
	writeRotation(link: Link): void {
		const { x, y, z, w } = link.object.quaternion;
		if (link.isMatrix || Math.abs(x * x + y * y + z * z + w * w - 1) > UNIT_TOLERANCE) {
			link.isMatrix = true;
			this.writeTransform(link);
			return;
		}
		if (raw.set_rotation(link.world, link.slot, link.generation, x, y, z, w) !== 0) {
			this.fail(link);
			return;
		}
		const { values } = this;
		const row = link.slot * 10 + 3;
		values[row] = x;
		values[row + 1] = y;
		values[row + 2] = z;
		values[row + 3] = w;
	}

	/** @internal Writes position, quaternion and scale: as a transform, or as a matrix if only this is exact. */
	writeTransform(link: Link): void {
		const { object } = link;
		if (object === this.root && this.placement !== null) return;
		// `updateMatrix()` applies them.
		if (!object.matrixAutoUpdate) return;
		if (!isTransform(object)) {
			link.isMatrix = true;
			object.updateMatrix();
			return;
		}
		const values = numbers();
		putTransform(object, values, 0);
		if (raw.set_transform(link.world, link.slot, link.generation) !== 0) {
			this.fail(link);
			return;
		}
		link.isMatrix = false;
		this.manual.delete(link);
		putTransform(object, this.values, link.slot * 10);
	}

	/** @internal Writes `matrix`. */
	writeMatrix(link: Link): void {
		const { object } = link;
		if (object === this.root && this.placement !== null) return;
		link.isMatrix = true;
		if (link.slot === this.scene.root.slot && object.parent !== null) {
			matrix.multiplyMatrices(object.parent.matrixWorld, object.matrix);
			numbers().set(matrix.elements);
		} else {
			numbers().set(object.matrix.elements);
		}
		if (raw.set_local_matrix(link.world, link.slot, link.generation) !== 0) this.fail(link);
		if (!object.matrixAutoUpdate || object.pivot != null) {
			const seen = this.manual.get(link);
			if (seen === undefined) this.manual.set(link, Float32Array.from(object.matrix.elements));
			else seen.set(object.matrix.elements);
		}
	}

	/** @internal Writes one world matrix to three.js, and those above. */
	refresh(link: Link, withParents: boolean): void {
		const { object } = link;
		const { parent } = object;
		if (withParents && parent !== null) {
			const above = this.ownLink(parent);
			if (above !== null) this.refresh(above, true);
			else parent.updateWorldMatrix(true, false);
		}
		if (link.slot === this.scene.root.slot && (parent !== null || this.placement !== null)) this.followParent();
		if (link.isMatrix && this.manual.has(link)) this.compareMatrix(link);
		if (link.isScanned) this.scan(link);
		if (raw.world_matrix(link.world, link.slot, link.generation) !== 0) return;
		copyMatrix(numbers(), 0, object.matrixWorld.elements);
		if (this.placement !== null) object.matrixWorld.premultiply(this.placement);
		if (this.dependents[link.slot] === 1) writeDependent(object);
	}

	/** @internal */
	bound(link: Link): void {
		writeDependent(link.object);
	}

	/** @internal */
	childAdded(parent: Link, child: Object3D): void {
		if (this.isApplying) return;
		if (!isAlive(parent)) {
			// Pleach removed it: the next update takes it out of the tree, with everything below.
			const link = this.ownLink(child);
			if (link !== null) this.removed.add(link);
			return;
		}
		const known = this.ownLink(child);
		// Pleach removed its node with those above: it is like an object from elsewhere.
		if (known !== null && !isAlive(known)) this.releaseBelow(child);
		const link = linkOf(child);
		if (link === null || link.bridge !== this) {
			if (link !== null && link.object === link.bridge.root) {
				this.nested.add(link.bridge);
				return;
			}
			if (link !== null) link.bridge.releaseBelow(child);
			this.adoptBelow(child, this.scene.wrap(parent.id));
			return;
		}
		this.attachNode(link, parent);
	}

	/** @internal */
	childRemoved(parent: Link, child: Object3D): void {
		if (this.isApplying) return;
		const link = this.ownLink(child);
		const other = linkOf(child);
		if (other !== null && other.object === other.bridge.root) this.nested.delete(other.bridge);
		if (link === null || raw.parent(link.world, link.slot, link.generation) !== parent.id) return;
		if (raw.detach(link.world, link.slot, link.generation, 0) !== 0) this.fail(link);
		this.removed.add(link);
	}

	/** @internal An adopted object was added to an object. */
	added(link: Link): void {
		const { parent } = link.object;
		if (this.isApplying || parent === null || this.ownLink(parent) !== null || link.object === this.root) return;
		this.removed.delete(link);
		this.removeFrom(link);
	}

	// Adoption.

	private ownLink(object: Object3D): Link | null {
		const link = linkOf(object);
		return link !== null && link.bridge === this ? link : null;
	}

	private linkAt(slot: number, generation: number): Link | null {
		const link = this.links[slot];
		return link !== undefined && link.generation === generation ? link : null;
	}

	private expectAdopted(object: Object3D): Link {
		this.check('bridge');
		const link = this.ownLink(object);
		if (link === null) {
			throw new PleachError(
				'foreign-node',
				`'${describe(object)}' does not belong to this bridge: add it to the adopted tree first`,
			);
		}
		return link;
	}

	private adoptRoot(): void {
		const { slot, generation } = this.scene.root;
		this.reserve(slot + 1);
		const link = this.adoptObject(this.root, slot, generation);
		this.share(this.scene.root);
		this.read(link);
		link.isMatrix = true;
		if (this.root.parent === null) this.writeTransform(link);
		else this.followParent();
		if (!this.root.matrixAutoUpdate) this.writeMatrix(link);
	}

	/** Creates the objects of the nodes of an existing scene. */
	private adoptNodes(): void {
		const { slot, generation } = this.scene.root;
		this.reserve(slot + 1);
		// The root stands where the program puts it; the scene's own root is the identity.
		this.adoptObject(this.root, slot, generation).isMatrix = true;
		this.whileApplying(() => {
			this.scene.root.traverse((node) => {
				if (node !== this.scene.root) this.nodeAdded(node.slot);
			});
		});
		// The reader reports what changes from now on.
		this.scene.update();
		this.writeMatrices(Uint32Array.from(this.links.keys()));
	}

	/** Adopts an object with everything below it. */
	private adoptBelow(top: Object3D, under: SceneNode): void {
		const objects: Object3D[] = [];
		const parents: number[] = [];
		const collect = (object: Object3D, parent: number) => {
			const known = linkOf(object);
			if (known !== null && known.bridge !== this && known.bridge.root === object) {
				this.nested.add(known.bridge);
				return;
			}
			if (known !== null) {
				throw new PleachError(
					'foreign-node',
					`'${describe(object)}' is adopted already: an object belongs to one bridge`,
				);
			}
			const index = objects.push(object) - 1;
			parents.push(parent);
			for (const child of object.children) collect(child, index);
		};
		collect(top, -1);
		if (objects.length === 0) return;
		const trs = new Float32Array(objects.length * 10);
		objects.forEach((object, index) => {
			if (object.matrixAutoUpdate && isTransform(object)) putTransform(object, trs, index * 10);
			else trs.set(IDENTITY, index * 10);
		});
		let ids: Float64Array;
		try {
			ids =
				this.existing === null
					? this.scene.addAll(Int32Array.from(parents), trs, under)
					: this.createNodes(this.existing, objects, parents, trs, under);
		} catch (error) {
			if (error instanceof PleachError && error.index !== undefined) {
				const object = objects[error.index];
				error.message = `'${object === undefined ? '' : describe(object)}' cannot be adopted: ${error.message}`;
			}
			throw error;
		}
		let last = 0;
		for (const id of ids) last = Math.max(last, id >>> 0);
		this.reserve(last + 1);
		const later: Link[] = [];
		objects.forEach((object, index) => {
			const id = ids[index] as number;
			const link = this.adoptObject(object, id >>> 0, Math.floor(id / 4294967296));
			if (!object.matrixAutoUpdate || !isTransform(object)) later.push(link);
			else putTransform(object, this.values, link.slot * 10);
			this.read(link);
		});
		for (const link of later) {
			link.isMatrix = true;
			if (link.object.matrixAutoUpdate) this.writeTransform(link);
			else this.writeMatrix(link);
		}
	}

	/** Creates nodes one after the other, because they are of different kinds. All are created, or none. */
	private createNodes(
		existing: ExistingScene,
		objects: readonly Object3D[],
		parents: readonly number[],
		trs: Float32Array,
		under: SceneNode,
	): Float64Array {
		const nodes: SceneNode[] = [];
		try {
			objects.forEach((object, i) => {
				const parent = nodes[parents[i] as number] ?? under;
				const row = trs.subarray(i * 10, i * 10 + 10);
				const [position, rotation, scale] = [row.slice(0, 3), row.slice(3, 7), row.slice(7, 10)];
				const options = { parent, position, rotation, scale };
				nodes.push(existing.createNode(object, options) ?? this.scene.createGroup(options));
			});
		} catch (error) {
			nodes[0]?.dispose();
			if (!(error instanceof PleachError)) throw error;
			throw new PleachError(error.code, error.message, { index: nodes.length, cause: error });
		}
		return Float64Array.from(nodes, (node) => node.id);
	}

	private adoptObject(object: Object3D, slot: number, generation: number): Link {
		// The slot is that of a node that pleach removed since the last update.
		const former = this.links[slot];
		if (former !== undefined) this.whileApplying(() => this.nodeRemoved(former.id));
		const link = new Link(this, object, this.scene.world, slot, generation);
		setLink(object, link);
		this.links[slot] = link;
		this.matrixKinds[slot] = 0;
		this.elements[slot] = object.matrixWorld.elements;
		const kinds = object as Partial<Record<'isCamera' | 'isSkinnedMesh' | 'isLight' | 'isLOD', boolean>>;
		const isDependent = kinds.isCamera === true || kinds.isSkinnedMesh === true || followerOf(object) !== null;
		this.dependents[slot] = isDependent ? 1 : 0;
		if (kinds.isLight === true || kinds.isLOD === true) this.specials.add(link);
		if (isOverridden(object)) {
			link.isOverridden = true;
			this.overridden.add(link);
		}
		const isPlaced = this.placement !== null && object === this.root;
		const isObserved = !isPlaced && this.track === 'hook' && observe(link);
		if (!isObserved && !isPlaced && this.track !== 'manual') {
			link.isScanned = true;
			this.scanned.add(link);
		}
		adoptPrototype(object);
		this.bounds.add(link);
		return link;
	}

	private reserve(slots: number): void {
		if (this.dependents.length >= slots) return;
		const capacity = Math.max(slots, this.dependents.length * 2);
		const { values, matrixKinds, dependents } = this;
		this.values = new Float64Array(capacity * 10);
		this.values.set(values);
		this.matrixKinds = new Uint8Array(capacity);
		this.matrixKinds.set(matrixKinds);
		this.dependents = new Uint8Array(capacity);
		this.dependents.set(dependents);
	}

	private releaseLink(link: Link): void {
		const { object, slot } = link;
		restorePrototype(object);
		release(link);
		setLink(object, null);
		this.links[slot] = undefined;
		this.elements[slot] = undefined;
		this.manual.delete(link);
		this.scanned.delete(link);
		this.overridden.delete(link);
		this.specials.delete(link);
		this.removed.delete(link);
		this.bounds.delete(link);
		// Whoever updates it next starts from the transform.
		object.matrixWorldNeedsUpdate = true;
	}

	/** Releases an object and everything below it. */
	private releaseBelow(object: Object3D): void {
		object.traverse((below) => {
			const link = linkOf(below);
			if (link === null) return;
			if (link.bridge === this) this.releaseLink(link);
			else if (link.bridge.root === below) this.nested.delete(link.bridge);
		});
	}

	/** Releases an object with everything below it, and removes their nodes. */
	private removeFrom(link: Link): void {
		this.releaseBelow(link.object);
		const node = this.scene.node(link.id);
		if (node !== null) node.dispose();
	}

	// From three.js to pleach.

	private attachNode(link: Link, parent: Link): void {
		this.removed.delete(link);
		if (raw.parent(link.world, link.slot, link.generation) === parent.id) return;
		this.scene.wrap(link.id).attach(this.scene.wrap(parent.id));
	}

	/** Removes the nodes of objects that were removed, unless they were added elsewhere in the tree. */
	private settleRemoved(): void {
		for (const link of [...this.removed]) {
			const { parent } = link.object;
			const above = parent === null ? null : this.ownLink(parent);
			if (above !== null && isAlive(above) && isAlive(link)) this.attachNode(link, above);
			else this.removeFrom(link);
		}
		this.removed.clear();
	}

	/** Writes the transform of an object whose properties are not observed, if it changed. */
	private scan(link: Link): void {
		const { object } = link;
		if (!object.matrixAutoUpdate || link.isMatrix) {
			if (object.matrixAutoUpdate) this.writeTransform(link);
			return;
		}
		const { position: p, quaternion: q, scale: s } = object;
		const { values } = this;
		const row = link.slot * 10;
		if (
			values[row] !== p.x ||
			values[row + 1] !== p.y ||
			values[row + 2] !== p.z ||
			values[row + 3] !== q.x ||
			values[row + 4] !== q.y ||
			values[row + 5] !== q.z ||
			values[row + 6] !== q.w ||
			values[row + 7] !== s.x ||
			values[row + 8] !== s.y ||
			values[row + 9] !== s.z
		) {
			this.writeTransform(link);
		}
	}

	private updateNested(): void {
		for (const bridge of this.nested) {
			if (!bridge.disposed) {
				bridge.update();
				continue;
			}
			// From now on its objects are like any other.
			this.nested.delete(bridge);
			const parent = bridge.root.parent === null ? null : this.ownLink(bridge.root.parent);
			if (parent !== null) this.childAdded(parent, bridge.root);
		}
	}

	private compareMatrices(): void {
		for (const link of this.manual.keys()) this.compareMatrix(link);
	}

	private compareMatrix(link: Link): void {
		const seen = this.manual.get(link);
		if (seen === undefined) return;
		const { object } = link;
		if (object.matrixAutoUpdate) {
			this.writeTransform(link);
			return;
		}
		const { elements } = object.matrix;
		for (let i = 0; i < 16; i++) {
			if (seen[i] !== Math.fround(elements[i] as number)) {
				this.writeMatrix(link);
				return;
			}
		}
	}

	/** The root of the adopted tree may be below an object that is not adopted. */
	private followParent(): void {
		const { root, placement } = this;
		const { parent } = root;
		if (parent === null && placement === null) return;
		if (root.matrixAutoUpdate) Object3D.prototype.updateMatrix.call(root);
		root.matrixWorldNeedsUpdate = false;
		matrix.copy(root.matrix);
		if (parent !== null) {
			parent.updateWorldMatrix(true, false);
			matrix.multiplyMatrices(parent.matrixWorld, root.matrix);
		}
		if (placement !== null) {
			if (placement.equals(matrix)) return;
			placement.copy(matrix);
			this.writeMatrices(Uint32Array.from(this.links.keys()));
			return;
		}
		const link = this.ownLink(root) as Link;
		this.rootParent ??= new Float32Array(16);
		let isSame = link.isMatrix;
		for (let i = 0; i < 16; i++) {
			const value = Math.fround(matrix.elements[i] as number);
			if (this.rootParent[i] !== value) isSame = false;
			this.rootParent[i] = value;
		}
		if (isSame) return;
		link.isMatrix = true;
		numbers().set(this.rootParent);
		if (raw.set_local_matrix(link.world, link.slot, link.generation) !== 0) this.fail(link);
	}

	/** @internal Returns what transforms from the scene's space to that of three.js; `null` if they are the same. */
	get placementOfScene(): Matrix4 | null {
		return this.placement;
	}

	// From pleach to three.js.

	/** Updates the scene, and writes what changed to three.js. */
	private writeBack(): void {
		const { scene } = this;
		scene.update();
		let changes = this.reader.read();
		if (
			changes.added.length +
				changes.removed.length +
				changes.reparented.length +
				changes.shownChanged.length +
				changes.renamed.length >
			0
		) {
			// The lists are views, and the calls below invalidate them.
			const copy = copyChanges(changes);
			changes = copy;
			this.whileApplying(() => this.applyChanges(copy));
		}
		const { changed } = changes;
		if (changed.length > 0) this.writeMatrices(changed);
		if (scene.restorations !== this.restorations) {
			this.restorations = scene.restorations;
			// What is shown does not change where a node above is hidden.
			for (const link of this.links) if (link !== undefined) this.copyVisibleBack(link);
		}
		if (this.objectsOfRemoved.size > 0 && !this.canRestore()) this.objectsOfRemoved.clear();
		this.existing?.update(this);
	}

	private writeMatrices(changed: Uint32Array): void {
		const matrices = this.scene.worldMatrices;
		const locals = this.scene.locals;
		const { localStride: stride, translation: t, rotation: r, scale: s } = layout;
		const { elements, values, dependents } = this;
		const { fround } = Math;
		const count = changed.length;
		let dependentCount = 0;
		const differing: number[] = [];
		for (let i = 0; i < count; i++) {
			const slot = changed[i] as number;
			const target = elements[slot];
			if (target === undefined) continue;
			copyMatrix(matrices, slot * 16, target);
			dependentCount += dependents[slot] as number;
			const own = slot * 10;
			const row = slot * stride;
			if (
				fround(values[own] as number) !== locals[row + t] ||
				fround(values[own + 1] as number) !== locals[row + t + 1] ||
				fround(values[own + 2] as number) !== locals[row + t + 2] ||
				fround(values[own + 3] as number) !== locals[row + r] ||
				fround(values[own + 4] as number) !== locals[row + r + 1] ||
				fround(values[own + 5] as number) !== locals[row + r + 2] ||
				fround(values[own + 6] as number) !== locals[row + r + 3] ||
				fround(values[own + 7] as number) !== locals[row + s] ||
				fround(values[own + 8] as number) !== locals[row + s + 1] ||
				fround(values[own + 9] as number) !== locals[row + s + 2]
			) {
				differing.push(slot);
			}
		}
		if (this.placement !== null) {
			for (const slot of changed) this.links[slot]?.object.matrixWorld.premultiply(this.placement);
		}
		if (dependentCount > 0) {
			for (let i = 0; i < count; i++) {
				const slot = changed[i] as number;
				const object = this.links[slot]?.object;
				if (dependents[slot] === 1 && object !== undefined) writeDependent(object);
			}
		}
		for (const slot of differing) {
			const link = this.links[slot] as Link;
			if (!this.copyRowBack(link, locals, slot * stride)) this.copyLocalBack(link);
		}
	}

	/**
	 * Copies a row of local transforms to the values of an observed object. Returns `false` if there is more to do: the rotation
	 * differs, or one side has a matrix.
	 */
	private copyRowBack(link: Link, locals: Float32Array, row: number): boolean {
		const { values } = this;
		const { fround } = Math;
		const { translation: t, rotation: r, scale: s } = layout;
		const own = link.slot * 10;
		if (link.isMatrix || link.quaternionChanged === null) return false;
		for (let i = 0; i < 4; i++) if (fround(values[own + 3 + i] as number) !== locals[row + r + i]) return false;
		if ((raw.flags(link.world, link.slot, link.generation) & HAS_MATRIX) !== 0) return false;
		for (let i = 0; i < 3; i++) {
			const [x, y] = [locals[row + t + i] as number, locals[row + s + i] as number];
			if (fround(values[own + i] as number) !== x) values[own + i] = x;
			if (fround(values[own + 7 + i] as number) !== y) values[own + 7 + i] = y;
		}
		return true;
	}

	/** Copies the local transform of pleach to the properties of three.js, where it differs by more than rounding. */
	private copyLocalBack(link: Link): void {
		const { object, slot } = link;
		// Here three.js has more than pleach: its own numbers stay.
		if (link.isMatrix && (!object.matrixAutoUpdate || !isTransform(object) || object === this.root)) return;
		const flags = raw.flags(link.world, slot, link.generation);
		if ((flags & HAS_MATRIX) !== 0 && flags < DEAD) {
			if (raw.local_matrix(link.world, slot, link.generation) !== 0) return;
			matrix.fromArray(numbers());
			matrix.decompose(position, quaternion, scale);
		} else {
			if (raw.locals_to_numbers(link.world, slot, link.generation) !== 0) return;
			const n = numbers();
			position.fromArray(n, 0);
			quaternion.fromArray(n, 3);
			scale.fromArray(n, 7);
			link.isMatrix = false;
		}
		this.copyVectorBack(link, object.position, position, slot * 10);
		this.copyVectorBack(link, object.scale, scale, slot * 10 + 7);
		const q = object.quaternion;
		const difference = Math.max(
			Math.abs(q.x - quaternion.x),
			Math.abs(q.y - quaternion.y),
			Math.abs(q.z - quaternion.z),
			Math.abs(q.w - quaternion.w),
		);
		if (!(difference <= ROTATION_TOLERANCE)) {
			copyRotationBack(object, link, quaternion.x, quaternion.y, quaternion.z, quaternion.w);
		}
		// A scan compares with the numbers of three.js.
		(link.isScanned ? q : quaternion).toArray(this.values, slot * 10 + 3);
	}

	private copyVectorBack(link: Link, own: Vector3, written: Vector3, first: number): void {
		const { fround } = Math;
		if (fround(own.x) === written.x && fround(own.y) === written.y && fround(own.z) === written.z) return;
		written.toArray(this.values, first);
		// The numbers of observed vectors are these values.
		if (link.quaternionChanged === null) own.copy(written);
	}

	/** Calls `change`, whose changes to the tree of three.js are not sent back. */
	private whileApplying(change: () => void): void {
		const before = this.isApplying;
		this.isApplying = true;
		try {
			change();
		} finally {
			this.isApplying = before;
		}
	}

	private applyChanges(changes: Changes): void {
		for (const id of changes.removed) this.nodeRemoved(id);
		for (const slot of changes.added) this.nodeAdded(slot);
		for (const slot of changes.reparented) this.nodeReparented(slot);
		for (const slot of changes.shownChanged) {
			const link = this.links[slot];
			if (link !== undefined) this.copyVisibleBack(link);
		}
		for (const slot of changes.renamed) {
			const link = this.links[slot];
			if (link !== undefined) this.copyNameBack(link);
		}
	}

	private copyNameBack(link: Link): void {
		if (this.isPlaced(link)) return;
		const name = glue.name(link.world, link.slot, link.generation);
		if (name === link.name) return;
		link.name = name;
		link.object.name = name;
	}

	private nodeRemoved(id: number): void {
		const link = this.linkAt(id >>> 0, Math.floor(id / 4294967296));
		if (link === null) return;
		const { object } = link;
		this.releaseLink(link);
		if (this.canRestore()) this.objectsOfRemoved.set(id, object);
		// Below a removed object the tree stays as it is.
		const parent = object.parent === null ? null : this.ownLink(object.parent);
		if (parent !== null && raw.is_alive(parent.world, parent.slot, parent.generation) !== 0) object.removeFromParent();
	}

	/** Returns `true` if a removal can be undone. */
	private canRestore(): boolean {
		// A graph of `pleach/core` has no histories.
		const history = this.scene.currentHistory ?? null;
		return history !== null && history.byteSize > 0;
	}

	/** Creates the object of a new node, unless the node is that of an object. */
	private nodeAdded(slot: number): Link | null {
		const id = raw.node_at(this.scene.world, slot);
		if (id === 0) return null;
		const generation = Math.floor(id / 4294967296);
		const known = this.linkAt(slot, generation);
		if (known !== null) return known;
		const node = this.scene.wrap(id);
		const former = this.objectsOfRemoved.get(id);
		// Three.js may have added the object again since.
		const isFree = former !== undefined && linkOf(former) === null;
		const object = isFree ? former : (this.existing?.createObject(node) ?? new Object3D());
		this.objectsOfRemoved.delete(id);
		this.reserve(slot + 1);
		const link = this.adoptObject(object, slot, generation);
		if (Object.keys(object.userData).length === 0) object.userData = node.userData;
		this.share(node);
		link.name = object.name;
		link.visible = object.visible;
		this.copyNameBack(link);
		this.copyVisibleBack(link);
		this.copyLocalBack(link);
		this.nodeReparented(slot);
		return link;
	}

	private nodeReparented(slot: number): void {
		const link = this.links[slot];
		if (link === undefined || link.object === this.root) return;
		const parentId = raw.parent(link.world, slot, link.generation);
		if (Number.isNaN(parentId)) return;
		const { object } = link;
		if (parentId === 0) {
			if (object.parent !== null && !this.removed.has(link)) object.removeFromParent();
			return;
		}
		const parent = this.linkAt(parentId >>> 0, Math.floor(parentId / 4294967296)) ?? this.nodeAdded(parentId >>> 0);
		if (parent !== null && object.parent !== parent.object) parent.object.add(object);
	}
}

const IDENTITY = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1];
const VISIBLE = 1;
const HAS_MATRIX = 16;
const DEAD = 256;

function isAlive({ world, slot, generation }: Link): boolean {
	return raw.is_alive(world, slot, generation) !== 0;
}

/** @internal Returns what a message calls an object. */
export function describe(object: Object3D): string {
	return object.name === '' ? `${object.type} ${object.id}` : object.name;
}

/** Returns `true` if position, quaternion and scale are all there is to the local matrix, and the quaternion is a rotation. */
function isTransform(object: Object3D): boolean {
	const { x, y, z, w } = object.quaternion;
	return object.pivot == null && Math.abs(x * x + y * y + z * z + w * w - 1) <= UNIT_TOLERANCE;
}

function putTransform(object: Object3D, out: Float32Array | Float64Array, first: number): void {
	const { position: p, quaternion: q, scale: s } = object;
	out[first] = p.x;
	out[first + 1] = p.y;
	out[first + 2] = p.z;
	out[first + 3] = q.x;
	out[first + 4] = q.y;
	out[first + 5] = q.z;
	out[first + 6] = q.w;
	out[first + 7] = s.x;
	out[first + 8] = s.y;
	out[first + 9] = s.z;
}

/** Copies an affine matrix: the last row of the target is 0, 0, 0, 1 already. */
function copyMatrix(from: Float32Array, first: number, to: number[]): void {
	to[0] = from[first] as number;
	to[1] = from[first + 1] as number;
	to[2] = from[first + 2] as number;
	to[4] = from[first + 4] as number;
	to[5] = from[first + 5] as number;
	to[6] = from[first + 6] as number;
	to[8] = from[first + 8] as number;
	to[9] = from[first + 9] as number;
	to[10] = from[first + 10] as number;
	to[12] = from[first + 12] as number;
	to[13] = from[first + 13] as number;
	to[14] = from[first + 14] as number;
}

/** Computes the matrices that depend on `matrixWorld`: those that three's own `updateMatrixWorld` computes. */
function writeDependent(object: Object3D): void {
	const kinds = object as Partial<Camera & SkinnedMesh>;
	if (kinds.isCamera === true) {
		const camera = object as Camera;
		// As three.js: without scale.
		camera.matrixWorld.decompose(position, quaternion, scale);
		if (scale.x === 1 && scale.y === 1 && scale.z === 1) {
			camera.matrixWorldInverse.copy(camera.matrixWorld).invert();
		} else {
			camera.matrixWorldInverse.compose(position, quaternion, scale.set(1, 1, 1)).invert();
		}
	} else if (kinds.isSkinnedMesh === true) {
		const mesh = object as SkinnedMesh;
		mesh.bindMatrixInverse.copy(mesh.bindMode === 'detached' ? mesh.bindMatrix : mesh.matrixWorld).invert();
	}
	const follower = followerOf(object);
	if (follower !== null) moveTarget(follower, object);
}

function copyChanges(changes: Changes): Changes {
	return {
		changed: changes.changed.slice(),
		shownChanged: changes.shownChanged.slice(),
		reparented: changes.reparented.slice(),
		renamed: changes.renamed.slice(),
		added: changes.added.slice(),
		removed: changes.removed.slice(),
	};
}
