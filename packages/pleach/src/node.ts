/**
 * `SceneNode`: a handle with methods.
 *
 * Invariant: an object keeps its slot and generation for ever and holds no data of the node, so it can neither be
 * stale nor lose a write. There is one object per living node.
 */
import {
	checkedCount,
	checkType,
	type QuatLike,
	toFloats,
	toOutput,
	toQuat,
	toText,
	toVec3,
	type Vec3Like,
} from './arguments.js';
import { PleachError } from './errors.js';
import type { Graph } from './graph.js';
import { NodePosition, NodeRotation, NodeScale } from './node-values.js';
import { checked, glue, numbers, raw, throwFault } from './runtime.js';

declare const nodeId: unique symbol;
/** The handle of a node as a number: slot + 2^32 × generation. Compares with ===, and serves as a key and in JSON. */
export type NodeId = number & { readonly [nodeId]: true };

/** What `traverse` calls for each node. `false` and 'skip' leave out what is below; 'stop' ends. */
// biome-ignore lint/suspicious/noConfusingVoidType: a callback that returns nothing is the usual one.
export type Visitor<N> = (node: N) => void | boolean | 'skip' | 'stop';

const VISIBLE = 1;
const SHOWN = 2;
const DIRTY = 4;
const LOCAL_DIRTY = 8;
const DEAD = 256;

/**
 * A node: slot and generation, no data. One object per living node, so `===` works.
 *
 * After the node was removed, `alive` is `false`, `id` still reads, and everything else throws 'dead-node'. If the
 * removal is undone, this very object lives again.
 *
 * @example
 * ```ts
 * const tank = scene.createGroup({ position: [10, 20, 0] });
 * const turret = scene.createGroup({ parent: tank, position: [0, 0, 1.5] });
 * turret.rotation.rotateZ(degrees(90));
 * tank.position.x += 5;
 * assert.deepEqual(turret.getWorldPosition(), [15, 20, 1.5]);
 * ```
 */
export class SceneNode {
	/** Yours: lives as long as the node, and is not saved. */
	userData: Record<string, unknown> = {};
	private positionValue: NodePosition | null = null;
	private rotationValue: NodeRotation | null = null;
	private scaleValue: NodeScale | null = null;
	private matrix: Float32Array | null = null;
	private childList: readonly SceneNode[] = [];
	private childVersion = -1;

	/** @internal */
	constructor(
		/** The scene, or graph, of the node. */
		readonly scene: Graph,
		/** The row of the node in every column. */
		readonly slot: number,
		/** @internal */
		readonly generation: number,
	) {}

	/** The handle as a number. */
	get id(): NodeId {
		return (this.slot + this.generation * 4294967296) as NodeId;
	}

	/** `true` until the node is removed, and again when the removal is undone. */
	get alive(): boolean {
		return !this.scene.disposed && raw.is_alive(this.scene.world, this.slot, this.generation) !== 0;
	}

	/** The name; '' without one. */
	get name(): string {
		return glue.name(this.scene.world, this.slot, this.generation);
	}
	set name(name: string) {
		this.status(glue.set_name(this.scene.world, this.slot, this.generation, toText(name, 'the name')));
	}

	/** The translation relative to the parent. Assign `[x, y, z]`, call `set`, or write a component. */
	get position(): NodePosition {
		this.positionValue ??= new NodePosition(this);
		return this.positionValue;
	}
	set position(v: Vec3Like) {
		const [x, y, z] = toVec3(v, 'position');
		this.position.set(x, y, z);
	}

	/** The rotation relative to the parent: a unit quaternion. */
	get rotation(): NodeRotation {
		this.rotationValue ??= new NodeRotation(this);
		return this.rotationValue;
	}
	set rotation(q: QuatLike) {
		const [x, y, z, w] = toQuat(q, 'rotation');
		this.rotation.set(x, y, z, w);
	}

	/** The scale along the node's own axes. */
	get scale(): NodeScale {
		this.scaleValue ??= new NodeScale(this);
		return this.scaleValue;
	}
	set scale(v: Vec3Like) {
		const [x, y, z] = toVec3(v, 'scale');
		this.scale.set(x, y, z);
	}

