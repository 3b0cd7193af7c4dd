/**
 * Geometries: vertex data, and shapes.
 */
import { checkedCount, checkType, floats, toFloats, toList, toObject, toText, toVec3 } from './arguments.js';
import { Asset } from './asset.js';
import { PleachError } from './errors.js';
import type { UpAxis } from './graph.js';
import { checkedId } from './materials.js';
import { glue, numbers, raw } from './runtime.js';

/** What the vertices form. */
export type Topology =
	| 'points'
	| 'lines'
	| 'line-loop'
	| 'line-strip'
	| 'triangles'
	| 'triangle-strip'
	| 'triangle-fan';
const TOPOLOGIES: readonly Topology[] = [
	'points',
	'lines',
	'line-loop',
	'line-strip',
	'triangles',
	'triangle-strip',
	'triangle-fan',
];

/** Numbers that are copied into a geometry. */
export type FloatArray = Float32Array | readonly number[];
/** Indices that are copied into a geometry. */
export type IndexArray = Uint32Array | Uint16Array | Uint8Array | readonly number[];

/** What a geometry is created from. The arrays are copied. */
export interface GeometryOptions {
	/** 3 floats per vertex. */
	positions: FloatArray;
	/** Corners of the triangles; without them, the vertices in order. */
	indices?: IndexArray;
	/** 3 floats per vertex; 'smooth' computes them. */
	normals?: FloatArray | 'smooth';
	/** 2 floats per vertex, (0, 0) at the upper left. */
	uvs?: FloatArray;
	/** A second set of texture coordinates. */
	uvs1?: FloatArray;
	/** 4 floats per vertex, linear. */
	colors?: FloatArray;
	/** 4 floats per vertex. */
	tangents?: FloatArray;
	/** 4 joints per vertex, which are positions in the skin. */
	joints?: Uint16Array | readonly number[];
	/** 4 weights per vertex. */
	weights?: FloatArray;
	/** Per triangle: a position in the palette of the mesh. */
	faceMaterials?: IndexArray;
	/** Offsets of the vertices: 3 floats each. */
	morphTargets?: readonly { name?: string; positions: FloatArray; normals?: FloatArray }[];
	/** 'triangles' by default. */
	topology?: Topology;
}

/** Returns indices as whole numbers of at most `most`, or throws. */
function toWhole(values: ArrayLike<number>, most: number, what: string): ArrayLike<number> {
	const list = toObject(values, what);
	for (let i = 0; i < list.length; i++) {
		const value = list[i] as number;
		if (Number.isInteger(value) && value >= 0 && value <= most) continue;
		throw new PleachError('out-of-range', `${what}[${i}] must be a whole number from 0 to ${most}, not ${value}`, {
			index: i,
		});
	}
	return list;
}

function optionalFloats(values: FloatArray | undefined, what: string): Float32Array | undefined {
	return values === undefined ? undefined : toFloats(values, what);
}

function toIndices(values: IndexArray | undefined, what: string): Uint32Array | undefined {
	if (values === undefined || values instanceof Uint32Array) return values;
	const isArray = Array.isArray(values) || values instanceof Uint16Array || values instanceof Uint8Array;
	if (isArray) return Uint32Array.from(toWhole(values, 0xffffffff, what));
	throw new PleachError('wrong-type', `${what} must be a Uint32Array, a Uint16Array or an array of numbers`);
}

function toJoints(values: Uint16Array | readonly number[] | undefined): Uint16Array | undefined {
	if (values === undefined || values instanceof Uint16Array) return values;
	return Uint16Array.from(toWhole(values, 0xffff, 'the joints'));
}

/**
 * Vertex data, shared by everything that uses it. Getters are views of WebAssembly's memory, **valid until the next method call**;
 * setters copy, and update bounds and picking.
 *
 * @example
 * ```ts
 * const triangle = createGeometry({ positions: [0, 0, 0, 1, 0, 0, 0, 1, 0] });
 * const version = triangle.version;
 * triangle.setPositions(new Float32Array([0, 2, 0]), 2);
 * assert.equal(triangle.version, version + 1);
 * assert.deepEqual([...triangle.bounds], [0, 0, 0, 1, 2, 0]);
 * ```
 */
