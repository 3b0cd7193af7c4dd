/**
 * Views of cameras, and render lists.
 */
import { toObject, toVec3, type Vec3Like } from './arguments.js';
import { PleachError } from './errors.js';
import { Frustum } from './frustum.js';
import { type ClipSpace, clipNumber, type Graph } from './graph.js';
import { checked, glue, guarded, numbers, raw, throwFault } from './runtime.js';
import type { Camera } from './scene-node.js';

/** The size of a picture in pixels, or its aspect: width divided by height. */
export type Viewport = number | { readonly width: number; readonly height: number };

/** A ray: the direction need not be of length 1. */
export interface RayLike {
	readonly origin: Vec3Like;
	readonly direction: Vec3Like;
	/** In metres; `Infinity` by default. */
	readonly maxDistance?: number;
}

/** @internal Width and height; an aspect has the height 0, and nothing is 0 and 0. */
export function sizeOf(viewport: Viewport | undefined): [number, number] {
	if (viewport === undefined) return [0, 0];
	if (typeof viewport !== 'number') toObject(viewport, 'the viewport');
	if (typeof viewport === 'number') {
		if (!(viewport > 0) || viewport === Infinity) {
			throw new PleachError('no-viewport', `the aspect is ${viewport}; it must be positive and finite`);
		}
		return [viewport, 0];
	}
	const { width, height } = viewport;
	if (!(width >= 1) || !(height >= 1)) {
		throw new PleachError('no-viewport', `the viewport is ${width} × ${height} pixels; it has no area`);
	}
	return [width, height];
}

/**
 * A camera's view at one moment, for one viewport.
 *
 * @example
 * ```ts
 * const camera = scene.createCamera({ position: [0, -10, 0], fov: degrees(90) });
 * camera.lookAt([0, 0, 0]);
 * const view = scene.view(camera, { width: 200, height: 100 });
 * const ray = view.rayThroughPixel(100, 50);
 * assertNear(ray.direction, [0, 1, 0]);
 * assertNear(view.project([0, 0, 0])?.slice(0, 2) ?? [], [100, 50]);
 * ```
 */
export class View {
	/** From world space to the camera's. */
	readonly viewMatrix: Float32Array;
	readonly projectionMatrix: Float32Array;
	/** From world space to clip space. */
	readonly viewProjectionMatrix: Float32Array;
	/** The range of depths in clip space. */
	readonly clip: ClipSpace;
	private readonly world: Float32Array;
	private readonly size: [number, number];
	private frustumValue: Frustum | null = null;

	/** @internal */
	constructor(scene: Graph, camera: Camera, viewport: Viewport | undefined) {
		const [width, height] = sizeOf(viewport);
		scene.expectOwn(camera);
		const { slot, generation } = camera;
		if (guarded.view_matrices(scene.world, slot, generation, width, height) !== 0) throwFault();
		this.viewMatrix = numbers().slice(0, 16);
		this.projectionMatrix = numbers().slice(16, 32);
		this.viewProjectionMatrix = numbers().slice(32, 48);
		this.world = camera.worldMatrix.slice();
		this.clip = camera.clip;
		const aspect = height === 0 && width === 0 ? (camera.aspect ?? 1) : width;
		this.size = [aspect, height];
	}

	/** The planes of the view. */
	get frustum(): Frustum {
		this.frustumValue ??= Frustum.fromViewProjection(this.viewProjectionMatrix, this.clip);
		return this.frustumValue;
	}

	/** Returns the ray through a pixel, counted from the upper left; from 0 to 1 if the viewport is an aspect. */
	rayThroughPixel(x: number, y: number): { origin: [number, number, number]; direction: [number, number, number] } {
		this.putMatrices();
		const found = raw.ray_through_pixel(clipNumber(this.clip), this.size[0], this.size[1], x, y);
		if (Number.isNaN(found)) throw glue.take_fault() as PleachError;
		if (found === 0) throw new PleachError('not-finite', `no ray leads through pixel ${x}, ${y}`);
		const n = numbers();
		return {
			origin: [n[0] as number, n[1] as number, n[2] as number],
			direction: [n[3] as number, n[4] as number, n[5] as number],
		};
	}

	/** Returns where a point is: in pixels (or from 0 to 1), and its depth in clip space; `null` behind the camera. */
	project(point: Vec3Like): [number, number, number] | null {
		const [x, y, z] = toVec3(point, 'the point');
		this.putMatrices();
		const found = raw.project(clipNumber(this.clip), this.size[0], this.size[1], x, y, z);
		if (Number.isNaN(found)) throw glue.take_fault() as PleachError;
		if (found === 0) return null;
		const n = numbers();
		return [n[0] as number, n[1] as number, n[2] as number];
	}

	private putMatrices(): void {
		const n = numbers();
		n.set(this.world);
		n.set(this.projectionMatrix, 16);
	}
}