	/** The local matrix, column by column. Assigning keeps any affine matrix bit for bit. */
	get localMatrix(): Float32Array {
		this.status(raw.local_matrix(this.scene.world, this.slot, this.generation));
		return numbers().slice(0, 16);
	}
	set localMatrix(m: ArrayLike<number>) {
		putMatrix(m, 'the local matrix');
		this.status(raw.set_local_matrix(this.scene.world, this.slot, this.generation));
	}

	/**
	 * The world matrix, right on any line, also before `update()`. The array belongs to the node and is rewritten by
	 * each read of the property: copy it to keep it.
	 */
	get worldMatrix(): Float32Array {
		this.status(raw.world_matrix(this.scene.world, this.slot, this.generation));
		this.matrix ??= new Float32Array(16);
		const from = numbers();
		const matrix = this.matrix;
		for (let i = 0; i < 16; i++) matrix[i] = from[i] as number;
		return matrix;
	}

	/** The inverse transpose of the upper left 3 × 3 part of the world matrix: 9 numbers. */
	get normalMatrix(): Float32Array {
		this.status(raw.normal_matrix(this.scene.world, this.slot, this.generation));
		return numbers().slice(0, 9);
	}

	/** `true` if the stored world matrix is out of date; `worldMatrix` is right nevertheless. */
	get dirty(): boolean {
		return (this.flags() & DIRTY) !== 0;
	}

	/** `true` if the node itself was edited since the last update. */
	get localDirty(): boolean {
		return (this.flags() & LOCAL_DIRTY) !== 0;
	}

	/** The node's own visibility. */
	get visible(): boolean {
		return (this.flags() & VISIBLE) !== 0;
	}
	set visible(visible: boolean) {
		this.status(raw.set_visible(this.scene.world, this.slot, this.generation, visible ? 1 : 0));
	}

	/** `true` if the node and all its ancestors are visible. */
	get shown(): boolean {
		return (this.flags() & SHOWN) !== 0;
	}

	private flags(): number {
		const flags = raw.flags(this.scene.world, this.slot, this.generation);
		if (flags === DEAD) this.fail();
		return flags;
	}

	/** Returns the position in world space, right on any line. */
	getWorldPosition(): [number, number, number];
	getWorldPosition<T extends number[] | Float32Array>(out: T): T;
	getWorldPosition(out: number[] | Float32Array = [0, 0, 0]): number[] | Float32Array {
		this.status(raw.world_matrix(this.scene.world, this.slot, this.generation));
		return copy(out, 12, 3);
	}

	/** Returns the rotation in world space; shear is ignored. */
	getWorldRotation(): [number, number, number, number];
	getWorldRotation<T extends number[] | Float32Array>(out: T): T;
	getWorldRotation(out: number[] | Float32Array = [0, 0, 0, 1]): number[] | Float32Array {
		this.status(raw.world_transform(this.scene.world, this.slot, this.generation));
		return copy(out, 3, 4);
	}

	/** Returns the scale in world space; shear is ignored. */
	getWorldScale(): [number, number, number];
	getWorldScale<T extends number[] | Float32Array>(out: T): T;
	getWorldScale(out: number[] | Float32Array = [1, 1, 1]): number[] | Float32Array {
		this.status(raw.world_transform(this.scene.world, this.slot, this.generation));
		return copy(out, 7, 3);
	}

	/** Moves the node to a position in world space. */
	setWorldPosition(v: Vec3Like): this {
		const [x, y, z] = toVec3(v, 'the position');
		this.status(raw.set_world_position(this.scene.world, this.slot, this.generation, x, y, z));
		return this;
	}

	/** Rotates the node to a rotation in world space. */
	setWorldRotation(q: QuatLike): this {
		const [x, y, z, w] = toQuat(q, 'the rotation');
		this.status(raw.set_world_rotation(this.scene.world, this.slot, this.generation, x, y, z, w));
		return this;
	}

