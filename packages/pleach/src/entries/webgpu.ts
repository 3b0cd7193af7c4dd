/**
 * `pleach/webgpu`: everything of `pleach`, and a renderer for canvases.
 *
 * @packageDocumentation
 */
import * as webgpuGlue from '../../generated/webgpu.js';
import { type InitSource, loader } from '../init.js';

export { Renderer, type RendererOptions } from '../renderer.js';
export * from './exports.js';

const { init: load, initSync: loadSync } = loader({
	name: 'pleach/webgpu',
	// Browsers with WebGPU or WebGL2 have SIMD, too.
	url: () => new URL('./webgpu.wasm', import.meta.url),
	glue: webgpuGlue,
	instantiate: (module) => webgpuGlue.initSync({ module }),
});

/**
 * Loads the module, once: later calls return the same promise.
 *
 * @throws 'load-failed', 'already-initialized'
 *
 * @example
 * ```ts no-run
 * import { Renderer, init } from 'pleach/webgpu';
 * await init();
 * const renderer = await Renderer.create(canvas);
 * ```
 */
export const init: (source?: InitSource) => Promise<void> = load;
/**
 * Loads the module from bytes or a compiled module, at once.
 *
 * @example
 * ```ts no-run
 * import { initSync } from 'pleach/webgpu';
 * initSync(new WebAssembly.Module(bytes));
 * ```
 */
export const initSync: (source: BufferSource | WebAssembly.Module) => void = loadSync;
