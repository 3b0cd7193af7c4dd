/**
 * Checks of arguments: JavaScript passes whatever it is given, and the module would take it for something else.
 */
import { PleachError } from './errors.js';

/** Returns the string, or throws. */
export function toText(value: string, what: string): string {
	if (typeof value !== 'string') throw new PleachError('wrong-type', `${what} must be a string, not ${typeOf(value)}`);
	return value;
}

/** Returns the object, or throws. */
export function toObject<T>(value: T, what: string): T {
	if (value === null || typeof value !== 'object') {
		throw new PleachError('wrong-type', `${what} must be an object, not ${typeOf(value)}`);
	}
	return value;
}

/** Returns the list, or throws. */
export function toList<T>(value: readonly T[], what: string): readonly T[] {
	if (!Array.isArray(value)) throw new PleachError('wrong-type', `${what} must be an array, not ${typeOf(value)}`);
	return value;
}

/** Returns the numbers of an array or typed array, or throws. */
export function toFloats(values: ArrayLike<number>, what: string): Float32Array {
	if (values instanceof Float32Array) return values;
	if (values !== null && typeof values === 'object' && typeof values.length === 'number') {
		return Float32Array.from(values);
	}
	throw new PleachError('wrong-type', `${what} must be a Float32Array or an array of numbers, not ${typeOf(values)}`);
}

/** Returns the array to write to, up to an element, or throws. */
export function toOutput<T extends number[] | Float32Array>(out: T, end: number): T {
	toObject(out, 'the array to write to');
	if (ArrayBuffer.isView(out) && out.length < end) {
		throw new PleachError('wrong-length', `the array to write to has ${out.length} elements; ${end} are needed`);
	}
	return out;
}

/** Returns a mask of 32 layers as a number that is not negative, or throws. `~0` is all layers. */
export function toLayers(layers: number): number {
	if (Number.isInteger(layers) && layers >= -0x80000000 && layers <= 0xffffffff) return layers >>> 0;
	throw new PleachError('out-of-range', `layers are 32 bits, a whole number; ${layers} is not`);
}

function typeOf(value: unknown): string {
	return value === null ? 'null' : typeof value;
}

/** Returns three numbers of a vector, or throws. */
export function toVec3(v: Vec3Like, what: string): [number, number, number] {
	if (v !== null && typeof v === 'object') {
		if ('length' in v && v.length >= 3) return [v[0], v[1], v[2]] as [number, number, number];
		if ('x' in v && 'y' in v && 'z' in v) return [v.x, v.y, v.z];
	}
	throw new PleachError('wrong-type', `${what} is not a vector: pass [x, y, z] or { x, y, z }`);
}

/** Three numbers: an array, or an object with x, y and z, as the vectors of most libraries. */
export type Vec3Like =
	| readonly [number, number, number]
	| Float32Array
	| { readonly x: number; readonly y: number; readonly z: number };

/** Returns four numbers of a quaternion, or throws. */
export function toQuat(q: QuatLike, what: string): [number, number, number, number] {
	if (q !== null && typeof q === 'object') {
		if ('length' in q && q.length >= 4) {
			return [q[0], q[1], q[2], q[3]] as [number, number, number, number];
		}
		if ('x' in q && 'w' in q) return [q.x, q.y, q.z, q.w];
	}
	throw new PleachError('wrong-type', `${what} is not a quaternion: pass [x, y, z, w] or { x, y, z, w }`);
}

/** A rotation: an array, or an object with x, y, z and w. */
export type QuatLike =
	| readonly [number, number, number, number]
	| Float32Array
	| { readonly x: number; readonly y: number; readonly z: number; readonly w: number };

/** Returns the numbers of an array of one length, or throws. */
export function floats(values: ArrayLike<number>, count: number, what: string): Float32Array {
	if (values === null || typeof values !== 'object' || values.length !== count) {
		throw new PleachError('wrong-length', `${what} has ${count} numbers, not ${values?.length}`);
	}
	return toFloats(values, what);
}

/** Throws if the value is not of the class. */
export function checkType(
	value: unknown,
	type: { new (n: number): unknown; readonly name: string },
	what: string,
): void {
	if (!(value instanceof type)) throw new PleachError('wrong-type', `${what} must be a ${type.name}`);
}

/** Returns the whole number, or throws. */
export function checkedCount(value: number, what: string, most = 0x7fffffff): number {
	if (!Number.isInteger(value) || value < 0 || value > most) {
		throw new PleachError('out-of-range', `${what} must be a whole number from 0 to ${most}, not ${value}`);
	}
	return value;
}
