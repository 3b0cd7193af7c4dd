/**
 * The exports of the WebAssembly module, shared by all entries.
 *
 * Invariant: `raw` and `glue` are the exports of one module, or stand-ins that throw: before `init`, and after a
 * panic. Calls therefore need no check of their own.
 */
import type * as PleachGlue from '../generated/pleach.js';
import { PleachError, type PleachErrorCode } from './errors.js';
import type { Graph } from './graph.js';

/** The functions that convert strings and arrays. */
export type Glue = Omit<typeof PleachGlue, 'default' | 'initSync'>;
/** The exports themselves: for calls that pass numbers and return one number. */
export type Raw = PleachGlue.InitOutput;

/** Returns an object that throws whatever is read from it. */
function unavailable<T extends object>(error: () => PleachError): T {
	return new Proxy({} as T, {
		get() {
			throw error();
		},
	});
}

const notInitialized = () =>
	new PleachError('not-initialized', 'pleach is not loaded: call `await init()` once before anything else');

export let raw: Raw = unavailable(notInitialized);
export let glue: Glue = unavailable(notInitialized);

const graphs = new Map<number, WeakRef<Graph>>();

/** Makes the node of errors about this world known. */
export function registerGraph(world: number, graph: Graph): void {
	graphs.set(world, new WeakRef(graph));
}

export function unregisterGraph(world: number): void {
	graphs.delete(world);
}

/** Sets the exports, after the module was instantiated. */
export function install(exports: Raw, functions: Glue): void {
	const wrapped: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(functions)) {
		wrapped[name] = typeof value === 'function' ? located(value as AnyFunction) : value;
	}
	functions.set_host(makeError, onPanic);
	raw = exports;
	glue = wrapped as unknown as Glue;
	numberView = new Float32Array(0);
}

type AnyFunction = (...args: unknown[]) => unknown;

/** Adds the node to errors of calls whose first argument is a world. */
function located(f: AnyFunction): AnyFunction {
	return (...args) => {
		try {
			return f(...args);
		} catch (error) {
			if (error instanceof PleachError && typeof args[0] === 'number') {
				locate(error, graphs.get(args[0])?.deref());
			}
			throw error;
		}
	};
}

function locate(error: PleachError, graph: Graph | undefined): void {
	if (graph !== undefined && error.nodeId !== undefined && error.node === undefined) {
		error.node = graph.wrap(error.nodeId);
	}
}

function makeError(
	code: PleachErrorCode,
	message: string,
	node?: number,
	index?: number,
	pointer?: string,
): PleachError {
	const details: { index?: number; pointer?: string } = {};
	if (index !== undefined) details.index = index;
	if (pointer !== undefined) details.pointer = pointer;
	const error = new PleachError(code, message, details);
	if (node !== undefined) error.nodeId = node;
	return error;
}

function onPanic(message: string): never {
	const first = () =>
		new PleachError(
			'panicked',
			`pleach stopped because of a bug in it: ${message}. Please report it; load the page again to go on`,
		);
	raw = unavailable(first);
	glue = unavailable(first);
	throw first();
}

/** Throws the error of the last call that returned a status other than 0, or NaN. */
export function throwFault(graph: Graph): never {
	const error: unknown = glue.take_fault();
	if (error instanceof PleachError) {
		locate(error, graph);
		throw error;
	}
	throw new PleachError('internal', 'a call failed without a reason; please report it');
}

/** Returns the number, or throws if it is NaN. */
export function checked(graph: Graph, value: number): number {
	if (Number.isNaN(value)) throwFault(graph);
	return value;
}

let numberView = new Float32Array(0);

/** The 64 floats that calls read arguments from and write results to. */
export function numbers(): Float32Array {
	// The view of a memory that grew has length 0.
	if (numberView.length === 0) {
		numberView = new Float32Array(raw.memory.buffer, raw.numbers_address() >>> 0, 64);
	}
	return numberView;
}

type ViewConstructor<T> = new (buffer: ArrayBufferLike, offset: number, length: number) => T;

/** A view of a list in WebAssembly's memory, renewed when the list moved or the memory grew. */
export class MemoryView<T extends { readonly length: number; readonly byteOffset: number }> {
	private view: T | null = null;

	constructor(private readonly type: ViewConstructor<T>) {}

	/** The view that was returned last. */
	get current(): T | null {
		return this.view;
	}

	/** Returns the view of `length` elements at an address. */
	at(address: number, length: number): T {
		const view = this.view;
		if (view !== null && view.byteOffset === address >>> 0 && view.length === length && length > 0) {
			return view;
		}
		this.view = new this.type(raw.memory.buffer, length === 0 ? 0 : address >>> 0, length);
		return this.view;
	}
}

/** Returns three numbers of a vector, or throws. */
export function toVec3(v: Vec3Like, what: string): [number, number, number] {
	if (v !== null && typeof v === 'object') {
		if ('length' in v && v.length >= 3) return [v[0], v[1], v[2]] as [number, number, number];
		if ('x' in v && 'y' in v && 'z' in v) return [v.x, v.y, v.z];
	}
	throw new PleachError('wrong-type', `${what} is not a vector: pass [x, y, z] or { x, y, z }`);
}

/** Three numbers: an array, or an object with x, y and z, as the vectors of most libraries. */
export type Vec3Like =
	| readonly [number, number, number]
	| Float32Array
	| { readonly x: number; readonly y: number; readonly z: number };

/** Returns four numbers of a quaternion, or throws. */
export function toQuat(q: QuatLike, what: string): [number, number, number, number] {
	if (q !== null && typeof q === 'object') {
		if ('length' in q && q.length >= 4) {
			return [q[0], q[1], q[2], q[3]] as [number, number, number, number];
		}
		if ('x' in q && 'w' in q) return [q.x, q.y, q.z, q.w];
	}
	throw new PleachError('wrong-type', `${what} is not a quaternion: pass [x, y, z, w] or { x, y, z, w }`);
}

/** A rotation: an array, or an object with x, y, z and w. */
export type QuatLike =
	| readonly [number, number, number, number]
	| Float32Array
	| { readonly x: number; readonly y: number; readonly z: number; readonly w: number };
