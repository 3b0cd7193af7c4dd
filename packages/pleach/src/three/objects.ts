/**
 * The objects of three.js for the nodes of a document, and the nodes for objects that three.js adds to it.
 *
 * Geometries, materials and textures are shared as in the file. Edits of pleach are written to the objects in each update; edits of
 * three.js to the nodes when the document is saved.
 */
import {
	Bone,
	BufferGeometry,
	Group,
	InstancedBufferAttribute,
	InstancedMesh,
	Line,
	type LineBasicMaterial,
	LineLoop,
	LineSegments,
	Mesh,
	type Object3D,
	OrthographicCamera,
	PerspectiveCamera,
	Points,
	type PointsMaterial,
	SkinnedMesh,
	type Camera as ThreeCamera,
	type Material as ThreeMaterial,
} from 'three';
import type { Geometry, Topology } from '../geometries.js';
import type { GltfDocument } from '../gltf.js';
import type { NodeOptions } from '../graph.js';
import type { SceneNode } from '../node.js';
import { raw } from '../runtime.js';
import type { Mesh as MeshNode, Part } from '../scene-node.js';
import type { Bridge, ExistingScene } from './bridge.js';
import { cameraOf, writeCamera } from './cameras.js';
import { isPunctual, lightOf, lightProblem, turnOf, typeOf, writeLight } from './lights.js';
import type { NodeEdit } from './node-edits.js';
import { bindSkin, SkinSaver } from './skins.js';
import { Surfaces } from './surfaces.js';
import { Textures } from './textures.js';
import { drawnOf, fill, stampOf, toGeometry } from './vertices.js';

type Drawable = Mesh<BufferGeometry, ThreeMaterial | ThreeMaterial[]> | Line | Points;
type Report = (message: string) => void;

/** A geometry of three.js, and the parts of pleach with the same vertices. */
interface Shape {
	readonly geometry: BufferGeometry;
	parts: readonly Geometry[];
	versions: number[];
	/** Which vertex data both sides had when they agreed last. */
	stamp: string;
}

/** What a drawn object and its node agreed on last. */
interface Agreement {
	parts: string;
	materials: readonly ThreeMaterial[];
	shape: Shape;
	instanceVersion: number;
	instanceCount: number;
	weights: Float32Array | null;
}

/** Creates objects for nodes and nodes for objects, and keeps what they draw the same. */
export class Objects implements ExistingScene {
	readonly textures = new Textures();
	private readonly surfaces = new Surfaces(this.textures);
	private readonly shapes = new Map<string, Shape>();
	private readonly shapeOf = new Map<BufferGeometry, Shape>();
	/** As `shapeOf`, of meshes with skins: with joints and weights. */
	private readonly skinnedShapeOf = new Map<BufferGeometry, Shape>();
	private readonly agreements = new WeakMap<Object3D, Agreement>();
	/** The extras of objects as they are in the file. */
	private readonly extras = new WeakMap<Object3D, string>();
	private readonly morphed = new Set<Drawable>();
	private readonly skins = new SkinSaver();
	private readonly skinned: { mesh: SkinnedMesh; node: MeshNode }[] = [];
	/** Nodes whose parts or instances pleach wrote. */
	private readonly written = new Set<SceneNode>();
	private restorations = 0;
	private isSaving = false;

	constructor(readonly document: GltfDocument) {}

	get scene() {
		return this.document.scene;
	}

	// Objects for nodes.

	/** Creates the object of a node. */
	createObject(node: SceneNode): Object3D {
		const object = this.ofKind(node);
		const extras = node.scene === this.document.scene ? this.document.extras(node) : undefined;
		if (extras !== undefined && extras !== null && typeof extras === 'object') Object.assign(object.userData, extras);
		this.extras.set(object, JSON.stringify(object.userData));
		return object;
	}

	private ofKind(node: SceneNode): Object3D {
		if (node.has('mesh')) return this.mesh(node);
		if (node.has('camera')) return cameraOf(node);
		if (node.has('light')) return lightOf(node);
		return node.has('joint') ? new Bone() : new Group();
	}