	/** Sets the world matrix: any affine matrix. */
	setWorldMatrix(m: ArrayLike<number>): this {
		putMatrix(m, 'the world matrix');
		this.status(raw.set_world_matrix(this.scene.world, this.slot, this.generation));
		return this;
	}

	/** Turns the node's −Z axis to a point in world space: for cameras and lights. */
	lookAt(target: Vec3Like, up: Vec3Like = this.scene.upDirection): this {
		numbers().set([...toVec3(target, 'the target'), ...toVec3(up, 'up')]);
		this.status(raw.look_at(this.scene.world, this.slot, this.generation));
		return this;
	}

	/** Turns the front of a model to a point in world space: −Y if Z is up, +Z if Y is up. */
	face(target: Vec3Like, up: Vec3Like = this.scene.upDirection): this {
		numbers().set([...toVec3(target, 'the target'), ...toVec3(up, 'up'), ...this.scene.modelAxes]);
		this.status(raw.face(this.scene.world, this.slot, this.generation));
		return this;
	}

	/** The parent, or `null`. */
	get parent(): SceneNode | null {
		const id = checked(this.scene, raw.parent(this.scene.world, this.slot, this.generation));
		return id === 0 ? null : this.scene.wrap(id);
	}

	/** The children, in order. The list is rebuilt only when the structure of the scene changed. */
	get children(): readonly SceneNode[] {
		const version = this.scene.structureVersion;
		if (this.childVersion !== version || !this.alive) {
			const ids = glue.children(this.scene.world, this.slot, this.generation);
			this.childList = Array.from(ids, (id) => this.scene.wrap(id));
			this.childVersion = version;
		}
		return this.childList;
	}

	/** Attaches nodes as last children; their local transforms stay. */
	add(...nodes: SceneNode[]): this {
		for (const node of nodes) this.scene.expectOwn(node);
		for (const node of nodes) node.attach(this);
		return this;
	}

	/** Detaches children: they live on, but are neither drawn nor picked. Other nodes are ignored. */
	remove(...nodes: SceneNode[]): this {
		for (const node of nodes) {
			this.scene.expectOwn(node);
			if (node.parent === this) node.detach();
		}
		return this;
	}

	/**
	 * Attaches the node to a parent: as the last child, or at `index` among its children. With `keepWorld` it stays
	 * in its place; 'matrix' is returned if only a matrix can keep it there.
	 *
	 * @throws 'cycle', 'singular-parent', 'foreign-node', 'root'
	 */
	attach(parent: SceneNode, options?: { keepWorld?: boolean; index?: number }): 'transform' | 'matrix' {
		const { world } = this.scene;
		this.scene.expectOwn(parent);
		const index = options?.index === undefined ? -1 : checkedCount(options.index, 'the index');
		if (options?.keepWorld === true) {
			const kind = raw.attach_in_place(world, this.slot, this.generation, parent.slot, parent.generation);
			const isMatrix = checked(this.scene, kind) === 1;
			if (index < 0) return isMatrix ? 'matrix' : 'transform';
			this.status(raw.attach(world, this.slot, this.generation, parent.slot, parent.generation, index));
			return isMatrix ? 'matrix' : 'transform';
		}
		this.status(raw.attach(world, this.slot, this.generation, parent.slot, parent.generation, index));
		return 'transform';
	}

	/** Detaches the node from its parent: it lives on, but is neither drawn nor picked. */
	detach(options?: { keepWorld?: boolean }): this {
		const keepWorld = options?.keepWorld === true ? 1 : 0;
		this.status(raw.detach(this.scene.world, this.slot, this.generation, keepWorld));
		return this;
	}

	/** Removes the node with everything below it. */
	dispose(): void {
		this.status(raw.remove(this.scene.world, this.slot, this.generation));
	}

