/**
 * Extras of nodes in a saved file: its text is edited in their places, so that everything else stays byte for byte.
 */
import type { SavedGltf } from '../gltf.js';
import type { SceneNode } from '../node.js';
import type { Scene } from '../scene.js';

interface Json {
	readonly scenes?: readonly { readonly nodes?: readonly number[] }[];
	readonly nodes?: readonly { readonly children?: readonly number[] }[];
}

/**
 * Returns the file with other extras. Scenes and file have the same trees, which is how nodes are found; `missed` gets nodes that are not in
 * the file.
 */
export function withExtras(
	saved: SavedGltf,
	extras: ReadonlyMap<SceneNode, string>,
	scenes: readonly Scene[],
	missed: (node: SceneNode) => void,
): SavedGltf {
	if (extras.size === 0) return saved;
	const { bytes } = saved;
	const isBinary = bytes[0] === 0x67 && bytes[1] === 0x6c && bytes[2] === 0x54 && bytes[3] === 0x46;
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const [start, end] = isBinary ? [20, 20 + view.getUint32(12, true)] : [0, bytes.length];
	const text = new TextDecoder().decode(bytes.subarray(start, end));
	const indices = indicesOf(JSON.parse(text) as Json, scenes);
	const edits = new Map<number, string>();
	for (const [node, value] of extras) {
		const index = indices.get(node);
		if (index === undefined) missed(node);
		else edits.set(index, value);
	}
	const json = new TextEncoder().encode(edit(text, edits));
	return { ...saved, bytes: isBinary ? binary(bytes, end, json) : json };
}

/** Returns the index in the file of each node below the roots. */
function indicesOf(json: Json, scenes: readonly Scene[]): Map<SceneNode, number> {
	const indices = new Map<SceneNode, number>();
	const walk = (nodes: readonly SceneNode[], list: readonly number[] | undefined) => {
		// A difference means that the tree of the file is another one.
		if (list?.length !== nodes.length) return;
		nodes.forEach((node, i) => {
			const index = list[i] as number;
			indices.set(node, index);
			walk(node.children, json.nodes?.[index]?.children ?? []);
		});
	};
	scenes.forEach((scene, i) => {
		walk(scene.root.children, json.scenes?.[i]?.nodes ?? []);
	});
	return indices;
}

/** Replaces the JSON of a binary file, whose text ends at `end`. */
function binary(bytes: Uint8Array, end: number, json: Uint8Array): Uint8Array<ArrayBuffer> {
	const length = Math.ceil(json.length / 4) * 4;
	const rest = bytes.subarray(end);
	const result = new Uint8Array(20 + length + rest.length);
	result.set(bytes.subarray(0, 20));
	result.fill(0x20, 20, 20 + length);
	result.set(json, 20);
	result.set(rest, 20 + length);
	const view = new DataView(result.buffer);
	view.setUint32(8, result.length, true);
	view.setUint32(12, length, true);
	return result;
}

/** Replaces the extras of nodes, by index, in the text of a file. `{}` removes them. */
function edit(text: string, edits: ReadonlyMap<number, string>): string {
	const nodes = members(text, skipSpace(text, 0)).get('nodes');
	if (nodes === undefined) return text;
	const replacements: [start: number, end: number, value: string][] = [];
	elements(text, nodes.start).forEach(({ start, end }, index) => {
		const value = edits.get(index);
		if (value === undefined) return;
		const known = members(text, start);
		const extras = known.get('extras');
		if (extras !== undefined && value !== '{}') replacements.push([extras.start, extras.end, value]);
		else if (extras !== undefined) replacements.push([...without(text, extras.key, extras.end), '']);
		else if (value !== '{}') replacements.push([end - 1, end - 1, `${known.size > 0 ? ',' : ''}"extras":${value}`]);
	});
	let result = text;
	for (const [start, end, value] of replacements.reverse()) result = result.slice(0, start) + value + result.slice(end);
	return result;
}

/** Returns the range of a member with one of the commas beside it. */
function without(text: string, start: number, end: number): [start: number, end: number] {
	const after = skipSpace(text, end);
	if (text[after] === ',') return [start, skipSpace(text, after + 1)];
	const before = text.slice(0, start).trimEnd();
	return [before.endsWith(',') ? before.length - 1 : start, end];
}

// Positions in a text that is valid JSON.

interface Span {
	readonly start: number;
	readonly end: number;
}

function skipSpace(text: string, at: number): number {
	let end = at;
	while (' \t\n\r'.includes(text[end] ?? '-')) end++;
	return end;
}

/** Returns the end of the value that starts at a position. */
function endOf(text: string, start: number): number {
	let depth = 0;
	let at = start;
	do {
		const character = text[at];
		if (character === '"') {
			at++;
			while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
		} else if (character === '{' || character === '[') depth++;
		else if (character === '}' || character === ']') depth--;
		else if (depth === 0) {
			while (!',]} \t\n\r'.includes(text[at + 1] ?? ',')) at++;
		}
		at++;
	} while (depth > 0);
	return at;
}

/** Returns the members of the object that starts at a position. */
function members(text: string, start: number): Map<string, Span & { readonly key: number }> {
	const found = new Map<string, Span & { readonly key: number }>();
	let at = skipSpace(text, start + 1);
	while (text[at] !== '}') {
		const key = at;
		const keyEnd = endOf(text, key);
		const value = skipSpace(text, skipSpace(text, keyEnd) + 1);
		const end = endOf(text, value);
		found.set(JSON.parse(text.slice(key, keyEnd)) as string, { key, start: value, end });
		at = skipSpace(text, end);
		if (text[at] === ',') at = skipSpace(text, at + 1);
	}
	return found;
}

/** Returns the elements of the array that starts at a position. */
function elements(text: string, start: number): Span[] {
	const found: Span[] = [];
	let at = skipSpace(text, start + 1);
	while (text[at] !== ']') {
		const end = endOf(text, at);
		found.push({ start: at, end });
		at = skipSpace(text, end);
		if (text[at] === ',') at = skipSpace(text, at + 1);
	}
	return found;
}
