/**
 * `pleach`: scenes, assets, animation, undo and glTF.
 *
 * @packageDocumentation
 */
import * as pleachGlue from '../../generated/pleach.js';
import { type InitSource, loader } from '../init.js';

export * from './exports.js';

const { init: load, initSync: loadSync } = loader({
	name: 'pleach',
	url: (simd) => (simd ? new URL('./pleach.wasm', import.meta.url) : new URL('./pleach-nosimd.wasm', import.meta.url)),
	glue: pleachGlue,
	instantiate: (module) => pleachGlue.initSync({ module }),
});

/**
 * Loads the module, once: later calls return the same promise. Before it, everything else throws 'not-initialized'.
 *
 * @throws 'load-failed', 'already-initialized'
 *
 * @example
 * ```ts
 * await init();
 * const scene = createScene();
 * ```
 */
export const init: (source?: InitSource) => Promise<void> = load;
/**
 * Loads the module from bytes or a compiled module, at once.
 *
 * @example
 * ```ts no-run
 * import { initSync } from 'pleach';
 * initSync(new WebAssembly.Module(bytes));
 * ```
 */
export const initSync: (source: BufferSource | WebAssembly.Module) => void = loadSync;
