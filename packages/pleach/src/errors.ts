/**
 * `PleachError`: what every call throws, with a code for programs and a message for people.
 */
import type { SceneNode } from './node.js';

/** What went wrong, for programs. */
export type PleachErrorCode =
	| 'not-initialized'
	| 'load-failed'
	| 'already-initialized'
	| 'panicked'
	| 'internal'
	| 'busy'
	| 'gpu'
	| 'disposed'
	| 'out-of-memory'
	| 'dead-node'
	| 'foreign-node'
	| 'wrong-kind'
	| 'root'
	| 'cycle'
	| 'singular-parent'
	| 'no-direction'
	| 'parent-order'
	| 'not-finite'
	| 'zero-rotation'
	| 'not-affine'
	| 'quaternion-component'
	| 'wrong-length'
	| 'wrong-type'
	| 'out-of-range'
	| 'no-viewport'
	| 'geometry'
	| 'skin'
	| 'constraint-cycle'
	| 'patch'
	| 'snapshot'
	| 'async-transaction'
	| 'network'
	| `gltf-${'container' | 'json' | 'reference' | 'value' | 'data' | 'structure' | 'extension' | 'uri' | 'limit' | 'strict' | 'unwritable' | 'io'}`;

/**
 * An error of pleach. The message names the thing, the fault and the way out.
 *
 * @example
 * ```ts
 * const crate = scene.createGroup({ name: 'crate' });
 * crate.dispose();
 * try {
 *   crate.position.x = 1;
 * } catch (error) {
 *   assert(error instanceof PleachError && error.code === 'dead-node' && error.node === crate);
 * }
 * ```
 */
export class PleachError extends Error {
	/** What went wrong, for programs. */
	readonly code: PleachErrorCode;
	/** The node, if the error is about one. It may be a node of another scene than the one that was called. */
	node?: SceneNode;
	/** The JSON pointer into the file, if the error is about one. */
	readonly pointer?: string;
	/** The position in the array that was passed, if the error is about an element. */
	readonly index?: number;

	constructor(
		code: PleachErrorCode,
		message: string,
		details?: { node?: SceneNode; pointer?: string; index?: number; cause?: unknown },
	) {
		super(message, details?.cause === undefined ? undefined : { cause: details.cause });
		this.name = 'PleachError';
		this.code = code;
		if (details?.node !== undefined) this.node = details.node;
		if (details?.pointer !== undefined) this.pointer = details.pointer;
		if (details?.index !== undefined) this.index = details.index;
	}
}
