/**
 * What nodes of a saved file have that nodes of pleach have not: extras, and other directions of lights. The text is edited in their
 * places, so that everything else stays byte for byte.
 */
import type { SavedGltf } from '../gltf.js';
import type { SceneNode } from '../node.js';
import type { Scene } from '../scene.js';
import { elements, members, type Span, skipSpace, withMembers } from './json-spans.js';
import type { Turn } from './lights.js';

interface JsonNode {
	readonly name?: string;
	readonly children?: readonly number[];
	readonly matrix?: readonly number[];
	readonly extensions?: { readonly [LIGHTS]?: { readonly light: number } };
}

interface Json {
	readonly scenes?: readonly { readonly nodes?: readonly number[] }[];
	readonly nodes?: readonly JsonNode[];
}

const LIGHTS = 'KHR_lights_punctual';

/** What is different in the file. */
export interface NodeEdit {
	/** The extras, as JSON; `{}` for none. */
	extras?: string;
	turn?: Turn;
}

/**
 * Returns the file with other nodes. Scenes and file have the same trees, which is how nodes are found; `missed` gets nodes that are not in
 * the file.
 */
export function withEdits(
	saved: SavedGltf,
	edits: ReadonlyMap<SceneNode, NodeEdit>,
	scenes: readonly Scene[],
	missed: (node: SceneNode, edit: NodeEdit) => void,
): SavedGltf {
	if (edits.size === 0) return saved;
	const { bytes } = saved;
	const isBinary = bytes[0] === 0x67 && bytes[1] === 0x6c && bytes[2] === 0x54 && bytes[3] === 0x46;
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const [start, end] = isBinary ? [20, 20 + view.getUint32(12, true)] : [0, bytes.length];
	const text = new TextDecoder().decode(bytes.subarray(start, end));
	const json = JSON.parse(text) as Json;
	const indices = indicesOf(json, scenes);
	const byIndex = new Map<number, NodeEdit>();
	for (const [node, edit] of edits) {
		const index = indices.get(node);
		if (index === undefined) missed(node, edit);
		else byIndex.set(index, edit);
	}
	const edited = new TextEncoder().encode(apply(text, json, byIndex));
	return { ...saved, bytes: isBinary ? binary(bytes, end, edited) : edited };
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

/** Applies edits, by the index of their node, to the text of a file. */
function apply(text: string, json: Json, edits: ReadonlyMap<number, NodeEdit>): string {
	const nodes = members(text, skipSpace(text, 0)).get('nodes');
	if (nodes === undefined) return text;
	const added: string[] = [];
	const spans = elements(text, nodes.start);
	let result = '';
	let at = 0;
	spans.forEach((span, index) => {
		const edit = edits.get(index);
		if (edit === undefined) return;
		// By name; `null` removes a member.
		const values = new Map<string, string | null>();
		if (edit.extras !== undefined) values.set('extras', edit.extras === '{}' ? null : edit.extras);
		if (edit.turn !== undefined) {
			const below = turn(edit.turn, text, span, json.nodes?.[index] ?? {}, spans.length + added.length, values);
			if (below !== null) added.push(below);
		}
		result += text.slice(at, span.start) + withMembers(text, span, values);
		at = span.end;
	});
	const end = nodes.end - 1;
	return result + text.slice(at, end) + added.map((node) => `,${node}`).join('') + text.slice(end);
}

/**
 * Turns a light: with its node if nothing else turns with it. If something does, with a node below it, which gets the light and the
 * number `next`, and is returned.
 */
function turn(
	{ own, below }: Turn,
	text: string,
	span: Span,
	{ name, children = [], matrix, extensions }: JsonNode,
	next: number,
	values: Map<string, string | null>,
): string | null {
	const light = extensions?.[LIGHTS];
	if (light === undefined) return null;
	if (own !== null && children.length === 0 && matrix === undefined) {
		values.set('rotation', JSON.stringify(own.toArray()));
		return null;
	}
	const others = members(text, span.start).get('extensions') as Span;
	const isOnly = members(text, others.start).size === 1;
	values.set('extensions', isOnly ? null : withMembers(text, others, new Map([[LIGHTS, null]])));
	values.set('children', JSON.stringify([...children, next]));
	const named = name === undefined ? {} : { name: `${name} light` };
	return JSON.stringify({ ...named, rotation: below.toArray(), extensions: { [LIGHTS]: light } });
}