const NO_LIST = 0xffffffff;

type Column<T> = new (buffer: ArrayBufferLike, offset: number, length: number) => T;

/**
 * Columns with a row per draw, in the order to draw. Views, valid until the next method call.
 *
 * @example
 * ```ts
 * const glass = createMaterial({ alphaMode: 'blend', opacity: 0.5 });
 * for (const y of [0, 3]) scene.createMesh({ geometry: box(), material: glass, position: [0, y, 0] });
 * const camera = scene.createCamera({ position: [0, -10, 0], aspect: 1 });
 * camera.lookAt([0, 0, 0]);
 * const { transparent } = scene.renderList(camera);
 * assertNear(transparent.depth, [13, 10]); // back to front
 * ```
 */
export class Draws {
	/** @internal */
	constructor(
		private readonly list: RenderList,
		private readonly isTransparent: boolean,
	) {}

	/** The number of rows. */
	get length(): number {
		return this.list.number(this.isTransparent ? 1 : 0);
	}
	/** The slots of the nodes. */
	get slot(): Uint32Array {
		return this.column(0, Uint32Array, 1);
	}
	/** The part of the mesh. */
	get part(): Uint32Array {
		return this.column(1, Uint32Array, 1);
	}
	/** The id of the geometry: `scene.geometry(id)`. */
	get geometry(): Float64Array {
		return this.column(2, Float64Array, 1);
	}
	/** The id of the material: `scene.material(id)`. */
	get material(): Float64Array {
		return this.column(3, Float64Array, 1);
	}
	/** The first matrix in `scene.palettes`; 0xffffffff without a skin. */
	get palette(): Uint32Array {
		return this.column(4, Uint32Array, 1);
	}
	/** Bits: 1 the winding is flipped, 2 shadows are received, 4 the mesh is static. */
	get flags(): Uint8Array {
		return this.column(5, Uint8Array, 1);
	}
	/** The distance along the camera's axis, in metres. */
	get depth(): Float32Array {
		return this.column(6, Float32Array, 1);
	}
	/** Pairs: the range of indices (or vertices) that is drawn; 0xffffffff for all. */
	get group(): Uint32Array {
		return this.column(7, Uint32Array, 2);
	}
	/** Pairs: the range of `instances` that is drawn; empty without instances. */
	get instances(): Uint32Array {
		return this.column(8, Uint32Array, 2);
	}

	private column<T>(which: number, type: Column<T>, elements: number): T {
		return this.list.view(this.isTransparent, which, type, this.length * elements);
	}
}

/**
 * What a camera sees, sorted for a renderer: opaque draws by material and geometry, transparent ones back to front.
 *
 * @example
 * ```ts
 * const crate = scene.createMesh({ geometry: box(), material: createMaterial() });
 * const { opaque } = scene.renderList(scene.createCamera(), { width: 800, height: 600 });
 * for (let i = 0; i < opaque.length; i++) {
 *   const geometry = scene.geometry(opaque.geometry[i]!);
 *   assert.deepEqual([opaque.slot[i], geometry], [crate.slot, crate.geometry]);
 * }
 * ```
 */
export class RenderList {
	readonly opaque: Draws = new Draws(this, false);
	readonly transparent: Draws = new Draws(this, true);
	private list: number;

	/** @internal */
	constructor(private readonly scene: Graph) {
		this.list = checked(scene, raw.render_list_new(scene.world));
	}

	/** @internal Frees the columns. The object throws 'disposed' from now on. */
	free(): void {
		raw.render_list_free(this.scene.world, this.list);
		this.list = NO_LIST;
	}

	/** @internal */
	build(camera: { slot: number; generation: number }, viewport: Viewport | undefined): this {
		const [width, height] = sizeOf(viewport);
		const { world } = this.scene;
		const status = guarded.render_list_build(world, this.list, camera.slot, camera.generation, width, height);
		if (status !== 0) throwFault();
		return this;
	}

	/** Pairs of first and end of opaque draws that differ only in the node. A view. */
	get batches(): Uint32Array {
		return this.view(false, 9, Uint32Array, this.number(2));
	}

	/** Numbers of instances, which the draws refer to. A view. */
	get instances(): Uint32Array {
		return this.view(false, 10, Uint32Array, this.number(3));
	}

	/** Counts up when the draws of static meshes changed. */
	get staticVersion(): number {
		return this.number(4);
	}

	/** @internal */
	number(which: number): number {
		return checked(this.scene, raw.render_list_number(this.scene.world, this.list, which));
	}

	/** @internal */
	view<T>(isTransparent: boolean, which: number, type: Column<T>, length: number): T {
		const address = raw.render_list_column(this.scene.world, this.list, isTransparent ? 1 : 0, which) >>> 0;
		return new type(raw.memory.buffer, length === 0 ? 0 : address, length);
	}
}
