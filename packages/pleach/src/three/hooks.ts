/**
 * How writes to `position`, `scale`, `quaternion` and `rotation` are noticed.
 *
 * The vectors keep their identity: their three fields become accessors of a prototype, and the numbers move to private fields, as
 * precise as before. Each write is one call into pleach. Quaternions and rotations have callbacks already, which are chained.
 */
import { type Object3D, Vector3 } from 'three';
import { raw } from '../runtime.js';
import { ExistingObject, type Link } from './link.js';

/** The numbers of a vector that is observed. */
abstract class ObservedNumbers extends ExistingObject {
	#x: number;
	#y: number;
	#z: number;
	#link: Link | null;

	private constructor(vector: Vector3, link: Link, x: number, y: number, z: number) {
		super(vector);
		this.#x = x;
		this.#y = y;
		this.#z = z;
		this.#link = link;
	}

	static observe(vector: Vector3, link: Link, isScale: boolean): void {
		const { x, y, z } = vector as { x?: number; y?: number; z?: number };
		const own = vector as { x?: number; y?: number; z?: number };
		// The order matters: an engine undoes the addition of the last property and keeps the object fast.
		delete own.z;
		delete own.y;
		delete own.x;
		if (#x in vector) {
			const numbers = vector as unknown as ObservedNumbers;
			numbers.#x = x as number;
			numbers.#y = y as number;
			numbers.#z = z as number;
			numbers.#link = link;
		} else {
			const Constructor = ObservedNumbers as unknown as new (
				...args: [Vector3, Link, number, number, number]
			) => object;
			new Constructor(vector, link, x as number, y as number, z as number);
		}
		Object.setPrototypeOf(vector, isScale ? scalePrototype : positionPrototype);
	}

	static release(vector: Vector3): void {
		if (!(#x in vector)) return;
		const numbers = vector as unknown as ObservedNumbers;
		if (numbers.#link === null) return;
		numbers.#link = null;
		Object.setPrototypeOf(vector, Vector3.prototype);
		vector.x = numbers.#x;
		vector.y = numbers.#y;
		vector.z = numbers.#z;
	}

	/** Sets the numbers without a write to pleach. */
	static copyBack(vector: Vector3, x: number, y: number, z: number): void {
		if (!(#x in vector)) {
			vector.set(x, y, z);
			return;
		}
		const numbers = vector as unknown as ObservedNumbers;
		numbers.#x = x;
		numbers.#y = y;
		numbers.#z = z;
	}

	static prototypeFor(isScale: boolean): object {
		const setComponent = isScale
			? (link: Link, axis: number, value: number) =>
					raw.set_scale_component(link.world, link.slot, link.generation, axis, value)
			: (link: Link, axis: number, value: number) =>
					raw.set_position_component(link.world, link.slot, link.generation, axis, value);
		const setAll = isScale
			? (link: Link, x: number, y: number, z: number) => raw.set_scale(link.world, link.slot, link.generation, x, y, z)
			: (link: Link, x: number, y: number, z: number) =>
					raw.set_position(link.world, link.slot, link.generation, x, y, z);
		const first = isScale ? 7 : 0;
		const write = (link: Link | null, axis: number, value: number) => {
			if (link === null) return;
			if (link.isMatrix) link.bridge.writeTransform(link);
			else if (setComponent(link, axis, value) === 0) link.bridge.seen[link.slot * 10 + first + axis] = value;
			else link.bridge.fail(link);
		};
		return Object.create(Vector3.prototype, {
			x: {
				get(this: ObservedNumbers): number {
					return this.#x;
				},
				set(this: ObservedNumbers, value: number) {
					this.#x = value;
					write(this.#link, 0, value);
				},
			},
			y: {
				get(this: ObservedNumbers): number {
					return this.#y;
				},
				set(this: ObservedNumbers, value: number) {
					this.#y = value;
					write(this.#link, 1, value);
				},
			},
			z: {
				get(this: ObservedNumbers): number {
					return this.#z;
				},
				set(this: ObservedNumbers, value: number) {
					this.#z = value;
					write(this.#link, 2, value);
				},
			},
			set: {
				value(this: ObservedNumbers, x: number, y: number, z?: number) {
					const depth = z === undefined ? this.#z : z;
					this.#x = x;
					this.#y = y;
					this.#z = depth;
					const link = this.#link;
					if (link === null) return this;
					if (link.isMatrix) {
						link.bridge.writeTransform(link);
					} else if (setAll(link, x, y, depth) === 0) {
						const { seen } = link.bridge;
						const row = link.slot * 10 + first;
						seen[row] = x;
						seen[row + 1] = y;
						seen[row + 2] = depth;
					} else {
						link.bridge.fail(link);
					}
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

const positionPrototype = ObservedNumbers.prototypeFor(false);
const scalePrototype = ObservedNumbers.prototypeFor(true);

/** Sets the numbers of an observed vector without a write to pleach. */
export const copyBack: (vector: Vector3, x: number, y: number, z: number) => void = ObservedNumbers.copyBack;

/** Returns `true` if writes to the vector can be observed in place. */
function isPlain(vector: Vector3): boolean {
	return Object.getPrototypeOf(vector) === Vector3.prototype && Object.keys(vector).length === 3;
}

/** Observes the transform of an object; returns `false` if its vectors are of a class of their own. */
export function observe(link: Link): boolean {
	const { object } = link;
	if (!isPlain(object.position) || !isPlain(object.scale) || object.position === object.scale) return false;
	ObservedNumbers.observe(object.position, link, false);
	ObservedNumbers.observe(object.scale, link, true);
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
	ObservedNumbers.release(object.position);
	ObservedNumbers.release(object.scale);
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
