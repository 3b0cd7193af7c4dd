/**
 * What nodes of a scene have in addition to nodes of a graph: meshes, cameras, lights, skins and constraints.
 *
 * There is one class for all kinds, because a node's kind can change; `has` narrows the type.
 */
import {
	checkType,
	floats,
	toFloats,
	toLayers,
	toList,
	toObject,
	toOutput,
	toVec3,
	type Vec3Like,
} from './arguments.js';
import { PleachError } from './errors.js';
import { Geometry } from './geometries.js';
import { type ClipSpace, clipNumber } from './graph.js';
import { type Color, Material, toColor } from './materials.js';
import { SceneNode } from './node.js';
import { glue, numbers, raw } from './runtime.js';
import type { Skin } from './skin.js';
import { SkinOfNode } from './skin.js';

/** The kind of a node. */
export type NodeType =
	| 'Root'
	| 'Group'
	| 'Mesh'
	| 'SkinnedMesh'
	| 'Camera'
	| 'DirectionalLight'
	| 'PointLight'
	| 'SpotLight'
	| 'AmbientLight'
	| 'Joint';

const TYPES: readonly NodeType[] = [
	'Root',
	'Group',
	'Mesh',
	'SkinnedMesh',
	'Camera',
	'DirectionalLight',
	'PointLight',
	'SpotLight',
	'AmbientLight',
	'Joint',
];

/** What a node can have, by the name that `has` and `list` take. */
export interface Kinds {
	mesh: Mesh;
	skin: SkinnedMesh;
	camera: Camera;
	light: Light;
	joint: SceneNode;
}

/** @internal By position: the numbers of `components` and `list`. */
export const KINDS: readonly (keyof Kinds)[] = ['mesh', 'skin', 'camera', 'light', 'joint'];

/** A part of a mesh: what is drawn with one material. */
export interface Part {
	readonly geometry: Geometry;
	readonly material: Material;
}

/** A node that is drawn. */
export interface Mesh extends SceneNode {
	/** The geometry of the first part, shared by everything that uses it. */
	geometry: Geometry;
	/** The material of the first part, shared by everything that uses it. */
	material: Material;
	/** All parts: a model's mesh may have several. */
	get parts(): readonly Part[];
	set parts(parts: readonly Part[]);
	/** The materials that the geometry's `faceMaterials` refer to. */
	palette: Material[];
	castShadow: boolean;
	receiveShadow: boolean;
	/** `true` for meshes that never move: a renderer can keep their draws. */
	isStatic: boolean;
	/** Whether the mesh is drawn with the transparent ones; 'auto': as its material is. */
	transparent: boolean | 'auto';
	/** The weights of the morph targets, or `null`. A copy: assign to change them. */
	weights: Float32Array | null;
	/** The matrices of instances, 16 floats each, or `null`. A copy: assign to change them. */
	instances: Float32Array | null;
}

/** A mesh that joints deform. */
export interface SkinnedMesh extends Mesh {
	readonly skin: Skin;
}

/** A node to look from, along its own −Z. */
export interface Camera extends SceneNode {
	/** Setting it keeps near and far. Assigning `projectionMatrix` makes it 'custom'. */
	projection: 'perspective' | 'orthographic' | 'custom';
	/** The vertical field of view, in radians: `degrees(60)`. */
	fov: number;
	near: number;
	/** `Infinity` is allowed in a perspective. */
	far: number;
	/** Width divided by height; `null`: that of the viewport. */
	aspect: number | null;
	/** Of an orthographic camera: how much of the world the picture shows from bottom to top. */
	height: number;
	zoom: number;
	/** The range of depths in clip space. */
	clip: ClipSpace;
	/** The layers of the meshes that it sees, as bits. */
	seesLayers: number;
	/** Sets a custom projection: 16 numbers. */
	setProjectionMatrix(matrix: ArrayLike<number>): this;
}

/** How a light casts shadows. */
export interface Shadow {
	readonly enabled: boolean;
	/** Width and height of the map in texels. */
	readonly mapSize: number;
	readonly bias: number;
	/** In metres. */
	readonly normalBias: number;
	/** In metres. */
	readonly near: number;
	/** In metres. */
	readonly far: number;
	/** Of a directional light: metres from the middle to each side. */
	readonly bounds: number;
}

