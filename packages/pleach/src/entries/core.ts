/**
 * `pleach/core`: graphs and the spatial index alone, in a small module.
 *
 * @packageDocumentation
 */
import * as coreGlue from '../../generated/core.js';
import { type InitSource, loader } from '../init.js';
import type { Glue, Raw } from '../runtime.js';

export * from './core-exports.js';

const { init: load, initSync: loadSync } = loader({
	name: 'pleach/core',
	url: (simd) => (simd ? new URL('./core.wasm', import.meta.url) : new URL('./core-nosimd.wasm', import.meta.url)),
	// The functions of scenes are missing here, and so are the classes that call them.
	glue: coreGlue as unknown as Glue,
	instantiate: (module) => coreGlue.initSync({ module }) as unknown as Raw,
});

/**
 * Loads the module, once: later calls return the same promise.
 *
 * @throws 'load-failed', 'already-initialized'
 *
 * @example
 * ```ts no-run
 * import { Graph, init } from 'pleach/core';
 * await init();
 * const graph = new Graph();
 * ```
 */
export const init: (source?: InitSource) => Promise<void> = load;
/**
 * Loads the module from bytes or a compiled module, at once.
 *
 * @example
 * ```ts no-run
 * import { initSync } from 'pleach/core';
 * initSync(new WebAssembly.Module(bytes));
 * ```
 */
export const initSync: (source: BufferSource | WebAssembly.Module) => void = loadSync;
