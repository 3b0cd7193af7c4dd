/**
 * `Graph`: a tree of nodes with arrays for many and objects for one, and the spatial index. The whole of the entry `pleach/core`.
 */
import {
	checkedCount,
	checkType,
	floats,
	type QuatLike,
	toLayers,
	toQuat,
	toText,
	toVec3,
	type Vec3Like,
} from './arguments.js';
import { PleachError } from './errors.js';
import { type NodeId, SceneNode, type Visitor } from './node.js';
import { Owned } from './owned.js';
import {
	attached,
	checked,
	glue,
	guarded,
	MemoryView,
	numbers,
	raw,
	registerGraph,
	throwFault,
	unregisterGraph,
} from './runtime.js';

/** Which axis points up: fixed when a graph or scene is created. */
export type UpAxis = 'z' | 'y';

/** The range of depths in clip space: that of WebGPU (default), of WebGL, or of WebGPU with the far plane at 0. */
export type ClipSpace = 'zero-to-one' | 'negative-one-to-one' | 'reversed';

/** Many nodes: ids, which are checked completely, or slots, which are checked for being alive only. */
export type Nodes = Float64Array | Uint32Array;

/** What queries leave out. */
export interface QueryOptions {
	/** Only nodes that share a layer with this mask; all layers by default. */
	layers?: number;
	/** `true` to include hidden nodes. */
	hidden?: boolean;
	/** Returns `false` for nodes to leave out. */
	filter?: (node: SceneNode) => boolean;
}

/** What a ray leaves out. */
export interface RayOptions extends QueryOptions {
	/** The largest distance along the ray, in metres. */
	maxDistance?: number;
}

/** What a node is created with. */
export interface NodeOptions {
	name?: string;
	/** The root by default. */
	parent?: SceneNode;
	position?: Vec3Like;
	rotation?: QuatLike;
	scale?: Vec3Like;
	visible?: boolean;
	userData?: Record<string, unknown>;
}

/** What a graph is created with. */
export interface GraphOptions {
	/** Which axis points up: 'z' by default. */
	up?: UpAxis;
	/** How many nodes to reserve memory for. */
	capacity?: number;
}

const ALL_LAYERS = 0xffffffff;
const NO_WORLD = 0xffffffff;
const CLIP_SPACES: readonly ClipSpace[] = ['zero-to-one', 'negative-one-to-one', 'reversed'];

/** @internal */
export function clipNumber(clip: ClipSpace = 'zero-to-one'): number {
	const index = CLIP_SPACES.indexOf(clip);
	if (index < 0) {
		throw new PleachError('out-of-range', `'${clip}' is not a clip space: use one of ${CLIP_SPACES.join(', ')}`);
	}
	return index;
}

/** What changed, in views that are valid until the next method call. */
export interface Changes {
	/** Slots whose world matrix was recomputed, parents first. */
	readonly changed: Uint32Array;
	/** Slots of nodes that are shown and were not, or the other way round. */
	readonly shownChanged: Uint32Array;
	/** Slots of nodes with another parent. */
	readonly reparented: Uint32Array;
	/** Slots of nodes with another name. */
	readonly renamed: Uint32Array;
	/** Slots of new nodes. */
	readonly added: Uint32Array;
	/** Ids of removed nodes. */
	readonly removed: Float64Array;
}

/** What rays hit: one row per ray; slot 0xffffffff if a ray hit nothing. Views, valid until the next method call. */
export interface RayHits {
	readonly slot: Uint32Array;
	readonly distance: Float32Array;
	readonly point: Float32Array;
	readonly normal: Float32Array;
	/** 0xffffffff if bounds were hit instead of triangles. */
	readonly triangle: Uint32Array;
	/** −1 for nodes without instances. */
	readonly instance: Int32Array;
}

