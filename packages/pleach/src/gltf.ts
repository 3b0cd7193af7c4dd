/**
 * glTF: loading, and saving without loss.
 */
import { Clip } from './animation.js';
import { toList, toObject, toText } from './arguments.js';
import { PleachError } from './errors.js';
import type { UpAxis } from './graph.js';
import { Material, type Texture, TextureImage } from './materials.js';
import type { SceneNode } from './node.js';
import { Owned } from './owned.js';
import { attached, expectAttached, glue, raw } from './runtime.js';
import { type Bytes, findClip, Scene } from './scene.js';

/** Something about a file that was tolerated, or that could not be saved. */
export interface Warning {
	/** The JSON pointer into the file; '' for the whole. */
	readonly pointer: string;
	/** For programs. */
	readonly code: string;
	readonly message: string;
}

/** How far loading is. */
export interface Progress {
	/** 'download': bytes of the file; 'files': files beside it; 'load': 0 of 1, and 1 of 1. */
	readonly stage: 'download' | 'files' | 'load';
	readonly done: number;
	/** 0 if it is not known. */
	readonly total: number;
}

/** How a file is loaded. */
export interface LoadOptions {
	/** Reads a file beside the model. By default, files are fetched relative to its URL. */
	resolve?: (uri: string, signal?: AbortSignal) => Promise<ArrayBuffer | Uint8Array>;
	/** Aborts between the stages; the promise rejects with `signal.reason`. */
	signal?: AbortSignal;
	onProgress?: (progress: Progress) => void;
	/** 'z' (default): a node above the roots turns the file's Y to Z. 'y': nothing is turned. */
	up?: UpAxis;
	/** `true`: what would be a warning is an error. */
	strict?: boolean;
	/** `true`: no limits on the memory that a small file can ask for. */
	trust?: boolean;
}

/** What a file is loaded from. */
export type GltfSource = string | URL | Blob | BufferSource;

type Resolve = (uri: string, signal?: AbortSignal) => Promise<Uint8Array>;

/** @internal Reads `file:` URLs and paths, where the platform has files. */
export const platform: { readFile: ((source: string | URL) => Promise<Uint8Array>) | null } = { readFile: null };

/** The URL that relative sources are relative to. */
function baseUrl(): string | undefined {
	return typeof document === 'object'
		? document.baseURI
		: (globalThis as { location?: { href?: string } }).location?.href;
}

function absolute(source: string | URL): URL | null {
	if (source instanceof URL) return source;
	try {
		return new URL(source, baseUrl());
	} catch {
		return null;
	}
}

async function download(
	source: string | URL,
	signal: AbortSignal | undefined,
	onBytes?: (done: number, total: number) => void,
): Promise<Uint8Array> {
	const url = absolute(source);
	if (platform.readFile !== null && (url === null || url.protocol === 'file:')) {
		try {
			return await platform.readFile(url ?? source);
		} catch (cause) {
			throw new PleachError('network', `${source} cannot be read: ${reasonOf(cause)}`, { cause });
		}
	}
	let response: Response;
	try {
		response = await fetch(url ?? source, signal === undefined ? {} : { signal });
		if (!response.ok) throw new Error(`the server answered with status ${response.status}`);
		if (onBytes === undefined || response.body === null) return new Uint8Array(await response.arrayBuffer());
		// The length of an encoded body is that before it is decoded, and bytes are counted after that. Another server's header
		// may be hidden: the length is then not known when more has arrived.
		const isEncoded = (response.headers.get('content-encoding') ?? 'identity') !== 'identity';
		const total = isEncoded ? 0 : Number(response.headers.get('content-length') ?? 0);
		const chunks: Uint8Array[] = [];
		let done = 0;
		const reader = response.body.getReader();
		for (let part = await reader.read(); !part.done; part = await reader.read()) {
			chunks.push(part.value);
			done += part.value.length;
			onBytes(done, done > total ? 0 : total);
		}
		const bytes = new Uint8Array(done);
		let at = 0;
		for (const chunk of chunks) {
			bytes.set(chunk, at);
			at += chunk.length;
		}
		return bytes;
	} catch (cause) {
		if (signal?.aborted === true) throw signal.reason;
		throw new PleachError('network', `${source} cannot be loaded: ${reasonOf(cause)}`, { cause });
	}
}

function checkSignal(signal: AbortSignal | undefined): void {
	if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') {
		throw new PleachError('wrong-type', 'the signal must be an AbortSignal');
	}
}

function reasonOf(cause: unknown): string {
	return cause instanceof Error ? cause.message : String(cause);
}

