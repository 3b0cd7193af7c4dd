/**
 * `pleach/three`: three.js scenes driven by pleach.
 *
 * @packageDocumentation
 */
import type { Object3D } from 'three';
import type { GltfSource } from '../gltf.js';
import { type AttachOptions, Bridge } from './bridge.js';
import type { LoadedModel, ModelOptions } from './gltf.js';

export type { RaycastOptions } from './bounds.js';
export { type AttachOptions, Bridge } from './bridge.js';
export type { BridgeScene } from './create-scene.js';
export type { FlatRenderer } from './flat.js';
export type { LoadedModel, ModelOptions } from './gltf.js';

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

/**
 * Loads a glTF file as objects of three.js with materials of three.js. The objects stay connected with the document: `document.save()`
 * saves what was edited and added through three.js, and everything else byte for byte. Clips are played by mixers of pleach.
 *
 * @example
 * ```ts
 * const { root, document } = await loadGltf('knight.glb');
 * threeScene.add(root);
 * root.getObjectByName('door')!.rotation.y = 1;
 * const { bytes } = document.save();
 * ```
 *
 * @throws 'network', or `gltf-…` with the JSON pointer of the fault
 */
export async function loadGltf(source: GltfSource, options?: ModelOptions): Promise<LoadedModel> {
	const { loadModel } = await import('./gltf.js');
	return loadModel(source, options);
}