	/** Copies the node with everything below it. `get` returns the copy of a node. */
	clone(options?: { parent?: SceneNode }): { root: SceneNode; get(original: SceneNode): SceneNode | null } {
		const parent = options?.parent ?? this.parent ?? this.scene.root;
		this.scene.expectOwn(parent);
		const pairs = glue.clone_subtree(this.scene.world, this.slot, this.generation, parent.slot, parent.generation);
		const copies = new Map<SceneNode, SceneNode>();
		for (let i = 0; i < pairs.length; i += 2) {
			const [original, copy] = [this.scene.wrap(pairs[i] as number), this.scene.wrap(pairs[i + 1] as number)];
			Object.assign(copy.userData, original.userData);
			copies.set(original, copy);
		}
		return { root: copies.get(this) as SceneNode, get: (original) => copies.get(original) ?? null };
	}

	/** Calls `visitor` for the node and everything below it, parents first. Edits inside are allowed. */
	traverse(visitor: Visitor<SceneNode>, options?: { shown?: boolean }): void {
		if (typeof visitor !== 'function') throw new PleachError('wrong-type', 'traverse needs a function');
		const stack: SceneNode[] = [this];
		for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
			if (!node.alive || (options?.shown === true && !node.shown)) continue;
			const answer = visitor(node);
			if (answer === 'stop') return;
			if (answer === false || answer === 'skip' || !node.alive) continue;
			const children = node.children;
			for (let i = children.length - 1; i >= 0; i--) stack.push(children[i] as SceneNode);
		}
	}

	/** Returns the first node with the name at or below this one, or `null`. */
	find(name: string): SceneNode | null {
		const text = toText(name, 'the name');
		const id = checked(this.scene, glue.find_in(this.scene.world, this.slot, this.generation, text));
		return id === 0 ? null : this.scene.wrap(id);
	}

	/** Returns the parent, its parent and so on. */
	ancestors(): SceneNode[] {
		const ancestors: SceneNode[] = [];
		for (let node = this.parent; node !== null; node = node.parent) ancestors.push(node);
		return ancestors;
	}

	/** The bounds in the node's own space: minimum and maximum, or `null`. Assign six numbers to set them. */
	get localBounds(): Float32Array | null {
		return this.bounds(0, new Float32Array(6));
	}
	set localBounds(minMax: ArrayLike<number> | null) {
		const { world } = this.scene;
		if (minMax === null) {
			this.status(raw.clear_bounds(world, this.slot, this.generation));
			return;
		}
		const values = toFloats(minMax, 'bounds');
		if (values.length !== 6) {
			throw new PleachError('wrong-length', `bounds have 6 numbers (minimum, maximum), not ${values.length}`, {
				node: this,
			});
		}
		numbers().set(values);
		this.status(raw.set_bounds(world, this.slot, this.generation));
	}

	/** Returns the bounds in world space, or `null`. Updates first. */
	getWorldBounds(out: Float32Array = new Float32Array(6)): Float32Array | null {
		return this.bounds(1, out);
	}

	/** Returns the bounds of the node and everything below it in world space, or `null`. Updates first. */
	getSubtreeBounds(out: Float32Array = new Float32Array(6)): Float32Array | null {
		return this.bounds(2, out);
	}

	private bounds(which: number, out: Float32Array): Float32Array | null {
		const found = checked(this.scene, raw.bounds(this.scene.world, this.slot, this.generation, which));
		if (found === 0) return null;
		checkType(out, Float32Array, 'the array to write to');
		toOutput(out, 6).set(numbers().subarray(0, 6));
		return out;
	}

	/** Returns the handle as a string: slot and generation. */
	toString(): string {
		return `${this.slot}v${this.generation}`;
	}

	/** @internal */
	status(status: number): void {
		if (status !== 0) this.fail();
	}

	/** @internal */
	fail(): never {
		try {
			throwFault();
		} catch (error) {
			if (error instanceof PleachError && error.node === undefined) error.node = this;
			throw error;
		}
	}
}

function copy<T extends number[] | Float32Array>(out: T, first: number, count: number): T {
	const from = numbers();
	toOutput(out, count);
	for (let i = 0; i < count; i++) out[i] = from[first + i] as number;
	return out;
}

function putMatrix(m: ArrayLike<number>, what: string): void {
	const values = toFloats(m, what);
	if (values.length !== 16) throw new PleachError('wrong-length', `${what} has 16 numbers, not ${values.length}`);
	numbers().set(values);
}
