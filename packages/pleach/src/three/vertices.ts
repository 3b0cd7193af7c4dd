/**
 * Vertex data of pleach as geometries of three.js, and back.
 */
import { BufferAttribute, type BufferGeometry, type InterleavedBufferAttribute } from 'three';
import { createGeometry, type Geometry, type GeometryOptions, type Topology } from '../geometries.js';
import type { Drawn } from './surfaces.js';

type Attribute = BufferAttribute | InterleavedBufferAttribute;

/** What a part of a mesh draws, given all parts that share a geometry of three.js. */
export function drawnOf(part: Geometry, all: readonly Geometry[]): Drawn {
	const { topology } = part;
	return {
		as: topology === 'points' ? 'points' : topology.startsWith('line') ? 'lines' : 'triangles',
		hasColors: part.colors.length > 0,
		hasNormals: part.normals.length > 0,
		hasTangents: all.every(({ tangents }) => tangents.length > 0),
	};
}

/** Fills a geometry from parts: their vertices one after the other, with a group for each if there are several. */
export function fill(geometry: BufferGeometry, parts: readonly Geometry[]): void {
	const counts = parts.map((part) => part.positions.length / 3);
	const vertices = counts.reduce((sum, count) => sum + count, 0);
	const collect = (size: number, read: (part: Geometry) => Float32Array | Uint16Array, missing = 0) => {
		const values = new Float32Array(vertices * size).fill(missing);
		let first = 0;
		parts.forEach((part, i) => {
			values.set(read(part), first * size);
			first += counts[i] as number;
		});
		return values;
	};
	const attribute = (name: string, size: number, read: (part: Geometry) => Float32Array, missing = 0) => {
		if (parts.every((part) => read(part).length === 0)) geometry.deleteAttribute(name);
		else geometry.setAttribute(name, new BufferAttribute(collect(size, read, missing), size));
	};
	attribute('position', 3, (part) => part.positions);
	attribute('normal', 3, (part) => part.normals);
	// Where one part has none, all are drawn without: zeros are not tangents.
	if (parts.every(({ tangents }) => tangents.length > 0)) attribute('tangent', 4, (part) => part.tangents);
	else geometry.deleteAttribute('tangent');
	attribute('uv', 2, (part) => part.uvs);
	attribute('uv1', 2, (part) => part.uvs1);
	attribute('color', 4, (part) => part.colors, 1);
	attribute('skinWeight', 4, (part) => part.weights);
	if (geometry.attributes.skinWeight === undefined) geometry.deleteAttribute('skinIndex');
	else geometry.setAttribute('skinIndex', new BufferAttribute(Uint16Array.from(collect(4, (part) => part.joints)), 4));
	const names = parts[0]?.morphTargets ?? [];
	const morphs = (of: 'Positions' | 'Normals') => {
		const has = (part: Geometry, i: number) => i < part.morphTargets.length && part.morphOffsets(i, of).length > 0;
		if (!names.some((_, i) => parts.some((part) => has(part, i)))) return undefined;
		return names.map((name, i) => {
			const none = new Float32Array(0);
			const read = (part: Geometry) => (has(part, i) ? part.morphOffsets(i, of) : none);
			const made = new BufferAttribute(collect(3, read), 3);
			made.name = name;
			return made;
		});
	};
	const [positions, normals] = [morphs('Positions'), morphs('Normals')];
	geometry.morphAttributes = { ...(positions && { position: positions }), ...(normals && { normal: normals }) };
	geometry.morphTargetsRelative = names.length > 0;
	geometry.boundingBox = null;
	geometry.boundingSphere = null;
	index(geometry, parts, counts);
}

function index(geometry: BufferGeometry, parts: readonly Geometry[], counts: readonly number[]): void {
	const all: number[] = [];
	let firstVertex = 0;
	let isIndexed = parts.length > 1;
	geometry.clearGroups();
	parts.forEach((part, i) => {
		const start = all.length;
		const { topology } = part;
		const { indices } = part;
		if (indices !== null || topology === 'triangle-strip' || topology === 'triangle-fan') isIndexed = true;
		const own = indices ?? Uint32Array.from({ length: counts[i] as number }, (_, k) => k);
		for (const corner of corners(own, topology)) all.push(corner + firstVertex);
		if (parts.length > 1) geometry.addGroup(start, all.length - start, i);
		firstVertex += counts[i] as number;
	});
	const array = firstVertex < 65536 ? Uint16Array : Uint32Array;
	geometry.setIndex(isIndexed ? new BufferAttribute(array.from(all), 1) : null);
}

