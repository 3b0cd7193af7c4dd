/**
 * Loading of the module: once, from a URL, bytes or a compiled module.
 */
import { PleachError } from './errors.js';
import { type Glue, install, type Raw } from './runtime.js';

/** What the module is loaded from. */
export type InitSource = string | URL | Response | Promise<Response> | BufferSource | WebAssembly.Module;

/** What an entry knows of its module. */
export interface Binary {
	readonly name: string;
	/** Where the module is, with or without SIMD instructions. */
	readonly url: (simd: boolean) => URL;
	readonly glue: Glue;
	readonly instantiate: (module: WebAssembly.Module) => Raw;
}

let loaded: Binary | null = null;
let loading: { binary: Binary; done: Promise<void> } | null = null;

/** Returns the functions that load a binary. */
export function loader(binary: Binary): {
	init: (source?: InitSource) => Promise<void>;
	initSync: (source: BufferSource | WebAssembly.Module) => void;
} {
	const install_ = (module: WebAssembly.Module) => {
		install(binary.instantiate(module), binary.glue);
		loaded = binary;
	};
	const init = (source?: InitSource): Promise<void> => {
		refuseOther(binary, loading?.binary ?? loaded);
		if (loaded !== null) return Promise.resolve();
		if (loading === null) {
			const done = compile(source ?? binary.url(hasSimd())).then(
				(module) => {
					install_(module);
					loading = null;
				},
				(error: unknown) => {
					loading = null;
					throw error;
				},
			);
			loading = { binary, done };
		}
		return loading.done;
	};
	const initSync = (source: BufferSource | WebAssembly.Module): void => {
		refuseOther(binary, loaded);
		if (loaded !== null) return;
		try {
			install_(source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source));
		} catch (cause) {
			throw failure('the bytes', cause);
		}
	};
	return { init, initSync };
}

function refuseOther(binary: Binary, other: Binary | null): void {
	if (other !== null && other !== binary) {
		throw new PleachError(
			'already-initialized',
			`the module '${other.name}' of pleach is loaded already, and '${binary.name}' is another: use one entry in a program`,
		);
	}
}

/** The smallest module with a vector instruction. */
const SIMD_PROBE = new Uint8Array([
	0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

function hasSimd(): boolean {
	return WebAssembly.validate(SIMD_PROBE);
}

async function compile(source: InitSource): Promise<WebAssembly.Module> {
	if (source instanceof WebAssembly.Module) return source;
	if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
		return WebAssembly.compile(source as BufferSource).catch((cause: unknown) => {
			throw failure('the bytes', cause);
		});
	}
	const from = source instanceof URL || typeof source === 'string' ? String(source) : 'the response';
	let response: Response;
	try {
		response = await (source instanceof URL || typeof source === 'string' ? fetch(source) : source);
	} catch (cause) {
		throw failure(from, cause);
	}
	if (!response.ok) {
		throw new PleachError('load-failed', `${response.url || from} answered with status ${response.status}`);
	}
	const bytes = await response.arrayBuffer();
	const start = new Uint8Array(bytes, 0, Math.min(4, bytes.byteLength));
	if (start[0] === 0x3c) {
		throw new PleachError(
			'load-failed',
			`${response.url || from} is a page, not a WebAssembly module. With the development server of Vite, set ` +
				"`optimizeDeps: { exclude: ['pleach'] }`, or `import url from 'pleach/wasm?url'` and `init(url)`, or import 'pleach/inline'",
		);
	}
	return WebAssembly.compile(bytes).catch((cause: unknown) => {
		throw failure(response.url || from, cause);
	});
}

function failure(from: string, cause: unknown): PleachError {
	if (cause instanceof PleachError) return cause;
	const reason = cause instanceof Error ? cause.message : String(cause);
	const policy = /unsafe-eval|Content Security Policy/i.test(reason)
		? ". The page's content security policy forbids WebAssembly: add 'wasm-unsafe-eval' to script-src"
		: '';
	return new PleachError('load-failed', `the WebAssembly module could not be loaded from ${from}: ${reason}${policy}`, {
		cause,
	});
}