/**
 * A tree of nodes below one root, with world matrices, changes and a spatial index.
 *
 * Views of columns and lists are views of WebAssembly's memory: **valid until the next method call**. Read the getter where you
 * use it.
 *
 * @example
 * ```ts
 * const graph = new Graph();
 * const ids = graph.addAll(new Int32Array([-1, 0]), new Float32Array([1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 2, 0, 0, 0, 0, 1, 1, 1, 1]));
 * graph.update();
 * assert.deepEqual(graph.node(ids[1])?.getWorldPosition(), [1, 2, 0]);
 * ```
 */
export class Graph extends Owned {
	/** @internal The number of the world. After `dispose`, one that no world ever has: the old one is given to another. */
	readonly world: number;
	/** Which axis points up. */
	readonly up: UpAxis;
	/** The root: it can be neither disposed nor attached. */
	readonly root: SceneNode;
	/** @internal Counts up when undo, redo, a patch or a transaction that failed may have changed anything. */
	restorations = 0;
	private readonly wrappers: (SceneNode | undefined)[] = [];
	private readonly matrixView = new MemoryView(Float32Array);
	private readonly localView = new MemoryView(Float32Array);
	private readonly flagView = new MemoryView(Uint8Array);
	private readonly parentView = new MemoryView(Int32Array);
	private readonly scratchView = new MemoryView(Float32Array);
	private readonly slotView = new MemoryView(Uint32Array);
	private readonly idView = new MemoryView(Float64Array);
	private readonly rangeView = new MemoryView(Uint32Array);

	constructor(options?: GraphOptions);
	/** @internal Takes over a world. */
	constructor(options: GraphOptions | undefined, world: number);
	constructor(options?: GraphOptions, world?: number) {
		super();
		const up = options?.up ?? 'z';
		if (up !== 'z' && up !== 'y') throw new PleachError('out-of-range', `up is 'z' or 'y', not '${up}'`);
		this.up = up;
		const number = world ?? glue.world_new(checkedCount(options?.capacity ?? 256, 'capacity'));
		this.world = number;
		registerGraph(number, this);
		this.own(() => {
			unregisterGraph(number);
			glue.world_free(number);
		});
		this.root = this.wrap(raw.root(number));
	}

	/** Frees the memory. Every later call, of its nodes too, throws 'disposed'. */
	override dispose(): void {
		super.dispose();
		(this as { world: number }).world = NO_WORLD;
	}

	/** @internal The direction of up. */
	get upDirection(): [number, number, number] {
		return this.up === 'z' ? [0, 0, 1] : [0, 1, 0];
	}

	/** @internal Front and top of a model. */
	get modelAxes(): [number, number, number, number, number, number] {
		return this.up === 'z' ? [0, -1, 0, 0, 0, 1] : [0, 0, 1, 0, 1, 0];
	}

	/** @internal Creates the object of a node. */
	protected createNode(slot: number, generation: number): SceneNode {
		return new SceneNode(this, slot, generation);
	}

	/** @internal Returns the object of a node, which is created on first use. */
	wrap(id: number): SceneNode {
		const slot = id >>> 0;
		const generation = Math.floor(id / 4294967296);
		const known = this.wrappers[slot];
		if (known !== undefined && known.generation === generation) return known;
		const node = this.createNode(slot, generation);
		// The object of a live node is not replaced by that of a dead one.
		if (known === undefined || node.alive || !known.alive) this.wrappers[slot] = node;
		return node;
	}

	/** @internal Throws if the node belongs to another graph. */
	expectOwn(node: SceneNode): void {
		if (!(node instanceof SceneNode)) {
			throw new PleachError('wrong-type', 'a node is needed: pass an object that this scene returned');
		}
		if (node.scene !== this) {
			throw new PleachError(
				'foreign-node',
				`node ${node} belongs to another scene: copy it into this one with \`instantiate\``,
				{ node },
			);
		}
	}

