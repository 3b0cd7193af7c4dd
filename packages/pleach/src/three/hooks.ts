/**
 * How writes to `position`, `scale`, `quaternion` and `rotation` are noticed.
 *
 * The vectors keep their identity: their three fields become accessors of a prototype, and the numbers move to a table of the bridge, as
 * precise as before. Each write is one call into pleach. Quaternions and rotations have callbacks already, which are chained.
 */
import { type Object3D, Vector3 } from 'three';
import { raw } from '../runtime.js';
import type { Bridge } from './bridge.js';
import { ExistingObject, type Link } from './link.js';

/** Where a vector is in the tables of its bridge: its numbers are there, not in the vector. */
abstract class ObservedVector extends ExistingObject {
	#bridge: Bridge | null;
	/** The position of x in `Bridge.values`. */
	#first: number;
	#generation: number;

	private constructor(vector: Vector3, bridge: Bridge, first: number, generation: number) {
		super(vector);
		this.#bridge = bridge;
		this.#first = first;
		this.#generation = generation;
	}

	static observe(vector: Vector3, link: Link, isScale: boolean): void {
		const { bridge, slot, generation } = link;
		const first = slot * 10 + (isScale ? 7 : 0);
		const { values } = bridge;
		values[first] = vector.x;
		values[first + 1] = vector.y;
		values[first + 2] = vector.z;
		const own = vector as { x?: number; y?: number; z?: number };
		// The order matters: an engine undoes the addition of the last property and keeps the object fast.
		delete own.z;
		delete own.y;
		delete own.x;
		if (#bridge in vector) {
			const observed = vector as unknown as ObservedVector;
			observed.#bridge = bridge;
			observed.#first = first;
			observed.#generation = generation;
		} else {
			new (ObservedVector as unknown as new (...args: [Vector3, Bridge, number, number]) => object)(
				vector,
				bridge,
				first,
				generation,
			);
		}
		Object.setPrototypeOf(vector, isScale ? scalePrototype : positionPrototype);
	}

	static release(vector: Vector3): void {
		if (!(#bridge in vector)) return;
		const observed = vector as unknown as ObservedVector;
		const bridge = observed.#bridge;
		if (bridge === null) return;
		observed.#bridge = null;
		const { values } = bridge;
		const first = observed.#first;
		Object.setPrototypeOf(vector, Vector3.prototype);
		vector.x = values[first] as number;
		vector.y = values[first + 1] as number;
		vector.z = values[first + 2] as number;
	}

	static prototypeFor(isScale: boolean): object {
		const setComponent = isScale
			? (world: number, slot: number, generation: number, axis: number, value: number) =>
					raw.set_scale_component(world, slot, generation, axis, value)
			: (world: number, slot: number, generation: number, axis: number, value: number) =>
					raw.set_position_component(world, slot, generation, axis, value);
		const setAll = isScale
			? (world: number, slot: number, generation: number, x: number, y: number, z: number) =>
					raw.set_scale(world, slot, generation, x, y, z)
			: (world: number, slot: number, generation: number, x: number, y: number, z: number) =>
					raw.set_position(world, slot, generation, x, y, z);
		const offset = isScale ? 7 : 0;
		const write = (bridge: Bridge, first: number, generation: number, axis: number, value: number) => {
			bridge.values[first + axis] = value;
			const slot = (first - offset) / 10;
			if (bridge.matrixKinds[slot] === 1) bridge.writeTransformOf(slot);
			else if (setComponent(bridge.world, slot, generation, axis, value) !== 0) bridge.failed(slot);
		};
		return Object.create(Vector3.prototype, {
			x: {
				get(this: ObservedVector): number {
					return (this.#bridge as Bridge).values[this.#first] as number;
				},
				set(this: ObservedVector, value: number) {
					write(this.#bridge as Bridge, this.#first, this.#generation, 0, value);
				},
			},
			y: {
				get(this: ObservedVector): number {
					return (this.#bridge as Bridge).values[this.#first + 1] as number;
				},
				set(this: ObservedVector, value: number) {
					write(this.#bridge as Bridge, this.#first, this.#generation, 1, value);
				},
			},
			z: {
				get(this: ObservedVector): number {
					return (this.#bridge as Bridge).values[this.#first + 2] as number;
				},
				set(this: ObservedVector, value: number) {
					write(this.#bridge as Bridge, this.#first, this.#generation, 2, value);
				},
			},
			set: {
				value(this: ObservedVector, x: number, y: number, z?: number) {
					const bridge = this.#bridge as Bridge;
					const first = this.#first;
					const { values } = bridge;
					const depth = z === undefined ? (values[first + 2] as number) : z;
					values[first] = x;
					values[first + 1] = y;
					values[first + 2] = depth;
					const slot = (first - offset) / 10;
					if (bridge.matrixKinds[slot] === 1) bridge.writeTransformOf(slot);
					else if (setAll(bridge.world, slot, this.#generation, x, y, depth) !== 0) bridge.failed(slot);
					return this;
				},
			},
			copy: {
				value(this: Vector3, v: { x: number; y: number; z: number }) {
					return this.set(v.x, v.y, v.z);
				},
			},
			toJSON: {
				value(this: Vector3) {
					return { x: this.x, y: this.y, z: this.z };
				},
			},
		}) as object;
	}
}

const positionPrototype = ObservedVector.prototypeFor(false);
const scalePrototype = ObservedVector.prototypeFor(true);

/** Returns `true` if writes to the vector can be observed in place. */
function isPlain(vector: Vector3): boolean {
	return Object.getPrototypeOf(vector) === Vector3.prototype && Object.keys(vector).length === 3;
}

/** Observes the transform of an object; returns `false` if its vectors are of a class of their own. */
export function observe(link: Link): boolean {
	const { object } = link;
	if (!isPlain(object.position) || !isPlain(object.scale) || object.position === object.scale) return false;
	ObservedVector.observe(object.position, link, false);
	ObservedVector.observe(object.scale, link, true);
	const { quaternion, rotation } = object;
	const quaternionChanged = quaternion._onChangeCallback;
	const rotationChanged = rotation._onChangeCallback;
	link.quaternionChanged = quaternionChanged;
	link.rotationChanged = rotationChanged;
	quaternion._onChange(() => {
		quaternionChanged.call(quaternion);
		link.bridge.writeRotation(link);
	});
	rotation._onChange(() => {
		rotationChanged.call(rotation);
		link.bridge.writeRotation(link);
	});
	return true;
}

/** Gives an object its own vectors and callbacks back. */
export function release(link: Link): void {
	const { object } = link;
	ObservedVector.release(object.position);
	ObservedVector.release(object.scale);
	if (link.quaternionChanged !== null) object.quaternion._onChange(link.quaternionChanged);
	if (link.rotationChanged !== null) object.rotation._onChange(link.rotationChanged);
	link.quaternionChanged = null;
	link.rotationChanged = null;
}

/** Copies a rotation of pleach to an object, without a write to pleach. */
export function copyRotationBack(object: Object3D, link: Link, x: number, y: number, z: number, w: number): void {
	const { quaternion } = object;
	if (link.quaternionChanged === null) {
		quaternion.set(x, y, z, w);
		return;
	}
	// The fields, not the accessors: these would call back once per component.
	const fields = quaternion as unknown as { _x: number; _y: number; _z: number; _w: number };
	fields._x = x;
	fields._y = y;
	fields._z = z;
	fields._w = w;
	link.quaternionChanged.call(quaternion);
}