function toBytes(source: ArrayBuffer | ArrayBufferView): Uint8Array {
	if (source instanceof ArrayBuffer) {
		expectAttached(source);
		return new Uint8Array(source);
	}
	expectAttached(source.buffer);
	return attached(new Uint8Array(source.buffer as ArrayBuffer, source.byteOffset, source.byteLength));
}

/**
 * Loads a `.glb` or `.gltf` file: from a URL, a file that was dropped, or bytes. Images stay encoded until `bitmap` is called.
 *
 * @throws 'network', `gltf-…` with the JSON pointer of the fault, or `signal.reason`
 *
 * @example
 * ```ts
 * const text = '{ "asset": { "version": "2.0" }, "scenes": [{ "nodes": [0] }], "nodes": [{ "name": "house" }] }';
 * using document = await loadGltf(new TextEncoder().encode(text));
 * assert.equal(document.indexOf(document.scene.find('house')!), 0);
 * ```
 */
export async function loadGltf(source: GltfSource, options: LoadOptions = {}): Promise<GltfDocument> {
	const { signal, onProgress, up = 'z' } = toObject(options, 'the options');
	checkSignal(signal);
	signal?.throwIfAborted();
	if (up !== 'z' && up !== 'y') throw new PleachError('out-of-range', `up is 'z' or 'y', not '${up}'`);
	let bytes: Uint8Array;
	const isUrl = typeof source === 'string' || source instanceof URL;
	if (isUrl) {
		bytes = await download(source, signal, (done, total) => onProgress?.({ stage: 'download', done, total }));
	} else if (typeof Blob === 'function' && source instanceof Blob) {
		bytes = new Uint8Array(await source.arrayBuffer());
	} else if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
		bytes = toBytes(source);
	} else {
		throw new PleachError('wrong-type', 'loadGltf needs a URL, a File or Blob, or bytes');
	}
	signal?.throwIfAborted();
	const resolve = resolver(options, isUrl ? source : null);
	const files = await externalBuffers(bytes, resolve, options);
	signal?.throwIfAborted();
	onProgress?.({ stage: 'load', done: 0, total: 1 });
	const { strict = false, trust = false } = options;
	const number = glue.document_load(bytes, [...files.keys()], [...files.values()], up === 'y', strict, trust);
	onProgress?.({ stage: 'load', done: 1, total: 1 });
	return new GltfDocument(number, up, resolve);
}

function resolver(options: LoadOptions, source: string | URL | null): Resolve | null {
	const { resolve } = options;
	if (resolve !== undefined) {
		return async (uri, signal) => {
			try {
				return toBytes(await resolve(uri, signal));
			} catch (cause) {
				if (signal?.aborted === true) throw signal.reason;
				if (cause instanceof PleachError) throw cause;
				throw new PleachError('network', `'${uri}' cannot be loaded: ${reasonOf(cause)}`, { cause });
			}
		};
	}
	if (source === null) return null;
	const base = absolute(source);
	return (uri, signal) => {
		if (base !== null) return download(new URL(uri, base), signal);
		const path = String(source);
		return download(path.slice(0, path.lastIndexOf('/') + 1) + decodeURIComponent(uri), signal);
	};
}

/** Reads the buffers beside a file, in parallel. */
async function externalBuffers(
	bytes: Uint8Array,
	resolve: Resolve | null,
	options: LoadOptions,
): Promise<Map<string, Uint8Array>> {
	const list = glue.external_files(bytes);
	const buffers: [name: string, uri: string][] = [];
	for (let i = 0; i < list.length; i += 3) {
		if (list[i + 2] === 'buffer') buffers.push([list[i] as string, list[i + 1] as string]);
	}
	const first = buffers[0];
	if (first !== undefined && resolve === null) {
		throw new PleachError(
			'network',
			`the file refers to '${first[1]}', and was loaded from bytes: pass \`resolve\`, which reads the files beside it`,
		);
	}
	let done = 0;
	const { signal, onProgress } = options;
	const read = async ([name, uri]: [string, string]): Promise<[string, Uint8Array]> => {
		const content = await (resolve as Resolve)(uri, signal);
		signal?.throwIfAborted();
		done += 1;
		onProgress?.({ stage: 'files', done, total: buffers.length });
		return [name, content];
	};
	return new Map(await Promise.all(buffers.map(read)));
}

/** A file that was saved. */
export interface SavedGltf {
	/** The `.glb` or `.gltf` file. */
	readonly bytes: Bytes;
	/** The files beside a `.gltf` file, by name. */
	readonly files: Map<string, Bytes>;
	/** What could not be saved. */
	readonly report: readonly Warning[];
}

