/**
 * `pleach/three`: three.js scenes driven by pleach.
 *
 * @packageDocumentation
 */
import type { Object3D } from 'three';
import { type AttachOptions, Bridge } from './bridge.js';

export type { RaycastOptions } from './bounds.js';
export { type AttachOptions, Bridge } from './bridge.js';
export type { BridgeScene } from './create-scene.js';

/**
 * Adopts an object with everything below it: pleach keeps the tree, three.js draws. From here on only what moves costs,
 * and world matrices are right on any line.
 *
 * @example
 * ```ts
 * const bridge = attach(threeScene);
 * mesh.position.x += 1;
 * assert.equal(mesh.getWorldPosition(new Vector3()).x, 1); // without updateMatrixWorld()
 * const first = bridge.raycast(raycaster)[0]; // the whole scene
 * ```
 *
 * @throws 'not-finite' if a transform has NaN or infinite numbers; 'foreign-node' if an object is adopted already
 */
export function attach(root: Object3D, options?: AttachOptions): Bridge {
	return new Bridge(root, options);
}
