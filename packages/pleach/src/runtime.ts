/**
 * The exports of the WebAssembly module, shared by all entries.
 *
 * Invariant: `raw`, `guarded` and `glue` are the exports of one module, or stand-ins that throw: before `init`, and after
 * a panic or trap. Calls therefore need no check of their own.
 */
import type * as PleachGlue from '../generated/pleach.js';
import { PleachError, type PleachErrorCode } from './errors.js';
import type { Graph } from './graph.js';
import type { SceneNode } from './node.js';

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

/** Exports that allocate, or compute for longer: a trap in them is reported. The others cost less than the check. */
const GUARDED = [
	'add',
	'changed',
	'history_return_to',
	'mixer_update',
	'nearest',
	'pick',
	'query_box',
	'query_sphere',
	'ranges',
	'reader_read',
	'removed',
	'render_list_build',
	'scratch',
	'spawn_camera',
	'spawn_light',
	'spawn_mesh',
	'update',
	'view_matrices',
	'visible_meshes',
	'world_reserve',
] as const satisfies readonly (keyof Raw)[];
type Guarded = Pick<Raw, (typeof GUARDED)[number]>;

export let raw: Raw = unavailable(notInitialized);
/** A few of `raw`, which report a trap. */
export let guarded: Guarded = unavailable(notInitialized);
export let glue: Glue = unavailable(notInitialized);

const graphs = new Map<number, WeakRef<Graph>>();

/** Makes the nodes of errors about this world known. */
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
		wrapped[name] = typeof value === 'function' ? converting(value as AnyFunction) : value;
	}
	functions.set_host(makeError, onPanic);
	raw = exports;
	// The small module has not all of them.
	const heavy = GUARDED.filter((name) => name in exports);
	guarded = Object.fromEntries(heavy.map((name) => [name, guard(exports[name])])) as unknown as Guarded;
	glue = wrapped as unknown as Glue;
	numberView = new Float32Array(0);
}

type AnyFunction = (...args: unknown[]) => unknown;

/** Arguments of fewer bytes are copied without a question: their memory is missing only if all else fails, too. */
const MANY_BYTES = 1 << 22;

/** Returns a function that copies arrays which its own copies would detach, and reports missing memory and traps. */
function converting(f: AnyFunction): AnyFunction {
	if (f.length > 4) return (...args) => convert(f, args);
	// Without rest parameters and lists, which are objects for each call: bulk setters make no garbage.
	return (a, b, c, d) => {
		const w = toAttached(a);
		const x = toAttached(b);
		const y = toAttached(c);
		const z = toAttached(d);
		expectMemory(bytesOf(w) + bytesOf(x) + bytesOf(y) + bytesOf(z));
		try {
			return f(w, x, y, z);
		} catch (error) {
			throw reported(error);
		}
	};
}

function convert(f: AnyFunction, args: readonly unknown[]): unknown {
	const copies = args.map(toAttached);
	expectMemory(copies.reduce((sum: number, value) => sum + bytesOf(value), 0));
	try {
		return f(...copies);
	} catch (error) {
		throw reported(error);
	}
}

function toAttached(value: unknown): unknown {
	return ArrayBuffer.isView(value) ? attached(value as Float32Array) : value;
}

/** Returns how many bytes an argument takes in the module's memory, at most. */
function bytesOf(value: unknown): number {
	if (ArrayBuffer.isView(value)) return value.byteLength;
	return typeof value === 'string' ? value.length * 3 : 0;
}

function expectMemory(bytes: number): void {
	if (bytes <= MANY_BYTES || raw.has_memory(bytes) !== 0) return;
	throw new PleachError('out-of-memory', `there is no memory for ${bytes} bytes of arguments; pass fewer at a time`);
}

function guard<F extends (...args: never[]) => number>(f: F): F {
	return ((...args: never[]) => {
		try {
			return f(...args);
		} catch (error) {
			throw reported(error);
		}
	}) as F;
}

/** Returns the array, or a copy of a view of the module's memory: that view would be detached when the memory grows. */
export function attached<T extends { readonly length: number; readonly buffer: ArrayBufferLike; slice(): T }>(
	array: T,
): T {
	if (array.length === 0) expectAttached(array.buffer);
	return array.buffer === raw.memory.buffer ? array.slice() : array;
}

/** Throws if the buffer was transferred, or was the module's memory before it grew. */
export function expectAttached(buffer: ArrayBufferLike): void {
	if (buffer.byteLength > 0) return;
	try {
		new Uint8Array(buffer);
	} catch (cause) {
		throw new PleachError(
			'wrong-length',
			'an array is empty: its buffer was transferred, or it was a view that a call detached when the memory grew; ' +
				'fetch such a view again where you use it',
			{ cause },
		);
	}
}

function makeError(
	code: PleachErrorCode,
	message: string,
	node?: number,
	index?: number,
	pointer?: string,
	world?: number,
): PleachError {
	const details: { node?: SceneNode; index?: number; pointer?: string } = {};
	const graph = node === undefined || world === undefined ? undefined : graphs.get(world)?.deref();
	if (graph !== undefined) details.node = graph.wrap(node as number);
	if (index !== undefined) details.index = index;
	if (pointer !== undefined) details.pointer = pointer;
	return new PleachError(code, message, details);
}

/** Returns what to throw for an error of the module. After a trap, no call can go on. */
function reported(error: unknown): unknown {
	if (!(error instanceof WebAssembly.RuntimeError)) return error;
	return stop(`pleach stopped: ${error.message}. Its memory is used up, or there is a bug in it`, error);
}

function onPanic(message: string): never {
	throw stop(`pleach stopped because of a bug in it: ${message}. Please report it`);
}

/** Replaces the exports by stand-ins that throw the error, and returns it. */
function stop(message: string, cause?: unknown): PleachError {
	const first = () => new PleachError('panicked', `${message}; load the page again to go on`, { cause });
	raw = unavailable(first);
	guarded = unavailable(first);
	glue = unavailable(first);
	return first();
}

/** Throws the error of the last call that returned a status other than 0, or NaN. */
export function throwFault(): never {
	const error: unknown = glue.take_fault();
	if (error instanceof PleachError) throw error;
	throw new PleachError('internal', 'a call failed without a reason; please report it');
}

/** Returns the number, or throws if it is NaN. */
export function checked(_graph: Graph, value: number): number {
	if (Number.isNaN(value)) throwFault();
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