	private mesh(node: MeshNode): Object3D {
		const parts = drawnParts(node);
		if (parts.length === 0) return new Group();
		const shape = this.shape(parts);
		const materials = this.materials(parts);
		const object = this.drawable(node, (parts[0] as Part).geometry.topology, shape.geometry, materials);
		if (object instanceof Mesh) {
			object.castShadow = node.castShadow;
			object.receiveShadow = node.receiveShadow;
			object.layers.mask = node.layers | 0;
		}
		this.agree(object, node, parts, materials, shape);
		return object;
	}

	private drawable(
		node: MeshNode,
		topology: Topology,
		geometry: BufferGeometry,
		materials: readonly ThreeMaterial[],
	): Drawable {
		const material = materials[0] as ThreeMaterial;
		if (topology === 'points') return new Points(geometry, material as PointsMaterial);
		if (topology === 'lines') return new LineSegments(geometry, material as LineBasicMaterial);
		if (topology === 'line-loop') return new LineLoop(geometry, material as LineBasicMaterial);
		if (topology === 'line-strip') return new Line(geometry, material as LineBasicMaterial);
		const all = materials.length === 1 ? material : [...materials];
		const { instances } = node;
		if (node.has('skin')) {
			const mesh = new SkinnedMesh(geometry, all);
			this.skinned.push({ mesh, node });
			return mesh;
		}
		if (instances === null) return new Mesh(geometry, all);
		const mesh = new InstancedMesh(geometry, all, instances.length / 16);
		mesh.instanceMatrix.array.set(instances);
		return mesh;
	}

	private shape(parts: readonly Part[]): Shape {
		const key = parts.map((part) => part.geometry.id).join(' ');
		let shape = this.shapes.get(key);
		if (shape === undefined) {
			const own = parts.map((part) => part.geometry);
			shape = { geometry: new BufferGeometry(), parts: own, versions: [], stamp: '' };
			fillShape(shape);
			this.shapes.set(key, shape);
			this.shapeOf.set(shape.geometry, shape);
			this.skinnedShapeOf.set(shape.geometry, shape);
		}
		return shape;
	}

	private materials(parts: readonly Part[]): ThreeMaterial[] {
		const all = parts.map((part) => part.geometry);
		return parts.map((part) => this.surfaces.get(part.material, drawnOf(part.geometry, all)));
	}

	private agree(
		object: Drawable,
		node: MeshNode,
		parts: readonly Part[],
		materials: readonly ThreeMaterial[],
		shape: Shape,
	): void {
		const instanced = object instanceof InstancedMesh ? object : null;
		this.agreements.set(object, {
			parts: keyOf(parts),
			materials,
			shape,
			instanceVersion: instanced?.instanceMatrix.version ?? 0,
			instanceCount: instanced?.count ?? 0,
			weights: null,
		});
		object.updateMorphTargets();
		this.takeWeights(object, node);
		if (object.morphTargetInfluences !== undefined) this.morphed.add(object);
	}

	/** Connects skinned meshes with their bones, which exist now. */
	bindSkins(bridge: Bridge): void {
		for (const { mesh, node } of this.skinned.splice(0)) {
			bindSkin(bridge, mesh, node);
			this.skins.agree(bridge, mesh);
			const agreement = this.agreements.get(mesh);
			// The weights of the vertices were normalized in place.
			if (agreement !== undefined) agreement.shape.stamp = stampOf(mesh.geometry);
		}
	}

	// From pleach to three.js.

	/** The parts or the instances of a node were written. */
	partsSet(node: SceneNode): void {
		if (!this.isSaving) this.written.add(node);
	}