	/** Creates a node. */
	createGroup(options?: NodeOptions): SceneNode {
		const parent = this.putOptions(options);
		const id = checked(this, guarded.add(this.world, parent.slot, parent.generation));
		const node = this.wrap(id);
		return this.orDispose(node, () => this.finish(node, options));
	}

	/** @internal Nothing is created if an option is invalid. */
	protected orDispose<N extends SceneNode>(node: N, apply: () => void): N {
		try {
			apply();
		} catch (error) {
			if (!(error instanceof PleachError && error.code === 'panicked')) node.dispose();
			throw error;
		}
		return node;
	}

	/** @internal Writes the transform to the numbers, and returns the parent. */
	protected putOptions(options: NodeOptions | undefined): SceneNode {
		const parent = options?.parent ?? this.root;
		this.expectOwn(parent);
		const [x, y, z] = toVec3(options?.position ?? [0, 0, 0], 'position');
		const q = toQuat(options?.rotation ?? [0, 0, 0, 1], 'rotation');
		const s = toVec3(options?.scale ?? [1, 1, 1], 'scale');
		numbers().set([x, y, z, ...q, ...s]);
		return parent;
	}

	/** @internal Applies the options that are not a transform. */
	protected finish<N extends SceneNode>(node: N, options: NodeOptions | undefined): N {
		if (options?.name !== undefined) node.name = options.name;
		if (options?.visible === false) node.visible = false;
		if (options?.userData !== undefined) node.userData = options.userData;
		return node;
	}

	/** Attaches nodes to the root. */
	add(...nodes: SceneNode[]): void {
		this.root.add(...nodes);
	}

	/** Detaches nodes from the root: they live on, but are neither drawn nor picked. */
	remove(...nodes: SceneNode[]): void {
		this.root.remove(...nodes);
	}

	/** Returns the nodes that are not below the root, without those below them. */
	detached(): SceneNode[] {
		return Array.from(glue.detached(this.world), (id) => this.wrap(id));
	}

	/** Returns the node with this id, or `null` if it is not alive. */
	node(id: number | undefined): SceneNode | null {
		this.check('scene');
		// Other numbers are not ids, and would be rounded to some.
		if (!Number.isSafeInteger(id) || (id as number) < 0) return null;
		const [slot, generation] = [(id as number) >>> 0, Math.floor((id as number) / 4294967296)];
		return raw.is_alive(this.world, slot, generation) === 0 ? null : this.wrap(id as number);
	}

	/** Returns the nodes in these slots. */
	nodesAt(slots: Uint32Array): SceneNode[] {
		checkType(slots, Uint32Array, 'the slots');
		return Array.from(glue.ids_of_slots(this.world, slots), (id) => this.wrap(id));
	}

	/** Returns the first node with the name, or `null`. */
	find(name: string): SceneNode | null {
		return this.orNull(glue.find(this.world, toText(name, 'the name')));
	}

	/** Returns all nodes with the name that are below the root. */
	findAll(name: string): SceneNode[] {
		toText(name, 'the name');
		const found: SceneNode[] = [];
		this.root.traverse((node) => {
			if (node.name === name) found.push(node);
		});
		return found;
	}

	/** Returns the node at a path of names below the root, as 'tank/turret', or `null`. */
	findPath(path: string): SceneNode | null {
		return this.orNull(glue.find_path(this.world, toText(path, 'the path')));
	}

	private orNull(id: number): SceneNode | null {
		return checked(this, id) === 0 ? null : this.wrap(id);
	}

	/** Calls `visitor` for each node below the root, and the root, parents first. */
	traverse(visitor: Visitor<SceneNode>, options?: { shown?: boolean }): void {
		this.root.traverse(visitor, options);
	}

	/** The number of nodes, with the root and detached ones. */
	get nodeCount(): number {
		return checked(this, raw.node_count(this.world));
	}

	/** A number that changes when nodes are added, removed or attached elsewhere. */
	get structureVersion(): number {
		return checked(this, raw.structure_version(this.world));
	}