export class Geometry extends Asset {
	/** @internal */
	static of(id: number): Geometry {
		return Asset.wrap(id, Geometry);
	}

	/** Minimum and maximum: 6 floats. */
	get bounds(): Float32Array {
		if (raw.geometry_bounds(this.liveId) !== 0) throw glue.take_fault() as PleachError;
		return numbers().slice(0, 6);
	}

	/** What the vertices form. */
	get topology(): Topology {
		return TOPOLOGIES[checkedId(raw.geometry_topology(this.liveId))] as Topology;
	}

	/** 3 floats per vertex. */
	get positions(): Float32Array {
		return this.floats('positions');
	}
	set positions(values: FloatArray) {
		this.write('positions', values);
	}

	/** Replaces the positions from a vertex on. */
	setPositions(values: Float32Array, firstVertex = 0): this {
		checkType(values, Float32Array, 'the positions');
		this.write('positions', values, checkedCount(firstVertex, 'the first vertex'));
		return this;
	}

	/** 3 floats per vertex; empty without normals. */
	get normals(): Float32Array {
		return this.floats('normals');
	}
	set normals(values: FloatArray) {
		this.write('normals', values);
	}

	/** 4 floats per vertex; empty without tangents. */
	get tangents(): Float32Array {
		return this.floats('tangents');
	}
	set tangents(values: FloatArray) {
		this.write('tangents', values);
	}

	/** Texture coordinates: 2 floats per vertex; empty without any. */
	get uvs(): Float32Array {
		return this.floats('uvs');
	}
	set uvs(values: FloatArray) {
		this.write('uvs', values);
	}

	/** The second set of texture coordinates: 2 floats per vertex; empty without any. */
	get uvs1(): Float32Array {
		return this.floats('uvs1');
	}
	set uvs1(values: FloatArray) {
		this.write('uvs1', values);
	}

	/** Colours: 4 floats per vertex; empty without any. */
	get colors(): Float32Array {
		return this.floats('colors');
	}
	set colors(values: FloatArray) {
		this.write('colors', values);
	}

	/** Corners of the triangles; `null` if the vertices are used in order. */
	get indices(): Uint32Array | null {
		const length = glue.geometry_length(this.liveId, 'indices');
		if (length === 0) return null;
		return new Uint32Array(raw.memory.buffer, glue.geometry_address(this.liveId, 'indices') >>> 0, length);
	}
	set indices(values: IndexArray | null) {
		glue.geometry_set_indices(this.liveId, toIndices(values ?? undefined, 'the indices'));
	}

	/** 4 joints per vertex; empty without any. */
	get joints(): Uint16Array {
		const length = glue.geometry_length(this.liveId, 'joints');
		const address = glue.geometry_address(this.liveId, 'joints') >>> 0;
		return new Uint16Array(raw.memory.buffer, length === 0 ? 0 : address, length);
	}

	/** 4 weights per vertex; empty without any. */
	get weights(): Float32Array {
		return this.floats('weights');
	}

	/** Per triangle: a position in the palette of the mesh; empty without any. */
	get faceMaterials(): Uint32Array {
		const length = glue.geometry_length(this.liveId, 'faceMaterials');
		const address = glue.geometry_address(this.liveId, 'faceMaterials') >>> 0;
		return new Uint32Array(raw.memory.buffer, length === 0 ? 0 : address, length);
	}
	set faceMaterials(values: IndexArray) {
		glue.geometry_set_face_materials(this.liveId, toIndices(values, 'the face materials') ?? new Uint32Array(0));
	}

	/** The names of the morph targets; '' for those without one. */
	get morphTargets(): readonly string[] {
		return glue.geometry_morph_targets(this.liveId);
	}

