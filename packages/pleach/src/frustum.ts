/**
 * `Frustum`: the planes of a view.
 */
import { floats, toVec3, type Vec3Like } from './arguments.js';
import { type ClipSpace, clipNumber } from './graph.js';
import { glue } from './runtime.js';

/**
 * Six planes that point inside: left, right, bottom, top, near and far.
 *
 * @example
 * ```ts
 * const camera = scene.createCamera({ position: [0, 0, 10], rotation: [0, 0, 0, 1], aspect: 1 });
 * const frustum = Frustum.fromViewProjection(scene.view(camera).viewProjectionMatrix);
 * assert.equal(frustum.containsPoint([0, 0, 0]), true);
 * assert.equal(frustum.intersectsBox([0, 0, 20, 1, 1, 21]), false); // behind the camera
 * ```
 */
export class Frustum {
	private constructor(
		/** 24 floats: normal and offset of each plane. A point is inside if normal · point + offset is not negative. */
		readonly planes: Float32Array,
	) {}

	/** Creates the frustum of a view-projection matrix. */
	static fromViewProjection(m: ArrayLike<number>, clip?: ClipSpace): Frustum {
		return new Frustum(glue.frustum_planes(floats(m, 16, 'the view-projection matrix'), clipNumber(clip)));
	}

	/** Returns `false` only if the box (minimum, maximum) is outside of one of the planes. */
	intersectsBox(minMax: ArrayLike<number>): boolean {
		const box = floats(minMax, 6, 'the box');
		return this.everyPlane((x, y, z, d) => {
			const corner = (n: number, axis: number) => n * (box[n >= 0 ? axis + 3 : axis] as number);
			return corner(x, 0) + corner(y, 1) + corner(z, 2) + d >= 0;
		});
	}

	/** Returns `true` if the point is inside. */
	containsPoint(p: Vec3Like): boolean {
		const [px, py, pz] = toVec3(p, 'the point');
		return this.everyPlane((x, y, z, d) => x * px + y * py + z * pz + d >= 0);
	}

	private everyPlane(test: (x: number, y: number, z: number, d: number) => boolean): boolean {
		const p = this.planes;
		for (let i = 0; i < 24; i += 4) {
			if (!test(p[i] as number, p[i + 1] as number, p[i + 2] as number, p[i + 3] as number)) return false;
		}
		return true;
	}
}