	/** Writes what pleach edited to the objects. */
	update(bridge: Bridge): void {
		let isStale = false;
		for (const shape of this.shapes.values()) {
			if (!shape.parts.some((part, i) => raw.asset_version(part.id) !== shape.versions[i])) continue;
			fillShape(shape);
			isStale = true;
		}
		if (this.surfaces.update()) isStale = true;
		const { restorations } = this.document.scene;
		if (restorations !== this.restorations) isStale = true;
		this.restorations = restorations;
		if (isStale) for (const { object } of bridge.adopted()) this.refresh(bridge, object);
		else {
			for (const node of this.written) {
				const object = node.alive ? bridge.objectOf(node) : null;
				if (object !== null) this.refresh(bridge, object);
			}
		}
		this.written.clear();
		for (const object of this.morphed) this.syncWeights(bridge, object);
		if (this.skinned.length > 0) this.bindSkins(bridge);
	}

	/** Gives an object what its node draws now. */
	private refresh(bridge: Bridge, object: Object3D): void {
		const agreement = this.agreements.get(object);
		const node = bridge.nodeOf(object);
		if (agreement === undefined || node === null || !node.has('mesh')) return;
		const drawable = object as Drawable;
		const parts = drawnParts(node);
		if (parts.length > 0) {
			const materials = agreement.parts === keyOf(parts) ? agreement.materials : this.materials(parts);
			const current = this.materials(parts);
			const isOther = agreement.parts !== keyOf(parts);
			const isOtherClass = current.some((material, i) => material !== materials[i]);
			if (isOther || (isOtherClass && this.isUnedited(drawable, agreement))) {
				const shape = isOther ? this.shape(parts) : agreement.shape;
				drawable.material = current.length === 1 ? (current[0] as ThreeMaterial) : current;
				if (isOther) drawable.geometry = shape.geometry;
				this.agree(drawable, node, parts, current, shape);
			}
		}
		if (object instanceof InstancedMesh) this.refreshInstances(object, node);
	}

	private isUnedited(object: Drawable, { materials }: Agreement): boolean {
		return [object.material].flat().every((material, i) => material === materials[i]);
	}

	private refreshInstances(mesh: InstancedMesh, node: MeshNode): void {
		const { instances } = node;
		const agreement = this.agreements.get(mesh);
		if (instances === null || agreement === undefined) return;
		const count = instances.length / 16;
		const { array } = mesh.instanceMatrix;
		const isSame = mesh.count === count && instances.every((value, i) => value === Math.fround(array[i] as number));
		if (isSame) return;
		if (instances.length <= array.length) array.set(instances);
		else mesh.instanceMatrix = new InstancedBufferAttribute(instances, 16);
		mesh.count = count;
		mesh.instanceMatrix.needsUpdate = true;
		mesh.boundingBox = null;
		mesh.boundingSphere = null;
		agreement.instanceVersion = mesh.instanceMatrix.version;
		agreement.instanceCount = count;
	}

	// Weights of morph targets.

	/** Both sides may write weights in each frame: clips, and programs. */
	private syncWeights(bridge: Bridge, object: Drawable): void {
		const node = bridge.nodeOf(object);
		const agreement = this.agreements.get(object);
		if (node === null || agreement === undefined || !node.has('mesh')) return;
		const influences = object.morphTargetInfluences ?? [];
		const { weights } = node;
		const { weights: seen } = agreement;
		if (influences.some((_, i) => (weights?.[i] ?? 0) !== (seen?.[i] ?? 0))) {
			this.takeWeights(object, node);
		} else if (influences.some((value, i) => Math.fround(value) !== (seen?.[i] ?? 0))) {
			agreement.weights = Float32Array.from(influences);
			node.weights = agreement.weights;
		}
	}

	private takeWeights(object: Drawable, node: MeshNode): void {
		const influences = object.morphTargetInfluences;
		const agreement = this.agreements.get(object);
		if (influences === undefined || agreement === undefined) return;
		const { weights } = node;
		agreement.weights = Float32Array.from(influences, (_, i) => weights?.[i] ?? 0);
		for (let i = 0; i < influences.length; i++) influences[i] = agreement.weights[i] as number;
	}

	// Nodes for objects that three.js adds.