	/** @internal The offsets of a morph target, 3 floats per vertex; empty if it has none. */
	morphOffsets(target: number, of: 'Positions' | 'Normals'): Float32Array {
		return this.floats(`morph${of} ${target}`);
	}

	/** Adds a morph target: offsets of the positions, and of the normals. */
	addMorphTarget(target: { name?: string; positions: FloatArray; normals?: FloatArray }): this {
		const positions = toFloats(toObject(target, 'a morph target').positions, 'the positions of a morph target');
		const normals = optionalFloats(target.normals, 'the normals of a morph target');
		glue.geometry_add_morph_target(this.liveId, toText(target.name ?? '', 'the name'), positions, normals);
		return this;
	}

	/** Computes smooth normals from the triangles. */
	computeNormals(): this {
		glue.geometry_compute_normals(this.liveId);
		return this;
	}

	/** Returns a copy, which can be changed on its own. */
	clone(): Geometry {
		return Geometry.of(checkedId(raw.asset_fork(this.liveId)));
	}

	private floats(name: string): Float32Array {
		const length = glue.geometry_length(this.liveId, name);
		const address = glue.geometry_address(this.liveId, name) >>> 0;
		return new Float32Array(raw.memory.buffer, length === 0 ? 0 : address, length);
	}

	private write(name: string, values: FloatArray, first?: number): void {
		glue.geometry_set(this.liveId, name, toFloats(values, `the ${name}`), first);
	}
}

/**
 * Creates a geometry from arrays.
 *
 * @throws 'wrong-length', 'not-finite' and 'geometry' (an index out of range) with the position in the array
 *
 * @example
 * ```ts
 * const quad = createGeometry({
 *   positions: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0],
 *   indices: [0, 1, 2, 0, 2, 3],
 *   normals: 'smooth',
 * });
 * assert.deepEqual([...quad.normals.slice(0, 3)], [0, 0, 1]);
 * ```
 */
export function createGeometry(options: GeometryOptions): Geometry {
	toObject(options, 'the options of a geometry');
	const topology = options.topology ?? 'triangles';
	const number = TOPOLOGIES.indexOf(topology);
	if (number < 0) {
		throw new PleachError('out-of-range', `'${topology}' is not a topology: use one of ${TOPOLOGIES.join(', ')}`);
	}
	const { positions } = options;
	if (positions === undefined) throw new PleachError('wrong-type', 'a geometry needs positions: pass { positions }');
	const id = glue.geometry_new(
		number,
		toFloats(positions, 'the positions'),
		toIndices(options.indices, 'the indices'),
		options.normals === 'smooth' ? undefined : optionalFloats(options.normals, 'the normals'),
		optionalFloats(options.uvs, 'the uvs'),
		optionalFloats(options.uvs1, 'the uvs1'),
		optionalFloats(options.colors, 'the colors'),
		optionalFloats(options.tangents, 'the tangents'),
		toJoints(options.joints),
		optionalFloats(options.weights, 'the weights'),
		toIndices(options.faceMaterials, 'the face materials'),
	);
	const geometry = Geometry.of(id);
	try {
		if (options.normals === 'smooth') geometry.computeNormals();
		for (const target of toList(options.morphTargets ?? [], 'the morph targets')) geometry.addMorphTarget(target);
	} catch (error) {
		geometry.dispose();
		throw error;
	}
	return geometry;
}

/** The axis that a shape stands along: 'z' by default; pass `scene.up`. */
export interface ShapeOptions {
	up?: UpAxis;
}

const isYUp = (options: ShapeOptions): boolean => options.up === 'y';
const count = (value: number | undefined, what: string): number => checkedCount(value as number, what);

/**
 * Creates a box around the origin.
 *
 * @example
 * ```ts
 * assert.deepEqual([...box({ size: [2, 4, 6] }).bounds], [-1, -2, -3, 1, 2, 3]);
 * ```
 */
