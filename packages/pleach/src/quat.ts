/**
 * Quaternions as four numbers, with the same bits in every browser.
 */
import { type QuatLike, toQuat, toVec3, type Vec3Like } from './arguments.js';
import type { PleachError } from './errors.js';
import { type EulerOrder, orderNumber } from './node-values.js';
import { glue, numbers, raw } from './runtime.js';

type Quat4 = [number, number, number, number];

function result(status = 0): Quat4 {
	if (status !== 0) throw glue.take_fault() as PleachError;
	const n = numbers();
	return [n[0] as number, n[1] as number, n[2] as number, n[3] as number];
}

/**
 * Makers of rotations: [x, y, z, w].
 *
 * @example
 * ```ts
 * const turn = quat.fromAxisAngle([0, 0, 1], degrees(180));
 * assertNear(turn, [0, 0, 1, 0]);
 * assertNear(quat.multiply(turn, turn), [0, 0, 0, -1]);
 * ```
 */
export const quat = {
	/** Returns rotations about the axes, in radians. */
	fromEuler(x: number, y: number, z: number, order: EulerOrder = 'XYZ'): Quat4 {
		raw.quat_from_euler(x, y, z, orderNumber(order));
		return result();
	},
	/** Returns a rotation about an axis, in radians. */
	fromAxisAngle(axis: Vec3Like, radians: number): Quat4 {
		numbers().set(toVec3(axis, 'the axis'));
		return result(raw.quat_from_axis_angle(radians));
	},
	/** Returns the rotation that turns −Z to a direction. */
	fromLookRotation(direction: Vec3Like, up: Vec3Like): Quat4 {
		numbers().set([...toVec3(direction, 'the direction'), ...toVec3(up, 'up')]);
		return result(raw.quat_from_look());
	},
	/** Returns the shortest rotation from one direction to another. */
	fromArc(from: Vec3Like, to: Vec3Like): Quat4 {
		numbers().set([...toVec3(from, 'the first direction'), ...toVec3(to, 'the second direction')]);
		raw.quat_from_arc();
		return result();
	},
	/** Returns the product: `b` is applied first. */
	multiply(a: QuatLike, b: QuatLike): Quat4 {
		numbers().set([...toQuat(a, 'the first quaternion'), ...toQuat(b, 'the second quaternion')]);
		raw.quat_multiply();
		return result();
	},
	/** Interpolates: `a` for 0, `b` for 1. */
	slerp(a: QuatLike, b: QuatLike, t: number): Quat4 {
		numbers().set([...toQuat(a, 'the first quaternion'), ...toQuat(b, 'the second quaternion')]);
		raw.quat_slerp(t);
		return result();
	},
};

/**
 * Converts degrees to radians.
 *
 * @example
 * ```ts
 * assert.equal(degrees(180), Math.PI);
 * ```
 */
export function degrees(degrees: number): number {
	return (degrees * Math.PI) / 180;
}