/** A node that shines, along its own −Z. */
export interface Light extends SceneNode {
	/** Linear. */
	color: Color;
	/** Lux for directional lights, candela for point and spot lights. */
	intensity: number;
	/** In metres; `Infinity` without an end. */
	range: number;
	/** Of a spot light: the angle of full light, from its axis. */
	innerAngle: number;
	/** Of a spot light: the angle where light ends, from its axis. */
	outerAngle: number;
	/** `null`: no shadows. Members that are left out have defaults. */
	get shadow(): Shadow | null;
	set shadow(shadow: Partial<Shadow> | null);
	/** Returns the direction in which the light shines, in world space. */
	getDirection(out?: Float32Array): Float32Array;
}

/** What turns a node to another in each update. */
export interface Constraint {
	/** 'look-at': −Z to the target; 'face': the front of a model; 'aim': an axis of your own; 'billboard' and 'upright': to a camera. */
	readonly type: 'look-at' | 'face' | 'aim' | 'billboard' | 'upright';
	/** The target, or the camera. */
	readonly target: SceneNode;
	/** Up in world space; the axis of 'upright'. */
	readonly up?: Vec3Like;
	/** Of 'aim': the node's own axis to turn to the target. */
	readonly front?: Vec3Like;
	/** Of 'aim': the node's own axis to turn up. */
	readonly top?: Vec3Like;
}

const CONSTRAINTS: readonly Constraint['type'][] = ['look-at', 'face', 'aim', 'billboard', 'upright'];

/** Levels of detail, the finest first. */
export type Lod = readonly {
	readonly node: SceneNode;
	/** The level is drawn from this size on: the fraction of the picture's height. */
	readonly minScreenSize: number;
}[];

declare module './node.js' {
	interface SceneNode {
		/** The kind of the node. */
		readonly type: NodeType;
		/** Returns `true` if the node has this, and narrows its type. */
		has<K extends keyof Kinds>(kind: K): this is Kinds[K];
		/** The layers of a mesh or light, as bits. */
		layers: number;
		/** `false` for meshes that are in every view. */
		frustumCulled: boolean;
		/** What turns the node to another in each update. */
		get constraint(): Constraint | null;
		set constraint(constraint: Constraint | null);
		/** Levels of detail. */
		get lod(): Lod | null;
		set lod(lod: Lod | null);
	}
}

const PROJECTIONS: readonly Camera['projection'][] = ['perspective', 'orthographic', 'custom'];
const CLIP_SPACES: readonly ClipSpace[] = ['zero-to-one', 'negative-one-to-one', 'reversed'];

/** @internal The class of a scene's nodes: the members of all kinds. */
export class KindNode extends SceneNode {
	private skinValue: Skin | null = null;

	override get type(): NodeType {
		return TYPES[this.number(raw.kind(this.scene.world, this.slot, this.generation))] as NodeType;
	}

	override has<K extends keyof Kinds>(kind: K): this is Kinds[K] {
		return this.hasKind(kind);
	}

	/** The same without narrowing, for this class, which has the members of all kinds. */
	private hasKind(kind: keyof Kinds): boolean {
		if (kind === 'joint') return this.type === 'Joint';
		const bits = this.number(raw.components(this.scene.world, this.slot, this.generation));
		const bit = KINDS.indexOf(kind);
		if (bit < 0) throw new PleachError('out-of-range', `'${kind}' is not a kind: use one of ${KINDS.join(', ')}`);
		return (bits & (1 << bit)) !== 0;
	}

	// Meshes.

	get geometry(): Geometry {
		return Geometry.of(this.number(raw.mesh_part(this.scene.world, this.slot, this.generation, 0, 0)));
	}
	set geometry(geometry: Geometry) {
		expectAsset(geometry, Geometry, 'geometry');
		this.status(raw.set_mesh_part(this.scene.world, this.slot, this.generation, 0, 0, geometry.liveId));
	}

	get material(): Material {
		return Material.of(this.number(raw.mesh_part(this.scene.world, this.slot, this.generation, 0, 1)));
	}
	set material(material: Material) {
		expectAsset(material, Material, 'material');
		this.status(raw.set_mesh_part(this.scene.world, this.slot, this.generation, 0, 1, material.liveId));
	}