	// Arrays.

	/**
	 * Adds many nodes, or none. `parents[i]` is a position in this list that is less than `i`, or −1 for `under` (the root by default);
	 * `trs` has 10 floats per node: position, rotation (x, y, z, w), scale. Returns the ids.
	 */
	addAll(parents: Int32Array, trs: Float32Array, under: SceneNode = this.root): Float64Array {
		this.expectOwn(under);
		checkType(parents, Int32Array, 'the parents');
		checkType(trs, Float32Array, 'the transforms');
		return glue.add_all(this.world, parents, trs, under.slot, under.generation);
	}

	/** Removes nodes with everything below them. Returns how many were removed. */
	removeAll(nodes: Nodes): number {
		return checked(this, glue.remove_all(this.world, idsOf(nodes), slotsOf(nodes)));
	}

	/** Attaches nodes to one parent, in order. */
	attachAll(nodes: Nodes, parent: SceneNode): void {
		this.expectOwn(parent);
		this.status(glue.attach_all(this.world, idsOf(nodes), slotsOf(nodes), parent.slot, parent.generation));
	}

	/** Sets local bounds: 6 floats per node, minimum and maximum. */
	setBounds(nodes: Nodes, minMax: Float32Array): void {
		checkType(minMax, Float32Array, 'the bounds');
		const values = attached(minMax);
		this.status(glue.set_all_bounds(this.world, idsOf(nodes), slotsOf(nodes), values));
	}

	/** Reserves memory for more nodes. */
	reserve(additional: number): void {
		this.status(guarded.world_reserve(this.world, checkedCount(additional, 'the number of nodes')));
	}

	/**
	 * Sets local transforms: 10 floats per node, as for `addAll`. All are set, or none; there is no copy if `trs` is
	 * the result of `scratch()`.
	 */
	setLocals(nodes: Nodes, trs: Float32Array): void {
		const values = this.input(nodes, trs, 10, 'the transforms');
		this.status(glue.set_locals(this.world, idsOf(nodes), slotsOf(nodes), values));
	}

	/** Sets local positions: 3 floats per node. */
	setPositions(nodes: Nodes, xyz: Float32Array): void {
		const values = this.input(nodes, xyz, 3, 'the positions');
		this.status(glue.set_positions(this.world, idsOf(nodes), slotsOf(nodes), values));
	}

	/** Sets local rotations: 4 floats per node (x, y, z, w), which are normalized. */
	setRotations(nodes: Nodes, xyzw: Float32Array): void {
		const values = this.input(nodes, xyzw, 4, 'the rotations');
		this.status(glue.set_rotations(this.world, idsOf(nodes), slotsOf(nodes), values));
	}

	/** Sets local matrices: 16 floats per node, column by column. */
	setLocalMatrices(nodes: Nodes, matrices: Float32Array): void {
		const values = this.input(nodes, matrices, 16, 'the matrices');
		this.status(glue.set_local_matrices(this.world, idsOf(nodes), slotsOf(nodes), values));
	}

	/** Returns a buffer in WebAssembly's memory, to fill and hand to the next call. */
	scratch(floats: number): Float32Array {
		const address = checked(this, guarded.scratch(this.world, checkedCount(floats, 'the number of floats')));
		return this.scratchView.at(address, floats);
	}