	/** Creates the node of an object that is drawn, or looks at the scene; returns `null` for other objects. */
	createNode(object: Object3D, options: NodeOptions & { parent: SceneNode }): SceneNode | null {
		const { scene } = this.document;
		if (object instanceof PerspectiveCamera || object instanceof OrthographicCamera) {
			const node = scene.createCamera({ ...options, near: 0.1 });
			writeCamera(object, node);
			return node;
		}
		if (isPunctual(object)) {
			// What is wrong is reported when the document is saved.
			if (lightProblem(object) !== null) return null;
			const node = scene.createLight({ ...options, type: typeOf(object) });
			writeLight(object, node, () => {});
			return node;
		}
		if (!isDrawable(object)) return null;
		try {
			const { parts, shape } = this.partsOf(object, false, () => {});
			const { geometry, material } = parts[0] as Part;
			const node = scene.createMesh({ ...options, geometry, material });
			this.isSaving = true;
			if (parts.length > 1) node.parts = parts;
			if (object instanceof InstancedMesh) node.instances = instancesOf(object);
			this.agree(object, node, parts, [object.material].flat(), shape);
			return node;
		} catch {
			// What it is about is reported when the document is saved.
			return null;
		} finally {
			this.isSaving = false;
		}
	}

	/** Returns the parts that an object draws. */
	private partsOf(object: Drawable, isSaving: boolean, report: Report): { parts: Part[]; shape: Shape } {
		const { geometry } = object;
		const materials = [object.material].flat();
		const withSkin = object instanceof SkinnedMesh;
		const known = withSkin ? this.skinnedShapeOf : this.shapeOf;
		let shape = known.get(geometry);
		const groups = Array.isArray(object.material) ? geometry.groups : [];
		if (shape === undefined || shape.stamp !== stampOf(geometry) || shape.parts.length !== Math.max(1, groups.length)) {
			const topology = topologyOf(object);
			const ranges = groups.length > 0 ? groups : [null];
			const parts = ranges.map((range) => toGeometry(geometry, topology, range, withSkin));
			shape = { geometry, parts, versions: [], stamp: stampOf(geometry) };
			known.set(geometry, shape);
		}
		const all = shape.parts;
		const parts = all.map((part, i) => {
			const made = materials[groups[i]?.materialIndex ?? 0];
			if (made === undefined) throw new Error('a group of the geometry has no material');
			return { geometry: part, material: this.surfaces.toMaterial(made, drawnOf(part, all), isSaving, report) };
		});
		return { parts, shape };
	}

	/** Writes what three.js edited to the nodes. Returns what the file has in addition; `report` gets what cannot be saved. */
	save(bridge: Bridge, report: (object: Object3D, message: string) => void): Map<SceneNode, NodeEdit> {
		const edits = new Map<SceneNode, NodeEdit>();
		this.isSaving = true;
		try {
			for (const link of bridge.adopted()) {
				const { object } = link;
				const node = bridge.scene.node(link.id);
				if (node === null || object === bridge.root) continue;
				this.saveObject(bridge, object, node, (message) => report(object, message));
				const edit = this.editOf(object, node, (message) => report(object, message));
				if (edit.extras !== undefined || edit.turn !== undefined) edits.set(node, edit);
			}
		} finally {
			this.isSaving = false;
		}
		return edits;
	}

	/** Returns what the file has of an object and its node has not. */
	private editOf(object: Object3D, node: SceneNode, report: Report): NodeEdit {
		const edit: NodeEdit = {};
		try {
			const text = JSON.stringify(object.userData) ?? '{}';
			if (text !== (this.extras.get(object) ?? '{}')) edit.extras = text;
		} catch (error) {
			report(`its userData are not saved: ${(error as Error).message}`);
		}
		try {
			const turn = node.has('light') ? turnOf(object) : null;
			if (turn !== null) edit.turn = turn;
		} catch (error) {
			report((error as Error).message);
		}
		return edit;
	}