export function box(options: ShapeOptions & { size?: readonly [number, number, number] } = {}): Geometry {
	toObject(options, 'the options of a shape');
	const [x, y, z] = toVec3(options.size ?? [1, 1, 1], 'the size');
	return Geometry.of(glue.shape_box(x, y, z, isYUp(options)));
}

/**
 * Creates a sphere around the origin.
 *
 * @example
 * ```ts
 * assert.equal(sphere({ radius: 2 }).bounds[5], 2);
 * ```
 */
export function sphere(options: ShapeOptions & { radius?: number; segments?: number; rings?: number } = {}): Geometry {
	toObject(options, 'the options of a shape');
	const { radius = 0.5, segments = 32, rings = 16 } = options;
	return Geometry.of(glue.shape_sphere(radius, count(segments, 'segments'), count(rings, 'rings'), isYUp(options)));
}

/**
 * Creates a plane around the origin that faces up, in cells.
 *
 * @example
 * ```ts
 * assert.deepEqual([...plane({ width: 2, depth: 4 }).bounds], [-1, -2, 0, 1, 2, 0]);
 * ```
 */
export function plane(
	options: ShapeOptions & { width?: number; depth?: number; cells?: readonly [number, number] } = {},
): Geometry {
	toObject(options, 'the options of a shape');
	const { width = 1, depth = 1, cells = [1, 1] } = options;
	const [columns, rows] = floats(cells, 2, 'cells');
	return Geometry.of(glue.shape_plane(width, depth, count(columns, 'cells'), count(rows, 'cells'), isYUp(options)));
}

/**
 * Creates a cylinder along the up axis.
 *
 * @example
 * ```ts
 * assert.deepEqual([...cylinder({ height: 4, up: 'y' }).bounds], [-0.5, -2, -0.5, 0.5, 2, 0.5]);
 * ```
 */
export function cylinder(
	options: ShapeOptions & { radius?: number; height?: number; segments?: number } = {},
): Geometry {
	toObject(options, 'the options of a shape');
	const { radius = 0.5, height = 1, segments = 32 } = options;
	return Geometry.of(glue.shape_cylinder(radius, height, count(segments, 'segments'), isYUp(options)));
}

/**
 * Creates a cone along the up axis.
 *
 * @example
 * ```ts
 * assert.equal(cone({ height: 2 }).bounds[5], 1);
 * ```
 */
export function cone(options: ShapeOptions & { radius?: number; height?: number; segments?: number } = {}): Geometry {
	toObject(options, 'the options of a shape');
	const { radius = 0.5, height = 1, segments = 32 } = options;
	return Geometry.of(glue.shape_cone(radius, height, count(segments, 'segments'), isYUp(options)));
}

/**
 * Creates a capsule along the up axis: a cylinder of the length between two half spheres.
 *
 * @example
 * ```ts
 * assert.equal(capsule({ radius: 1, length: 2 }).bounds[5], 2);
 * ```
 */
export function capsule(
	options: ShapeOptions & { radius?: number; length?: number; segments?: number; rings?: number } = {},
): Geometry {
	toObject(options, 'the options of a shape');
	const { radius = 0.25, length = 0.5, segments = 32, rings = 8 } = options;
	return Geometry.of(
		glue.shape_capsule(radius, length, count(segments, 'segments'), count(rings, 'rings'), isYUp(options)),
	);
}

/**
 * Creates a torus around the up axis.
 *
 * @example
 * ```ts
 * assert.equal(torus({ radius: 2, tubeRadius: 0.5 }).bounds[3], 2.5);
 * ```
 */
export function torus(
	options: ShapeOptions & { radius?: number; tubeRadius?: number; segments?: number; tubeSegments?: number } = {},
): Geometry {
	toObject(options, 'the options of a shape');
	const { radius = 0.375, tubeRadius = 0.125, segments = 48, tubeSegments = 24 } = options;
	return Geometry.of(
		glue.shape_torus(
			radius,
			tubeRadius,
			count(segments, 'segments'),
			count(tubeSegments, 'tubeSegments'),
			isYUp(options),
		),
	);
}