/**
 * A glTF file: its scenes and clips, and the file itself, so that what is not edited is saved byte for byte.
 * Disposing it disposes its scenes.
 *
 * @example
 * ```ts
 * const text = '{ "asset": { "version": "2.0" }, "scenes": [{ "nodes": [0] }], "nodes": [{ "name": "a", "extras": { "hp": 3 } }] }';
 * using document = await loadGltf(new TextEncoder().encode(text), { up: 'y' });
 * const node = document.scene.find('a')!;
 * assert.deepEqual(document.extras(node), { hp: 3 });
 * assert.equal(new TextDecoder().decode(document.save({ format: 'gltf' }).bytes), text);
 * ```
 */
export class GltfDocument extends Owned {
	/** The file's scenes, to look at and to edit. */
	readonly scenes: readonly Scene[];
	/** The default scene, else the first, else the nodes that no scene lists. */
	readonly scene: Scene;
	/** The nodes that no scene lists, or `null`. */
	readonly unreferencedNodes: Scene | null;
	/** @internal Writes what another library edited to the scenes before they are saved. Returns what then changes the saved file. */
	beforeSave: (() => (saved: SavedGltf) => SavedGltf) | null = null;
	private readonly all: readonly Scene[];
	private readonly clipLists = new Map<Scene, readonly Clip[]>();

	/** @internal */
	constructor(
		private readonly number: number,
		/** Which axis points up in the scenes. */
		readonly up: UpAxis,
		private readonly resolve: Resolve | null,
	) {
		super();
		this.own(() => glue.document_free(number));
		this.all = Array.from(glue.document_worlds(number), (world) => new Scene({ up }, world));
		const count = raw.document_number(number, 0);
		this.scenes = this.all.slice(0, count);
		this.unreferencedNodes = this.all[count] ?? null;
		const chosen = raw.document_number(number, 1);
		this.scene = this.all[Math.max(chosen, 0)] ?? new Scene({ up });
	}

	/** Creates a document of copies of scenes, to save them. Their up axes must be the same. */
	static from(scenes: readonly Scene[]): GltfDocument {
		const up = toList(scenes, 'the scenes')[0]?.up ?? 'z';
		for (const scene of scenes) {
			if (!(scene instanceof Scene)) throw new PleachError('wrong-type', 'a scene is needed to save');
			if (scene.up !== up) throw new PleachError('out-of-range', 'the scenes of a document must have the same up axis');
		}
		const worlds = Uint32Array.from(scenes, (scene) => scene.world);
		return new GltfDocument(glue.document_of_worlds(worlds, up === 'y'), up, null);
	}

	/** The clips, bound to the nodes of `scene`. */
	get clips(): readonly Clip[] {
		return this.clipsOf(this.scene);
	}

	/** Returns the clips, bound to the nodes of one of the scenes. */
	clipsOf(scene: Scene): readonly Clip[] {
		this.check('document');
		const known = this.clipLists.get(scene);
		if (known !== undefined) return known;
		const index = this.indexOfScene(scene);
		const count = index < 0 ? 0 : raw.document_number(this.number, 2);
		const clips = Array.from({ length: count }, (_, clip) => {
			return new Clip(scene, glue.document_clip(this.number, clip, index));
		});
		this.clipLists.set(scene, clips);
		return clips;
	}

	/** Returns the clip with the name, bound to the nodes of `scene`. */
	clip(name: string): Clip {
		return findClip(this.clips, name);
	}

	/** The materials, by index. */
	get materials(): readonly Material[] {
		this.check('document');
		return Array.from(glue.document_materials(this.number), (id) => Material.of(id));
	}

	/** The images, by index. */
	get images(): readonly TextureImage[] {
		this.check('document');
		return Array.from(glue.document_images(this.number), (id) => TextureImage.of(id));
	}

	/** What was tolerated when the file was loaded. */
	get report(): readonly Warning[] {
		this.check('document');
		return toWarnings(glue.document_report(this.number));
	}