	private saveObject(bridge: Bridge, object: Object3D, node: SceneNode, report: Report): void {
		if (isDrawable(object)) this.saveDrawable(bridge, object, node, report);
		else if (node.has('camera') && 'isCamera' in object) writeCamera(object as ThreeCamera, node);
		else if (node.has('light') && isPunctual(object)) writeLight(object, node, report);
		else if (isPunctual(object))
			report(`the ${object.type} is saved as an empty node: ${lightProblem(object) ?? UNKNOWN}`);
		else if ('isLight' in object || 'isCamera' in object || 'isSprite' in object || 'isLOD' in object) {
			report(`a ${object.type} that three.js added is saved as an empty node`);
		}
	}

	private saveDrawable(bridge: Bridge, object: Drawable, node: SceneNode, report: Report): void {
		const agreement = this.agreements.get(object);
		if (agreement === undefined || !node.has('mesh')) {
			let reason = 'it has no vertices';
			try {
				this.partsOf(object, true, report);
			} catch (error) {
				reason = (error as Error).message;
			}
			report(`the ${object.type} is saved as an empty node: ${reason}`);
			return;
		}
		try {
			const { parts, shape } = this.partsOf(object, true, report);
			if (keyOf(parts) !== agreement.parts) {
				const rest = node.parts.filter((part) => !drawnParts(node).some((drawn) => drawn.geometry === part.geometry));
				node.parts = [...parts, ...rest];
				Object.assign(agreement, { parts: keyOf(parts), materials: [object.material].flat(), shape });
			}
		} catch (error) {
			report(`its geometry or material is not saved: ${(error as Error).message}`);
		}
		if (object instanceof SkinnedMesh) this.skins.save(bridge, object, node, report);
		if (!(object instanceof InstancedMesh)) return;
		const { version } = object.instanceMatrix;
		if (version === agreement.instanceVersion && object.count === agreement.instanceCount) return;
		node.instances = instancesOf(object);
		agreement.instanceVersion = version;
		agreement.instanceCount = object.count;
	}

	// Images.

	/** Decodes the images of new textures, where the platform can: each once. */
	async decodeImages(signal: AbortSignal | undefined, failed: (image: string, error: unknown) => void): Promise<void> {
		if (typeof createImageBitmap !== 'function') return;
		let hasFailed = false;
		const names = new Set<string>();
		await this.textures.decode(
			(source) => this.document.bitmap(source, signal),
			(_, image, error) => {
				hasFailed = true;
				const name = image.name || image.uri || image.mimeType;
				if (!names.has(name)) failed(name, error);
				names.add(name);
			},
		);
		signal?.throwIfAborted();
		if (hasFailed) this.surfaces.updateTextures();
	}
}

/** Why a light has no node of its kind: it had a problem when it was added. */
const UNKNOWN = 'it was not valid when it was added; add it again';

/** The parts of a mesh that one object of three.js can draw: those of its first topology. */
function drawnParts(node: MeshNode): Part[] {
	const { parts } = node;
	const first = parts[0];
	if (first === undefined) return [];
	if (!first.geometry.topology.startsWith('triangle')) return [first];
	return parts.filter((part) => part.geometry.topology.startsWith('triangle'));
}

function keyOf(parts: readonly Part[]): string {
	return parts.map(({ geometry, material }) => `${geometry.id} ${material.id}`).join(', ');
}

function fillShape(shape: Shape): void {
	fill(shape.geometry, shape.parts);
	shape.versions = shape.parts.map((part) => raw.asset_version(part.id));
	shape.stamp = stampOf(shape.geometry);
}

function isDrawable(object: Object3D): object is Drawable {
	return object instanceof Mesh || object instanceof Line || object instanceof Points;
}

function topologyOf(object: Drawable): Topology {
	if (object instanceof Points) return 'points';
	if (object instanceof LineSegments) return 'lines';
	if (object instanceof LineLoop) return 'line-loop';
	return object instanceof Line ? 'line-strip' : 'triangles';
}

function instancesOf(mesh: InstancedMesh): Float32Array {
	return Float32Array.from(mesh.instanceMatrix.array.slice(0, mesh.count * 16));
}