	get parts(): readonly Part[] {
		const { world } = this.scene;
		return Array.from({ length: this.mesh(6) }, (_, part) => ({
			geometry: Geometry.of(this.number(raw.mesh_part(world, this.slot, this.generation, part, 0))),
			material: Material.of(this.number(raw.mesh_part(world, this.slot, this.generation, part, 1))),
		}));
	}
	set parts(parts: readonly Part[]) {
		const pairs = toList(parts, 'the parts').flatMap((part) => {
			const { geometry, material } = toObject(part, 'a part');
			expectAsset(geometry, Geometry, 'geometry');
			expectAsset(material, Material, 'material');
			return [geometry.liveId, material.liveId];
		});
		this.status(glue.set_mesh_parts(this.scene.world, this.slot, this.generation, Float64Array.from(pairs)));
	}

	get palette(): Material[] {
		return Array.from(glue.mesh_face_materials(this.scene.world, this.slot, this.generation), (id) => Material.of(id));
	}
	set palette(materials: readonly Material[]) {
		for (const material of toList(materials, 'the palette')) expectAsset(material, Material, 'material');
		const ids = Float64Array.from(materials, (material) => material.liveId);
		this.status(glue.set_mesh_face_materials(this.scene.world, this.slot, this.generation, ids));
	}

	get castShadow(): boolean {
		return this.mesh(0) !== 0;
	}
	set castShadow(flag: boolean) {
		this.setMesh(0, flag ? 1 : 0);
	}

	get receiveShadow(): boolean {
		return this.mesh(1) !== 0;
	}
	set receiveShadow(flag: boolean) {
		this.setMesh(1, flag ? 1 : 0);
	}

	get isStatic(): boolean {
		return this.mesh(2) !== 0;
	}
	set isStatic(flag: boolean) {
		this.setMesh(2, flag ? 1 : 0);
	}

	override get frustumCulled(): boolean {
		return this.mesh(3) !== 0;
	}
	override set frustumCulled(flag: boolean) {
		this.setMesh(3, flag ? 1 : 0);
	}

	get transparent(): boolean | 'auto' {
		const value = this.mesh(4);
		return value === 2 ? 'auto' : value !== 0;
	}
	set transparent(transparent: boolean | 'auto') {
		this.setMesh(4, transparent === 'auto' ? 2 : transparent ? 1 : 0);
	}

	get weights(): Float32Array | null {
		return glue.mesh_weights(this.scene.world, this.slot, this.generation) ?? null;
	}
	set weights(weights: Float32Array | readonly number[] | null) {
		const values = weights === null ? undefined : toFloats(weights, 'the weights');
		this.status(glue.set_mesh_weights(this.scene.world, this.slot, this.generation, values));
	}

	get instances(): Float32Array | null {
		return glue.mesh_instances(this.scene.world, this.slot, this.generation) ?? null;
	}
	set instances(matrices: Float32Array | null) {
		if (matrices !== null && !(matrices instanceof Float32Array)) {
			throw new PleachError('wrong-type', 'instances must be a Float32Array of 16 floats each, or null', {
				node: this,
			});
		}
		this.status(glue.set_mesh_instances(this.scene.world, this.slot, this.generation, matrices ?? undefined));
	}

	private mesh(which: number): number {
		return this.number(raw.mesh_number(this.scene.world, this.slot, this.generation, which));
	}
	private setMesh(which: number, value: number): void {
		this.status(raw.set_mesh_number(this.scene.world, this.slot, this.generation, which, value));
	}

	override get layers(): number {
		if (this.hasKind('mesh')) return this.mesh(5);
		return this.hasKind('light') ? this.lightNumber(4) : 0xffffffff;
	}
	override set layers(layers: number) {
		const mask = toLayers(layers);
		if (this.hasKind('light') && !this.hasKind('mesh')) this.setLightNumber(4, mask);
		else this.setMesh(5, mask);
	}