	/**
	 * Returns an empty array if the values are in the scratch already. It is called before anything else, because other
	 * calls may grow the memory, and so detach the scratch and other views.
	 */
	private input(nodes: Nodes, values: Float32Array, stride: number, what: string): Float32Array {
		checkNodes(nodes);
		checkType(values, Float32Array, what);
		const expected = nodes.length * stride;
		if (values.length === 0 && expected > 0) {
			const reason = values.buffer === raw.memory.buffer || values.buffer.byteLength === 0;
			throw new PleachError(
				'wrong-length',
				reason
					? `${what} are empty: the view was detached by a call that grew the memory; fetch it again where you use it`
					: `${what} have 0 elements; ${expected} are needed`,
			);
		}
		const scratch = this.scratchView.current;
		const isScratch =
			scratch !== null && values.buffer === raw.memory.buffer && values.byteOffset === scratch.byteOffset;
		if (isScratch && values.length !== expected) {
			throw new PleachError('wrong-length', `${what} have ${values.length} elements; ${expected} are needed`);
		}
		return isScratch ? NONE : attached(values);
	}

	/** World matrices: 16 floats per slot, column by column, as of the last update. A view; rows of dead slots are stale. */
	get worldMatrices(): Float32Array {
		this.check('scene');
		return this.matrixView.at(raw.world_matrices(this.world), (raw.slot_count(this.world) >>> 0) * 16);
	}

	/** Local transforms: `layout.localStride` floats per slot. A view to read; `setLocals` writes. */
	get locals(): Float32Array {
		this.check('scene');
		return this.localView.at(raw.locals(this.world), (raw.slot_count(this.world) >>> 0) * raw.local_stride());
	}

	/** The slot of each slot's parent, or −1. A view. */
	get parents(): Int32Array {
		this.check('scene');
		return this.parentView.at(raw.parents(this.world), raw.slot_count(this.world) >>> 0);
	}

	/**
	 * Bits of each slot: 1 alive, 2 visible, 4 shown (with all ancestors visible), 8 edited since the last update. A view of
	 * a list that each read computes.
	 */
	get flags(): Uint8Array {
		const address = checked(this, raw.flag_column(this.world));
		return this.flagView.at(address, raw.slot_count(this.world) >>> 0);
	}

	/** Computes what is out of date. Returns the number of nodes whose world matrix was recomputed. */
	update(): number {
		const updated = guarded.update(this.world);
		return Number.isNaN(updated) ? throwFault() : updated;
	}

	/** Slots whose world matrix was recomputed since `clearChanges()`, parents first. A view. */
	changed(): Uint32Array {
		return this.slotList(guarded.changed(this.world, 0));
	}

	/** Slots of nodes that are shown and were not, or the other way round, since `clearChanges()`. A view. */
	shownChanged(): Uint32Array {
		return this.slotList(guarded.changed(this.world, 1));
	}

	/** Ids of nodes removed since `clearChanges()`. A view. */
	removed(): Float64Array {
		const length = checked(this, guarded.removed(this.world));
		return this.idView.at(raw.ids_address(this.world), length);
	}

	/** Pairs of first row and end of the changed rows, for uploads. Rows at most `maxGap` apart are in one range. A view. */
	ranges(maxGap = 0): Uint32Array {
		const length = checked(this, guarded.ranges(this.world, checkedCount(maxGap, 'maxGap')));
		return this.rangeView.at(raw.slots_address(this.world), length);
	}

	/** Forgets the changes: the lists are empty until something changes. */
	clearChanges(): void {
		this.status(raw.clear_changes(this.world));
	}

	/** Creates a second consumer of changes, with a position of its own. */
	createChangeReader(): ChangeReader {
		return new ChangeReader(this);
	}

	/** @internal The list of slots that the last call wrote. */
	protected slotList(length: number): Uint32Array {
		return this.slotView.at(raw.slots_address(this.world), checked(this, length));
	}

	/** Slots of the nodes with bounds in view, ascending. A view, or copied to `out`. A node with a point in view is never left out. */
	cull(
		viewProjection: ArrayLike<number>,
		options?: { clip?: ClipSpace; layers?: number; hidden?: boolean; out?: Uint32Array },
	): Uint32Array {
		const matrix = floats(viewProjection, 16, 'the view-projection matrix');
		const { hidden = false, out } = options ?? {};
		if (out !== undefined) checkType(out, Uint32Array, 'out');
		const slots = this.slotList(glue.cull(this.world, matrix, clipNumber(options?.clip), layersOf(options), hidden));
		if (out === undefined) return slots;
		if (out.length < slots.length) {
			throw new PleachError('wrong-length', `out has ${out.length} elements; ${slots.length} are needed`);
		}
		out.set(slots);
		return out.subarray(0, slots.length);
	}

