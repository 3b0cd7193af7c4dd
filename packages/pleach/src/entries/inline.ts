/**
 * `pleach/inline`: the module as base64 inside of the JavaScript, for bundlers and pages that cannot serve a file.
 *
 * @packageDocumentation
 */
import base64 from 'base64:pleach';
import type { InitSource } from '../init.js';
import { init as load, initSync as loadSync } from './index.js';

export * from './index.js';

function bytes(): Uint8Array<ArrayBuffer> {
	const text = atob(base64);
	const decoded = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++) decoded[i] = text.charCodeAt(i);
	return decoded;
}

/**
 * Loads the module, from this file by default.
 *
 * @example
 * ```ts no-run
 * import { createScene, init } from 'pleach/inline';
 * await init(); // no request
 * const scene = createScene();
 * ```
 */
export function init(source?: InitSource): Promise<void> {
	return load(source ?? bytes());
}

/**
 * Loads the module at once, from this file by default.
 *
 * @example
 * ```ts no-run
 * import { createScene, initSync } from 'pleach/inline';
 * initSync();
 * const scene = createScene();
 * ```
 */
export function initSync(source?: BufferSource | WebAssembly.Module): void {
	loadSync(source ?? bytes());
}