	get skin(): Skin {
		if (!this.hasKind('skin')) {
			throw new PleachError('wrong-kind', `node ${this} has no skin; ask \`node.has('skin')\` first`, { node: this });
		}
		this.skinValue ??= new SkinOfNode(this);
		return this.skinValue;
	}
	/** @internal */
	bindSkin(skin: Skin): void {
		this.skinValue = skin;
	}
	/** @internal Gives a mesh a skin, or another one: the inverse bind matrices have 16 floats per joint. */
	setSkin(joints: readonly SceneNode[], inverseBinds: Float32Array): void {
		const ids = Float64Array.from(joints, (joint) => joint.id);
		const none = new Float32Array(0);
		this.status(glue.set_skin(this.scene.world, this.slot, this.generation, ids, inverseBinds, none));
		this.skinValue = null;
	}

	// Cameras.

	get projection(): Camera['projection'] {
		return PROJECTIONS[this.cameraNumber(0)] as Camera['projection'];
	}
	set projection(projection: Camera['projection']) {
		const index = PROJECTIONS.indexOf(projection);
		if (index < 0) {
			const known = PROJECTIONS.join(', ');
			throw new PleachError('out-of-range', `'${projection}' is not a projection: use one of ${known}`, { node: this });
		}
		if (index !== this.cameraNumber(0)) this.setCameraNumber(0, index);
	}

	get fov(): number {
		return this.cameraNumber(1);
	}
	set fov(radians: number) {
		this.setCameraNumber(1, radians);
	}
	get near(): number {
		return this.cameraNumber(2);
	}
	set near(metres: number) {
		this.setCameraNumber(2, metres);
	}
	get far(): number {
		return this.cameraNumber(3);
	}
	set far(metres: number) {
		this.setCameraNumber(3, metres);
	}
	get aspect(): number | null {
		const aspect = this.cameraNumber(4);
		return aspect === 0 ? null : aspect;
	}
	set aspect(aspect: number | null) {
		if (aspect === 0)
			throw new PleachError('out-of-range', 'the aspect is 0; it must be positive, or null', { node: this });
		this.setCameraNumber(4, aspect ?? 0);
	}
	get height(): number {
		return this.cameraNumber(5);
	}
	set height(metres: number) {
		this.setCameraNumber(5, metres);
	}
	get zoom(): number {
		return this.cameraNumber(6);
	}
	set zoom(zoom: number) {
		this.setCameraNumber(6, zoom);
	}
	get clip(): ClipSpace {
		return CLIP_SPACES[this.cameraNumber(7)] as ClipSpace;
	}
	set clip(clip: ClipSpace) {
		this.setCameraNumber(7, clipNumber(clip));
	}
	get seesLayers(): number {
		return this.cameraNumber(8);
	}
	set seesLayers(layers: number) {
		this.setCameraNumber(8, toLayers(layers));
	}

	setProjectionMatrix(matrix: ArrayLike<number>): this {
		numbers().set(floats(matrix, 16, 'a projection matrix'));
		this.status(raw.set_camera_matrix(this.scene.world, this.slot, this.generation));
		return this;
	}

	private cameraNumber(which: number): number {
		return this.number(raw.camera_number(this.scene.world, this.slot, this.generation, which));
	}
	private setCameraNumber(which: number, value: number): void {
		this.status(raw.set_camera_number(this.scene.world, this.slot, this.generation, which, value));
	}

	// Lights.

	get color(): Color {
		this.status(raw.light_color(this.scene.world, this.slot, this.generation));
		const n = numbers();
		return [n[0] as number, n[1] as number, n[2] as number];
	}
	set color(color: Color) {
		numbers().set(toColor(color, 'the colour of a light'));
		this.status(raw.set_light_color(this.scene.world, this.slot, this.generation));
	}
	get intensity(): number {
		return this.lightNumber(0);
	}
	set intensity(intensity: number) {
		this.setLightNumber(0, intensity);
	}
	get range(): number {
		return this.lightNumber(1);
	}
	set range(metres: number) {
		this.setLightNumber(1, metres);
	}
	get innerAngle(): number {
		return this.lightNumber(2);
	}
	set innerAngle(radians: number) {
		this.setLightNumber(2, radians);
	}
	get outerAngle(): number {
		return this.lightNumber(3);
	}
	set outerAngle(radians: number) {
		this.setLightNumber(3, radians);
	}