	/** Casts many rays: 7 floats each, origin, direction and maximum distance. Here they hit bounds; in a scene, triangles. */
	pickMany(rays: Float32Array, options?: Omit<QueryOptions, 'filter'>): RayHits {
		checkType(rays, Float32Array, 'the rays');
		refuse(options, 'filter', 'pick each ray by itself');
		refuse(options, 'maxDistance', 'each ray has its own, the seventh number');
		const count = checked(this, glue.pick_many(this.world, rays, layersOf(options), options?.hidden ?? false));
		const slots = new Uint32Array(raw.memory.buffer, raw.slots_address(this.world) >>> 0, count * 3);
		const values = new Float32Array(raw.memory.buffer, raw.floats_address(this.world) >>> 0, count * 7);
		const hits = {
			slot: new Uint32Array(count),
			distance: new Float32Array(count),
			point: new Float32Array(count * 3),
			normal: new Float32Array(count * 3),
			triangle: new Uint32Array(count),
			instance: new Int32Array(count),
		};
		for (let i = 0; i < count; i++) {
			hits.slot[i] = slots[i * 3] as number;
			hits.triangle[i] = slots[i * 3 + 1] as number;
			hits.instance[i] = slots[i * 3 + 2] as number;
			hits.distance[i] = values[i * 7] as number;
			hits.point.set(values.subarray(i * 7 + 1, i * 7 + 4), i * 3);
			hits.normal.set(values.subarray(i * 7 + 4, i * 7 + 7), i * 3);
		}
		return hits;
	}

	/** Slots of the nodes whose bounds touch a box: 6 numbers, minimum and maximum. */
	queryBox(minMax: ArrayLike<number>, options?: QueryOptions): Uint32Array {
		const layers = layersOf(options);
		refuse(options, 'maxDistance', 'only rays have it');
		numbers().set(floats(minMax, 6, 'the box'));
		return this.filtered(guarded.query_box(this.world, layers, options?.hidden ? 1 : 0), options);
	}

	/** Slots of the nodes whose bounds touch a sphere: 4 numbers, centre and radius. */
	querySphere(xyzr: ArrayLike<number>, options?: QueryOptions): Uint32Array {
		const layers = layersOf(options);
		refuse(options, 'maxDistance', 'only rays have it');
		numbers().set(floats(xyzr, 4, 'the sphere'));
		return this.filtered(guarded.query_sphere(this.world, layers, options?.hidden ? 1 : 0), options);
	}

	/** Slots of the nodes whose bounds are nearest to a point, nearest first. */
	nearest(point: Vec3Like, count: number, options?: QueryOptions): Uint32Array {
		const [x, y, z] = toVec3(point, 'the point');
		checkedCount(count, 'the count');
		const layers = layersOf(options);
		refuse(options, 'maxDistance', 'only rays have it; `querySphere` has a radius');
		const limit = options?.filter === undefined ? count : this.nodeCount;
		numbers().set([x, y, z]);
		const found = guarded.nearest(this.world, limit, layers, options?.hidden ? 1 : 0);
		return this.filtered(found, options).subarray(0, count);
	}

	private filtered(length: number, options: QueryOptions | undefined): Uint32Array {
		const slots = this.slotList(length).slice();
		const filter = filterOf(options);
		if (filter === undefined) return slots;
		return slots.filter((slot) => filter(this.wrap(raw.node_at(this.world, slot))));
	}

	/** @internal */
	protected status(status: number): void {
		if (status !== 0) throwFault();
	}
}

