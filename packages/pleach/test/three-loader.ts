/** Loads files with three's own GLTFLoader. */
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

// Three's FileLoader needs it, and node 20 has none.
(globalThis as { ProgressEvent?: unknown }).ProgressEvent ??= Event;

/** Loads a binary file without images: node has no decoder. */
export function loadWithThree(bytes: Uint8Array<ArrayBuffer>): Promise<GLTF> {
	return new GLTFLoader().parseAsync(bytes.slice().buffer, '');
}