	get shadow(): Shadow | null {
		const found = this.number(raw.light_shadow(this.scene.world, this.slot, this.generation));
		return found === 0 ? null : shadowOfNumbers();
	}
	set shadow(shadow: Partial<Shadow> | null) {
		if (shadow !== null) {
			toObject(shadow, 'a shadow');
			raw.default_shadow();
			const it = { ...shadowOfNumbers(), ...shadow };
			const values = [it.enabled ? 1 : 0, it.mapSize, it.bias, it.normalBias, it.near, it.far, it.bounds];
			numbers().set(values);
		}
		this.status(raw.set_light_shadow(this.scene.world, this.slot, this.generation, shadow === null ? 0 : 1));
	}

	getDirection(out: Float32Array = new Float32Array(3)): Float32Array {
		if (this.number(raw.light_direction(this.scene.world, this.slot, this.generation)) === 0) {
			throw new PleachError('wrong-kind', `the light ${this} shines in all directions; it has none`, { node: this });
		}
		checkType(out, Float32Array, 'the array to write to');
		toOutput(out, 3).set(numbers().subarray(0, 3));
		return out;
	}

	private lightNumber(which: number): number {
		return this.number(raw.light_number(this.scene.world, this.slot, this.generation, which));
	}
	private setLightNumber(which: number, value: number): void {
		this.status(raw.set_light_number(this.scene.world, this.slot, this.generation, which, value));
	}

	// Constraints.

	override get constraint(): Constraint | null {
		const found = glue.constraint(this.scene.world, this.slot, this.generation);
		if (found.length === 0) return null;
		const vector = (at: number): Vec3Like => [found[at] as number, found[at + 1] as number, found[at + 2] as number];
		const type = CONSTRAINTS[found[0] as number] as Constraint['type'];
		const target = this.scene.wrap(found[1] as number);
		const up = type === 'billboard' ? {} : { up: vector(2) };
		return type === 'aim' ? { type, target, ...up, front: vector(5), top: vector(8) } : { type, target, ...up };
	}
	override set constraint(constraint: Constraint | null) {
		const { world } = this.scene;
		if (constraint === null) {
			this.status(raw.clear_constraint(world, this.slot, this.generation));
			return;
		}
		const { type, target } = toObject(constraint, 'a constraint');
		const kind = CONSTRAINTS.indexOf(type);
		if (kind < 0) {
			throw new PleachError('out-of-range', `'${type}' is not a constraint: use one of ${CONSTRAINTS.join(', ')}`);
		}
		this.scene.expectOwn(target);
		const up = toVec3(constraint.up ?? this.scene.upDirection, 'up');
		const front = toVec3(constraint.front ?? [0, 0, -1], 'front');
		const top = toVec3(constraint.top ?? [0, 1, 0], 'top');
		numbers().set([...up, ...front, ...top]);
		this.status(raw.set_constraint(world, this.slot, this.generation, kind, target.slot, target.generation));
	}

	override get lod(): Lod | null {
		const found = glue.lod(this.scene.world, this.slot, this.generation);
		if (found.length === 0) return null;
		return Array.from({ length: found.length / 2 }, (_, level) => ({
			node: this.scene.wrap(found[level * 2] as number),
			minScreenSize: found[level * 2 + 1] as number,
		}));
	}
	override set lod(lod: Lod | null) {
		const levels = toList(lod ?? [], 'the levels of detail');
		for (const level of levels) this.scene.expectOwn(toObject(level, 'a level of detail').node);
		const ids = Float64Array.from(levels, ({ node }) => node.id);
		const sizes = Float32Array.from(levels, ({ minScreenSize }) => minScreenSize);
		this.status(glue.set_lod(this.scene.world, this.slot, this.generation, ids, sizes));
	}

	private number(value: number): number {
		if (Number.isNaN(value)) this.fail();
		return value;
	}
}

function shadowOfNumbers(): Shadow {
	const n = numbers();
	return {
		enabled: n[0] !== 0,
		mapSize: n[1] as number,
		bias: n[2] as number,
		normalBias: n[3] as number,
		near: n[4] as number,
		far: n[5] as number,
		bounds: n[6] as number,
	};
}

/** @internal */
export function expectAsset(asset: unknown, type: typeof Geometry | typeof Material, what: string): void {
	if (!(asset instanceof type)) {
		const make = what === 'geometry' ? '`box()` or `createGeometry()`' : '`createMaterial()`';
		throw new PleachError('wrong-type', `a ${what} is needed: create one with ${make}`);
	}
}