/** Returns the corners of triangles, or those of other topologies as they are. */
function corners(indices: Uint32Array, topology: Topology): number[] {
	if (topology !== 'triangle-strip' && topology !== 'triangle-fan') return [...indices];
	const triangles: number[] = [];
	for (let i = 2; i < indices.length; i++) {
		const isFan = topology === 'triangle-fan';
		const [a, b, c] = [indices[isFan ? 0 : i - 2], indices[i - 1], indices[i]] as [number, number, number];
		// Every second triangle of a strip is turned over.
		if (!isFan && i % 2 === 1) triangles.push(c, b, a);
		else triangles.push(a, b, c);
	}
	return triangles;
}

/** A range of the corners of a geometry that is drawn with one material. */
export interface Range {
	readonly start: number;
	readonly count: number;
}

/** Returns a number that changes when vertex data is marked for upload, or replaced. */
export function stampOf(geometry: BufferGeometry): string {
	const { attributes, morphAttributes, index, drawRange } = geometry;
	const stamp = (attribute: Attribute) =>
		`${idOf(attribute)}.${'data' in attribute ? attribute.data.version : attribute.version}`;
	const all = [...Object.values(attributes), ...Object.values(morphAttributes).flat()] as Attribute[];
	const groups = geometry.groups.map(({ start, count, materialIndex }) => `${start} ${count} ${materialIndex}`);
	return [...all.map(stamp), index === null ? '-' : stamp(index), drawRange.start, drawRange.count, ...groups].join(
		',',
	);
}

const ids = new WeakMap<object, number>();
let nextId = 0;

function idOf(object: object): number {
	let id = ids.get(object);
	if (id === undefined) {
		id = nextId++;
		ids.set(object, id);
	}
	return id;
}

/** Creates the geometry of pleach for a range of one of three.js; only the vertices that the range uses are copied. */
export function toGeometry(
	source: BufferGeometry,
	topology: Topology,
	range: Range | null,
	withSkin: boolean,
): Geometry {
	const { position, normal, tangent, uv, uv1, color, skinIndex, skinWeight } = source.attributes as Record<
		string,
		Attribute
	>;
	if (position === undefined) throw new Error('the geometry has no positions');
	const total = source.index?.count ?? position.count;
	const start = Math.max(range?.start ?? 0, source.drawRange.start, 0);
	const end = Math.min(
		(range?.start ?? 0) + (range?.count ?? Infinity),
		source.drawRange.start + source.drawRange.count,
		total,
	);
	const used = Array.from({ length: Math.max(0, end - start) }, (_, i) => source.index?.getX(start + i) ?? start + i);
	const isWhole = range === null && start === 0 && end === total;
	const vertices = isWhole ? Array.from({ length: position.count }, (_, i) => i) : [...new Set(used)];
	const places = new Map(vertices.map((vertex, i) => [vertex, i]));
	const read = (attribute: Attribute, size: number, missing = 1) => {
		const values = new Float32Array(vertices.length * size).fill(missing);
		vertices.forEach((vertex, i) => {
			for (let k = 0; k < Math.min(size, attribute.itemSize); k++)
				values[i * size + k] = attribute.getComponent(vertex, k);
		});
		return values;
	};
	const offsets = (target: Attribute, base: Attribute | undefined) => {
		const values = read(target, 3);
		if (source.morphTargetsRelative || base === undefined) return values;
		const from = read(base, 3);
		return values.map((value, i) => value - (from[i] as number));
	};
	const { position: targets = [], normal: normalTargets = [] } = source.morphAttributes as Record<string, Attribute[]>;
	const isIndexed = source.index !== null || !isWhole;
	const options: GeometryOptions = {
		topology,
		positions: read(position, 3),
		...(isIndexed && { indices: Uint32Array.from(used, (vertex) => places.get(vertex) as number) }),
		...(normal && { normals: read(normal, 3) }),
		...(tangent && { tangents: read(tangent, 4) }),
		...(uv && { uvs: read(uv, 2) }),
		...(uv && uv1 && { uvs1: read(uv1, 2) }),
		...(color && { colors: read(color, 4) }),
		...(withSkin &&
			skinIndex &&
			skinWeight && { joints: Uint16Array.from(read(skinIndex, 4)), weights: read(skinWeight, 4) }),
		morphTargets: targets.map((target, i) => ({
			name: target.name,
			positions: offsets(target, position),
			...(normalTargets[i] && { normals: offsets(normalTargets[i] as Attribute, normal) }),
		})),
	};
	return createGeometry(options);
}