function checkNodes(nodes: Nodes): void {
	if (!(nodes instanceof Float64Array)) checkType(nodes, Uint32Array, 'the nodes');
}

// Empty arrays of buffers that are not empty: those of buffers that were transferred are errors.
const NONE = new Float32Array(1).subarray(1);
const NO_IDS = new Float64Array(1).subarray(1);
const NO_SLOTS = new Uint32Array(1).subarray(1);

/** Returns the ids of nodes, for calls that take ids or slots. */
function idsOf(nodes: Nodes): Float64Array {
	checkNodes(nodes);
	return nodes instanceof Float64Array ? nodes : NO_IDS;
}

/** As `idsOf`: the slots. */
function slotsOf(nodes: Nodes): Uint32Array {
	return nodes instanceof Float64Array ? NO_SLOTS : nodes;
}

/** @internal Returns the layers of a query: all by default. */
export function layersOf(options: { layers?: number } | undefined): number {
	return options?.layers === undefined ? ALL_LAYERS : toLayers(options.layers);
}

/** @internal Returns the filter of a query, if it has one. */
export function filterOf(options: QueryOptions | undefined): QueryOptions['filter'] {
	const filter = options?.filter;
	if (filter !== undefined && typeof filter !== 'function') {
		throw new PleachError('wrong-type', `filter must be a function, not ${typeof filter}`);
	}
	return filter;
}

/** Throws if an option is given that would be ignored. */
function refuse(options: object | null | undefined, name: string, instead: string): void {
	if (options && (options as Record<string, unknown>)[name] !== undefined) {
		throw new PleachError('wrong-type', `this query has no option '${name}': ${instead}`);
	}
}

/**
 * A consumer of changes with a position of its own.
 *
 * @example
 * ```ts
 * using reader = scene.createChangeReader();
 * const crate = scene.createGroup();
 * scene.update();
 * assert.deepEqual([...reader.read().added], [crate.slot]);
 * assert.equal(reader.read().added.length, 0);
 * ```
 */
export class ChangeReader extends Owned {
	private readonly reader: number;

	/** @internal */
	constructor(private readonly graph: Graph) {
		super();
		const { world } = graph;
		const reader = checked(graph, raw.reader_new(world));
		this.reader = reader;
		this.own(() => {
			if (!graph.disposed) raw.reader_free(world, reader);
		});
	}

	/** Returns what changed since the last call. The arrays are views, valid until the next method call. */
	read(): Changes {
		this.check('change reader');
		const { world } = this.graph;
		if (guarded.reader_read(world, this.reader) !== 0) throwFault();
		const buffer = raw.memory.buffer;
		let address = raw.slots_address(world) >>> 0;
		const lengths = Array.from(new Uint32Array(buffer, address, 6));
		address += 24;
		const next = (length: number | undefined): Uint32Array => {
			const list = new Uint32Array(buffer, address, length);
			address += list.byteLength;
			return list;
		};
		return {
			changed: next(lengths[0]),
			shownChanged: next(lengths[1]),
			reparented: next(lengths[2]),
			renamed: next(lengths[3]),
			added: next(lengths[4]),
			removed: new Float64Array(buffer, raw.ids_address(world) >>> 0, lengths[5]),
		};
	}
}

/**
 * How a row of `Graph.locals` is laid out, in floats. The numbers belong to the build: read them.
 *
 * @example
 * ```ts
 * const node = scene.createGroup({ position: [1, 2, 3] });
 * const y = node.slot * layout.localStride + layout.translation + 1;
 * assert.equal(scene.locals[y], 2);
 * ```
 */
export const layout = {
	get localStride(): number {
		return raw.local_stride();
	},
	get translation(): number {
		return raw.local_offset(0);
	},
	get rotation(): number {
		return raw.local_offset(1);
	},
	get scale(): number {
		return raw.local_offset(2);
	},
};

export type { NodeId };
