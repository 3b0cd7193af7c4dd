/**
 * `pleach` in node: `init()` reads the module from the package.
 *
 * @packageDocumentation
 */
import { readFile } from 'node:fs/promises';
import { platform } from '../gltf.js';
import type { InitSource } from '../init.js';
import { init as load } from './index.js';

export * from './index.js';

// Here `loadGltf` also takes paths and `file:` URLs. Only a call needs it, so that bundlers may drop the rest.
platform.readFile = readFile;

/**
 * Loads the module, from the package by default.
 *
 * @throws 'load-failed', 'already-initialized'
 *
 * @example
 * ```ts no-run
 * import { init, loadGltf } from 'pleach';
 * await init();
 * const document = await loadGltf('models/knight.glb'); // a path
 * ```
 */
export async function init(source?: InitSource): Promise<void> {
	await load(source ?? (await readFile(new URL('./pleach.wasm', import.meta.url))));
}
