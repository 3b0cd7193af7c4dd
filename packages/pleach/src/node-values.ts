/**
 * Position, rotation and scale of a node. Reading or writing a component, `set`, `rotateX`, `rotateY` and `rotateZ` are
 * one call each and make no garbage.
 */
import { type QuatLike, toObject, toOutput, toQuat, toVec3, type Vec3Like } from './arguments.js';
import { PleachError } from './errors.js';
import type { SceneNode } from './node.js';
import { numbers, raw } from './runtime.js';

/** Three numbers that belong to a node. A read returns the current value; a write marks the node. */
abstract class NodeVec3 {
	/** @internal */
	constructor(protected readonly node: SceneNode) {}

	/** @internal */
	protected abstract get(axis: number): number;
	/** @internal */
	protected abstract put(axis: number, value: number): void;

	/** Sets the three numbers. */
	abstract set(x: number, y: number, z: number): this;

	get x(): number {
		return this.get(0);
	}
	set x(x: number) {
		this.put(0, x);
	}

	get y(): number {
		return this.get(1);
	}
	set y(y: number) {
		this.put(1, y);
	}

	get z(): number {
		return this.get(2);
	}
	set z(z: number) {
		this.put(2, z);
	}

	/** Sets the three numbers to those of a vector. */
	copy(v: Vec3Like): this {
		const [x, y, z] = toVec3(v, 'the vector');
		return this.set(x, y, z);
	}

	/** Adds a vector. */
	add(v: Vec3Like): this {
		return this.addScaled(v, 1);
	}

	/** Adds a vector, multiplied by a factor. */
	addScaled(v: Vec3Like, factor: number): this {
		const [x, y, z] = toVec3(v, 'the vector');
		return this.set(this.x + x * factor, this.y + y * factor, this.z + z * factor);
	}

	/** Multiplies the three numbers by a factor. */
	multiplyScalar(factor: number): this {
		return this.set(this.x * factor, this.y * factor, this.z * factor);
	}

	/** Moves to a vector: not at all for 0, all the way for 1. */
	lerp(v: Vec3Like, t: number): this {
		const [x, y, z] = toVec3(v, 'the vector');
		const [fromX, fromY, fromZ] = [this.x, this.y, this.z];
		return this.set(fromX + (x - fromX) * t, fromY + (y - fromY) * t, fromZ + (z - fromZ) * t);
	}

	/** Sets the three numbers from an array. */
	fromArray(a: ArrayLike<number>, offset = 0): this {
		const from = toObject(a, 'the array');
		return this.set(from[offset] as number, from[offset + 1] as number, from[offset + 2] as number);
	}

	/** Returns the three numbers, or writes them to `out`. */
	toArray(): [number, number, number];
	toArray<T extends number[] | Float32Array>(out: T, offset?: number): T;
	toArray(out: number[] | Float32Array = [0, 0, 0], offset = 0): number[] | Float32Array {
		toOutput(out, offset + 3);
		out[offset] = this.x;
		out[offset + 1] = this.y;
		out[offset + 2] = this.z;
		return out;
	}

	*[Symbol.iterator](): Iterator<number> {
		yield* this.toArray();
	}
}

/** The translation of a node relative to its parent. */
export class NodePosition extends NodeVec3 {
	protected get(axis: number): number {
		return local(this.node, axis);
	}
	protected put(axis: number, value: number): void {
		const { scene, slot, generation } = this.node;
		if (raw.set_position_component(scene.world, slot, generation, axis, value) !== 0) this.node.fail();
	}
	set(x: number, y: number, z: number): this {
		const { scene, slot, generation } = this.node;
		if (raw.set_position(scene.world, slot, generation, x, y, z) !== 0) this.node.fail();
		return this;
	}
}

/** The scale of a node along its own axes. */
export class NodeScale extends NodeVec3 {
	protected get(axis: number): number {
		return local(this.node, 7 + axis);
	}
	protected put(axis: number, value: number): void {
		const { scene, slot, generation } = this.node;
		if (raw.set_scale_component(scene.world, slot, generation, axis, value) !== 0) this.node.fail();
	}
	set(x: number, y: number, z: number): this {
		const { scene, slot, generation } = this.node;
		if (raw.set_scale(scene.world, slot, generation, x, y, z) !== 0) this.node.fail();
		return this;
	}
}

function local(node: SceneNode, component: number): number {
	const value = raw.local(node.scene.world, node.slot, node.generation, component);
	if (Number.isNaN(value)) node.fail();
	return value;
}

/** The order of rotations about the axes: 'XYZ' is X · Y · Z, as in three.js. */
export type EulerOrder = 'XYZ' | 'XZY' | 'YXZ' | 'YZX' | 'ZXY' | 'ZYX';
const ORDERS: readonly EulerOrder[] = ['XYZ', 'XZY', 'YXZ', 'YZX', 'ZXY', 'ZYX'];

/** @internal */
export function orderNumber(order: EulerOrder): number {
	const index = ORDERS.indexOf(order);
	if (index < 0) {
		throw new PleachError('out-of-range', `'${order}' is not an order of rotations: use one of ${ORDERS.join(', ')}`);
	}
	return index;
}