	/** Decodes the image of a texture; fetches it first if it is a file beside the model. */
	async bitmap(texture: Texture | TextureImage, signal?: AbortSignal): Promise<ImageBitmap> {
		checkSignal(signal);
		signal?.throwIfAborted();
		const image = texture instanceof TextureImage ? texture : toObject(texture, 'the texture').image;
		if (!(image instanceof TextureImage)) throw new PleachError('wrong-type', 'a texture or an image is needed');
		const { size, uri } = image;
		if (size !== null) {
			const pixels = new Uint8ClampedArray(image.bytes);
			return createImageBitmap(new ImageData(pixels, size[0], size[1]));
		}
		const bytes = uri === '' ? image.bytes : await this.file(uri, signal);
		signal?.throwIfAborted();
		const blob = new Blob([bytes as Uint8Array<ArrayBuffer>], { type: image.mimeType });
		try {
			const bitmap = await createImageBitmap(blob, { premultiplyAlpha: 'none', colorSpaceConversion: 'none' });
			signal?.throwIfAborted();
			return bitmap;
		} catch (cause) {
			if (signal?.aborted === true) throw signal.reason;
			const name = image.name || uri || image.mimeType;
			throw new PleachError('gltf-data', `the image '${name}' cannot be decoded: ${reasonOf(cause)}`, { cause });
		}
	}

	private file(uri: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
		if (this.resolve === null) {
			throw new PleachError(
				'network',
				`the image '${uri}' is beside a file that was loaded from bytes: pass \`resolve\` to \`loadGltf\``,
			);
		}
		return this.resolve(uri, signal);
	}

	/** Returns the extras of a node as they are in the file; `undefined` without any. */
	extras(node: SceneNode): unknown {
		const index = this.indexOf(node);
		const text = index === null ? undefined : this.raw(`/nodes/${index}/extras`);
		return text === undefined ? undefined : JSON.parse(text);
	}

	/** Returns the JSON text at a pointer of the file as it was loaded, or `undefined`. */
	raw(pointer: string): string | undefined {
		this.check('document');
		return glue.document_raw(this.number, toText(pointer, 'the pointer'));
	}

	/** Returns the index of a node in the file, or `null` for nodes that were added. */
	indexOf(node: SceneNode): number | null {
		this.check('document');
		const scene = this.indexOfScene(toObject(node, 'the node').scene as Scene);
		if (scene < 0) {
			throw new PleachError('foreign-node', `node ${node} is not in a scene of this document`, { node });
		}
		const index = raw.document_index_of(this.number, scene, node.id);
		if (Number.isNaN(index)) throw glue.take_fault() as PleachError;
		return index < 0 ? null : index;
	}

	private indexOfScene(scene: Scene): number {
		return this.all.indexOf(scene);
	}

	/**
	 * Saves the file with the scenes as they are now. What was not edited comes back byte for byte.
	 *
	 * @throws 'gltf-unwritable' with the JSON pointer to what glTF cannot express; 'disposed' if a scene of it was disposed
	 */
	save(options?: { format?: 'glb' | 'gltf' }): SavedGltf {
		this.check('document');
		const format = options?.format ?? 'glb';
		if (format !== 'glb' && format !== 'gltf') {
			throw new PleachError('out-of-range', `'${format}' is not a format: use 'glb' or 'gltf'`);
		}
		const afterSave = this.beforeSave?.();
		const saved: unknown = glue.document_save(this.number, format === 'glb');
		const { bytes, names, contents, report } = saved as {
			bytes: Bytes;
			names: string[];
			contents: Bytes[];
			report: string[];
		};
		const files = new Map(names.map((name, i) => [name, contents[i] as Bytes]));
		const result = { bytes, files, report: toWarnings(report) };
		return afterSave === undefined ? result : afterSave(result);
	}

	/** Frees the file and its scenes. */
	override dispose(): void {
		if (this.disposed) return;
		for (const clips of this.clipLists.values()) for (const clip of clips) clip.dispose();
		super.dispose();
		for (const scene of this.all) scene.dispose();
		this.scene.dispose();
	}
}

function toWarnings(texts: readonly string[]): Warning[] {
	return Array.from({ length: texts.length / 3 }, (_, i) => ({
		pointer: texts[i * 3] as string,
		code: texts[i * 3 + 1] as string,
		message: texts[i * 3 + 2] as string,
	}));
}

/**
 * Saves one scene as a new file. (A document that was loaded is saved by `document.save`.)
 *
 * @example
 * ```ts
 * scene.createMesh({ geometry: box(), material: createMaterial({ name: 'wood' }), name: 'crate' });
 * using copy = await loadGltf(saveGltf(scene).bytes);
 * assert.equal(copy.scene.find('crate')?.has('mesh'), true);
 * ```
 */
export function saveGltf(scene: Scene, options?: { format?: 'glb' | 'gltf' }): SavedGltf {
	const document = GltfDocument.from([scene]);
	try {
		return document.save(options);
	} finally {
		document.dispose();
	}
}