/**
 * The rotation of a node relative to its parent: a unit quaternion. Components are read only; `rotateX` and the others
 * turn about the node's own axes.
 */
export class NodeRotation {
	/** @internal */
	constructor(private readonly node: SceneNode) {}

	get x(): number {
		return local(this.node, 3);
	}
	set x(_: never) {
		refuseComponent(this.node, 'rotateX');
	}
	get y(): number {
		return local(this.node, 4);
	}
	set y(_: never) {
		refuseComponent(this.node, 'rotateY');
	}
	get z(): number {
		return local(this.node, 5);
	}
	set z(_: never) {
		refuseComponent(this.node, 'rotateZ');
	}
	get w(): number {
		return local(this.node, 6);
	}
	set w(_: never) {
		refuseComponent(this.node, 'set');
	}

	/** Sets the quaternion, which is normalized. */
	set(x: number, y: number, z: number, w: number): this {
		const { scene, slot, generation } = this.node;
		if (raw.set_rotation(scene.world, slot, generation, x, y, z, w) !== 0) this.node.fail();
		return this;
	}

	/** Sets the rotation to that of a quaternion. */
	copy(q: QuatLike): this {
		const [x, y, z, w] = toQuat(q, 'the quaternion');
		return this.set(x, y, z, w);
	}

	/** Rotates towards a quaternion: not at all for 0, all the way for 1. */
	slerp(q: QuatLike, t: number): this {
		numbers().set([...this.toArray(), ...toQuat(q, 'the quaternion')]);
		raw.quat_slerp(t);
		return this.fromNumbers();
	}

	/** Sets rotations about the axes, in radians. */
	setEuler(x: number, y: number, z: number, order: EulerOrder = 'XYZ'): this {
		raw.quat_from_euler(x, y, z, orderNumber(order));
		return this.fromNumbers();
	}

	/** Sets a rotation about an axis, in radians. */
	setAxisAngle(axis: Vec3Like, radians: number): this {
		numbers().set(toVec3(axis, 'the axis'));
		this.node.status(raw.quat_from_axis_angle(radians));
		return this.fromNumbers();
	}

	/** Turns −Z to a direction in the parent's space. */
	setLookRotation(direction: Vec3Like, up: Vec3Like = this.node.scene.upDirection): this {
		numbers().set([...toVec3(direction, 'the direction'), ...toVec3(up, 'up')]);
		this.node.status(raw.quat_from_look());
		return this.fromNumbers();
	}

	/** Rotates about the node's own x axis, in radians. */
	rotateX(radians: number): this {
		return this.rotateLocal(0, radians);
	}

	/** Rotates about the node's own y axis, in radians. */
	rotateY(radians: number): this {
		return this.rotateLocal(1, radians);
	}

	/** Rotates about the node's own z axis, in radians. */
	rotateZ(radians: number): this {
		return this.rotateLocal(2, radians);
	}

	/** Rotates about the node's own axes by a quaternion. */
	multiply(q: QuatLike): this {
		numbers().set([...this.toArray(), ...toQuat(q, 'the quaternion')]);
		raw.quat_multiply();
		return this.fromNumbers();
	}

	/** Rotates about the parent's axes by a quaternion. */
	premultiply(q: QuatLike): this {
		numbers().set([...toQuat(q, 'the quaternion'), ...this.toArray()]);
		raw.quat_multiply();
		return this.fromNumbers();
	}

	/** Returns the four numbers, or writes them to `out`. */
	toArray(): [number, number, number, number];
	toArray<T extends number[] | Float32Array>(out: T, offset?: number): T;
	toArray(out: number[] | Float32Array = [0, 0, 0, 1], offset = 0): number[] | Float32Array {
		toOutput(out, offset + 4);
		out[offset] = this.x;
		out[offset + 1] = this.y;
		out[offset + 2] = this.z;
		out[offset + 3] = this.w;
		return out;
	}

	/** Returns rotations about the axes, in radians. */
	toEuler(out: number[] = [0, 0, 0], order: EulerOrder = 'XYZ'): number[] {
		numbers().set(this.toArray());
		raw.quat_to_euler(orderNumber(order));
		const from = numbers();
		toOutput(out, 3);
		for (let i = 0; i < 3; i++) out[i] = from[i] as number;
		return out;
	}

	*[Symbol.iterator](): Iterator<number> {
		yield* this.toArray();
	}

	private rotateLocal(axis: number, radians: number): this {
		const { scene, slot, generation } = this.node;
		if (raw.rotate_local(scene.world, slot, generation, axis, radians) !== 0) this.node.fail();
		return this;
	}

	private fromNumbers(): this {
		const n = numbers();
		return this.set(n[0] as number, n[1] as number, n[2] as number, n[3] as number);
	}
}

function refuseComponent(node: SceneNode, instead: string): never {
	throw new PleachError(
		'quaternion-component',
		`one component of a quaternion cannot be written, it would distort the rotation: use rotation.${instead}(…)`,
		{ node },
	);
}
