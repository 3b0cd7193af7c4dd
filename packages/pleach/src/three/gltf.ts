/**
 * Models for three.js from glTF files of pleach: the objects are created for the nodes of the document's scene, and stay connected
 * with them, so that saving the document saves what was edited through three.js.
 */
import {
	Bone,
	BufferAttribute,
	BufferGeometry,
	ClampToEdgeWrapping,
	DirectionalLight,
	DoubleSide,
	Group,
	InstancedMesh,
	Line,
	LinearFilter,
	LinearMipmapLinearFilter,
	LinearMipmapNearestFilter,
	LineBasicMaterial,
	LineLoop,
	LineSegments,
	Matrix4,
	Mesh,
	MeshBasicMaterial,
	MeshPhysicalMaterial,
	MeshStandardMaterial,
	MirroredRepeatWrapping,
	NearestFilter,
	NearestMipmapLinearFilter,
	NearestMipmapNearestFilter,
	type Object3D,
	OrthographicCamera,
	PerspectiveCamera,
	PointLight,
	Points,
	PointsMaterial,
	RepeatWrapping,
	Skeleton,
	SkinnedMesh,
	SpotLight,
	SRGBColorSpace,
	type Material as ThreeMaterial,
	Texture as ThreeTexture,
} from 'three';
import type { Clip } from '../animation.js';
import type { Geometry } from '../geometries.js';
import { type GltfDocument, type GltfSource, type LoadOptions, loadGltf as loadDocument } from '../gltf.js';
import type { Material, Texture, TextureImage } from '../materials.js';
import type { SceneNode } from '../node.js';
import type { Camera, Light, Mesh as MeshNode } from '../scene-node.js';
import type { SkinOfNode } from '../skin.js';
import { Bridge } from './bridge.js';
import { followLight } from './targets.js';

/** A model that was loaded. */
export interface LoadedModel {
	/** The model: add it to a scene of three.js. */
	readonly root: Object3D;
	/** Keeps the objects and the document's scene the same. A bridge that `root` is added to updates it. */
	readonly bridge: Bridge;
	/** The file: `document.save()` saves the edited scene, and what was not edited byte for byte. */
	readonly document: GltfDocument;
	/** The animations: play them with `document.scene.createMixer()`. */
	readonly clips: readonly Clip[];
}

/** How a model is loaded: Y is always up. */
export type ModelOptions = Omit<LoadOptions, 'up'>;

/** @internal */
export async function loadModel(source: GltfSource, options?: ModelOptions): Promise<LoadedModel> {
	const document = await loadDocument(source, { ...options, up: 'y' });
	try {
		const objects = new Objects(document);
		const root = new Group();
		const bridge = new Bridge(root, undefined, { scene: document.scene, createObject: (node) => objects.create(node) });
		objects.bindSkins(bridge);
		await objects.decodeImages(options?.signal);
		bridge.update();
		return { root, bridge, document, clips: document.clips };
	} catch (error) {
		document.dispose();
		throw error;
	}
}

const WRAPS = {
	repeat: RepeatWrapping,
	'mirrored-repeat': MirroredRepeatWrapping,
	'clamp-to-edge': ClampToEdgeWrapping,
};
const MAGNIFICATION = { nearest: NearestFilter, linear: LinearFilter } as const;
const MINIFICATION = {
	nearest: NearestFilter,
	linear: LinearFilter,
	'nearest-mipmap-nearest': NearestMipmapNearestFilter,
	'linear-mipmap-nearest': LinearMipmapNearestFilter,
	'nearest-mipmap-linear': NearestMipmapLinearFilter,
	'linear-mipmap-linear': LinearMipmapLinearFilter,
} as const;

/** Creates objects of three.js for nodes. Geometries, materials and textures are shared as in the file. */
class Objects {
	private readonly geometries = new Map<string, { geometry: BufferGeometry; hasGroups: boolean }>();
	private readonly materials = new Map<string, ThreeMaterial>();
	private readonly textures: { texture: ThreeTexture; source: Texture }[] = [];
	private readonly skinned: { mesh: SkinnedMesh; node: MeshNode }[] = [];

	constructor(private readonly document: GltfDocument) {}

	/** Creates the object of a node. */
	create(node: SceneNode): Object3D {
		const object = this.ofKind(node);
		const extras = node.scene === this.document.scene ? this.document.extras(node) : undefined;
		if (extras !== undefined && extras !== null && typeof extras === 'object') Object.assign(object.userData, extras);
		return object;
	}

	private ofKind(node: SceneNode): Object3D {
		if (node.has('mesh')) return this.mesh(node);
		if (node.has('camera')) return camera(node);
		if (node.has('light')) return light(node);
		return node.has('joint') ? new Bone() : new Group();
	}

	private mesh(node: MeshNode): Object3D {
		const { parts } = node;
		const first = parts[0];
		if (first === undefined) return new Group();
		const { topology } = first.geometry;
		const isSkinned = node.has('skin');
		if (topology === 'points' || topology.startsWith('line')) {
			const { geometry } = this.geometry([first.geometry]);
			const hasColors = geometry.attributes.color !== undefined;
			const key = `${topology} ${first.material.id} ${hasColors}`;
			if (topology === 'points') {
				return new Points(
					geometry,
					this.material(key, () => plain(new PointsMaterial({ sizeAttenuation: false }), first.material, hasColors)),
				);
			}
			const material = this.material(key, () => plain(new LineBasicMaterial(), first.material, hasColors));
			if (topology === 'lines') return new LineSegments(geometry, material);
			return topology === 'line-loop' ? new LineLoop(geometry, material) : new Line(geometry, material);
		}
		const triangles = parts.filter((part) => part.geometry.topology.startsWith('triangle'));
		const { geometry } = this.geometry(triangles.map((part) => part.geometry));
		const made = triangles.map((part) => this.surface(part.material, geometry));
		const material = made.length === 1 ? (made[0] as ThreeMaterial) : made;
		const mesh = this.ofMesh(node, geometry, material, isSkinned);
		mesh.castShadow = node.castShadow;
		mesh.receiveShadow = node.receiveShadow;
		mesh.layers.mask = node.layers | 0;
		return mesh;
	}

	private ofMesh(
		node: MeshNode,
		geometry: BufferGeometry,
		material: ThreeMaterial | ThreeMaterial[],
		isSkinned: boolean,
	): Mesh {
		const { instances } = node;
		if (isSkinned) {
			const mesh = new SkinnedMesh(geometry, material);
			this.skinned.push({ mesh, node });
			return mesh;
		}
		if (instances === null) return new Mesh(geometry, material);
		const mesh = new InstancedMesh(geometry, material, instances.length / 16);
		mesh.instanceMatrix.array.set(instances);
		return mesh;
	}

	/** Connects skinned meshes with their bones, which exist now. */
	bindSkins(bridge: Bridge): void {
		for (const { mesh, node } of this.skinned) {
			const skin = (node as unknown as { skin: SkinOfNode }).skin;
			const { inverseBinds, bindMatrix } = skin.binding;
			const bones = skin.joints.map((joint) => bridge.objectOf(joint) as Bone);
			const inverses = bones.map((_, i) => new Matrix4().fromArray(inverseBinds, i * 16));
			const bind = bindMatrix.length === 16 ? new Matrix4().fromArray(bindMatrix) : new Matrix4();
			mesh.bind(new Skeleton(bones, inverses), bind);
			mesh.normalizeSkinWeights();
		}
	}

	// Geometry.

	/** One geometry of one or more parts, with a group for each. */
	private geometry(parts: readonly Geometry[]): { geometry: BufferGeometry; hasGroups: boolean } {
		const key = parts.map((part) => part.id).join(' ');
		const known = this.geometries.get(key);
		if (known !== undefined) return known;
		const geometry = new BufferGeometry();
		const counts = parts.map((part) => part.positions.length / 3);
		const vertices = counts.reduce((sum, count) => sum + count, 0);
		const attribute = (name: string, size: number, read: (part: Geometry) => Float32Array, missing = 0) => {
			if (parts.every((part) => read(part).length === 0)) return;
			const values = new Float32Array(vertices * size).fill(missing);
			let first = 0;
			parts.forEach((part, i) => {
				values.set(read(part), first * size);
				first += counts[i] as number;
			});
			geometry.setAttribute(name, new BufferAttribute(values, size));
		};
		attribute('position', 3, (part) => part.positions);
		attribute('normal', 3, (part) => part.normals);
		attribute('tangent', 4, (part) => part.tangents);
		attribute('uv', 2, (part) => part.uvs);
		attribute('uv1', 2, (part) => part.uvs1);
		attribute('color', 4, (part) => part.colors, 1);
		attribute('skinWeight', 4, (part) => part.weights);
		if (geometry.attributes.skinWeight !== undefined) {
			const joints = new Uint16Array(vertices * 4);
			let first = 0;
			parts.forEach((part, i) => {
				joints.set(part.joints, first * 4);
				first += counts[i] as number;
			});
			geometry.setAttribute('skinIndex', new BufferAttribute(joints, 4));
		}
		this.index(geometry, parts, counts);
		if (geometry.attributes.normal === undefined && parts[0]?.topology.startsWith('triangle'))
			geometry.computeVertexNormals();
		const made = { geometry, hasGroups: parts.length > 1 };
		this.geometries.set(key, made);
		return made;
	}

	private index(geometry: BufferGeometry, parts: readonly Geometry[], counts: readonly number[]): void {
		const all: number[] = [];
		let firstVertex = 0;
		let isIndexed = parts.length > 1;
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
		if (isIndexed)
			geometry.setIndex(new BufferAttribute(firstVertex < 65536 ? Uint16Array.from(all) : Uint32Array.from(all), 1));
	}

	// Materials.

	private material<M extends ThreeMaterial>(key: string, create: () => M): M {
		const known = this.materials.get(key);
		if (known !== undefined) return known as M;
		const made = create();
		this.materials.set(key, made);
		return made;
	}

	private surface(material: Material, geometry: BufferGeometry): ThreeMaterial {
		const hasColors = geometry.attributes.color !== undefined;
		return this.material(`${material.id} ${hasColors}`, () => {
			if (material.unlit) {
				const made = plain(new MeshBasicMaterial(), material, hasColors);
				made.map = this.texture(material.colorTexture, true);
				return made;
			}
			const isPhysical =
				material.clearcoat > 0 ||
				material.transmission > 0 ||
				material.iridescence > 0 ||
				material.anisotropy > 0 ||
				material.dispersion > 0 ||
				material.ior !== 1.5 ||
				material.specular !== 1 ||
				material.sheenColor.some((value) => value > 0) ||
				material.specularColor.some((value) => value !== 1);
			const made = plain(isPhysical ? new MeshPhysicalMaterial() : new MeshStandardMaterial(), material, hasColors);
			this.standard(made, material);
			if (made instanceof MeshPhysicalMaterial) this.physical(made, material);
			return made;
		});
	}

	private standard(made: MeshStandardMaterial, material: Material): void {
		made.metalness = material.metallic;
		made.roughness = material.roughness;
		made.emissive.setRGB(...material.emissive);
		made.emissiveIntensity = material.emissiveStrength;
		made.map = this.texture(material.colorTexture, true);
		made.metalnessMap = this.texture(material.metallicRoughnessTexture);
		made.roughnessMap = made.metalnessMap;
		made.normalMap = this.texture(material.normalTexture);
		made.normalScale.setScalar(material.normalScale);
		made.aoMap = this.texture(material.occlusionTexture);
		made.aoMapIntensity = material.occlusionStrength;
		made.emissiveMap = this.texture(material.emissiveTexture, true);
	}

	private physical(made: MeshPhysicalMaterial, material: Material): void {
		made.ior = material.ior;
		made.dispersion = material.dispersion;
		made.clearcoat = material.clearcoat;
		made.clearcoatRoughness = material.clearcoatRoughness;
		made.clearcoatNormalScale.setScalar(material.clearcoatNormalScale);
		made.clearcoatMap = this.texture(material.clearcoatTexture);
		made.clearcoatRoughnessMap = this.texture(material.clearcoatRoughnessTexture);
		made.clearcoatNormalMap = this.texture(material.clearcoatNormalTexture);
		if (material.sheenColor.some((value) => value > 0)) made.sheen = 1;
		made.sheenColor.setRGB(...material.sheenColor);
		made.sheenRoughness = material.sheenRoughness;
		made.sheenColorMap = this.texture(material.sheenColorTexture, true);
		made.sheenRoughnessMap = this.texture(material.sheenRoughnessTexture);
		made.specularIntensity = material.specular;
		made.specularColor.setRGB(...material.specularColor);
		made.specularIntensityMap = this.texture(material.specularTexture);
		made.specularColorMap = this.texture(material.specularColorTexture, true);
		made.transmission = material.transmission;
		made.transmissionMap = this.texture(material.transmissionTexture);
		made.thickness = material.thickness;
		made.thicknessMap = this.texture(material.thicknessTexture);
		made.attenuationDistance = material.attenuationDistance;
		made.attenuationColor.setRGB(...material.attenuationColor);
		made.iridescence = material.iridescence;
		made.iridescenceIOR = material.iridescenceIor;
		made.iridescenceThicknessRange = [material.iridescenceThicknessMin, material.iridescenceThicknessMax];
		made.iridescenceMap = this.texture(material.iridescenceTexture);
		made.iridescenceThicknessMap = this.texture(material.iridescenceThicknessTexture);
		made.anisotropy = material.anisotropy;
		made.anisotropyRotation = material.anisotropyRotation;
		made.anisotropyMap = this.texture(material.anisotropyTexture);
	}

	private texture(source: Texture | null, isColor = false): ThreeTexture | null {
		if (source === null) return null;
		const made = new ThreeTexture();
		made.name = source.image.name;
		made.flipY = false;
		made.channel = source.uvSet;
		made.wrapS = WRAPS[source.wrapU];
		made.wrapT = WRAPS[source.wrapV];
		made.magFilter = MAGNIFICATION[source.magFilter ?? 'linear'];
		made.minFilter = MINIFICATION[source.minFilter ?? 'linear-mipmap-linear'];
		if (isColor) made.colorSpace = SRGBColorSpace;
		const { transform } = source;
		if (transform !== null) {
			made.offset.set(...transform.offset);
			made.repeat.set(...transform.scale);
			made.rotation = transform.rotation;
		}
		this.textures.push({ texture: made, source });
		return made;
	}

	/** Decodes the images, where the platform can: each once. */
	async decodeImages(signal: AbortSignal | undefined): Promise<void> {
		if (typeof createImageBitmap !== 'function') return;
		const bitmaps = new Map<TextureImage, Promise<ImageBitmap>>();
		await Promise.all(
			this.textures.map(async ({ texture, source }) => {
				let bitmap = bitmaps.get(source.image);
				if (bitmap === undefined) {
					bitmap = this.document.bitmap(source, signal);
					bitmaps.set(source.image, bitmap);
				}
				texture.image = await bitmap;
				texture.needsUpdate = true;
			}),
		);
	}
}

/** Sets what all materials have. */
function plain<M extends MeshBasicMaterial | MeshStandardMaterial | PointsMaterial | LineBasicMaterial>(
	made: M,
	material: Material,
	hasColors: boolean,
): M {
	made.name = material.name;
	made.color.setRGB(...material.color);
	made.opacity = material.opacity;
	made.vertexColors = hasColors;
	if (material.doubleSided) made.side = DoubleSide;
	if (material.alphaMode === 'blend') {
		made.transparent = true;
		made.depthWrite = false;
	} else {
		made.opacity = 1;
		if (material.alphaMode === 'mask') made.alphaTest = material.alphaCutoff;
	}
	return made;
}

/** Returns the corners of triangles, or those of other topologies as they are. */
function corners(indices: Uint32Array, topology: Geometry['topology']): number[] {
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

function camera(node: Camera): PerspectiveCamera | OrthographicCamera {
	const { near, height } = node;
	const far = Number.isFinite(node.far) ? node.far : 2e6;
	const aspect = node.aspect ?? 1;
	if (node.projection === 'orthographic') {
		const [x, y] = [(height * aspect) / 2, height / 2];
		return new OrthographicCamera(-x, x, y, -y, near, far);
	}
	return new PerspectiveCamera((node.fov * 180) / Math.PI, aspect, near, far);
}

function light(node: Light): Object3D {
	const { intensity, range } = node;
	const distance = Number.isFinite(range) ? range : 0;
	const { type } = node;
	const made =
		type === 'SpotLight'
			? new SpotLight(0xffffff, intensity, distance, node.outerAngle, spotPenumbra(node), 2)
			: type === 'PointLight'
				? new PointLight(0xffffff, intensity, distance, 2)
				: new DirectionalLight(0xffffff, intensity);
	made.color.setRGB(...node.color);
	// In no tree: a child would become a node of the document.
	if (!(made instanceof PointLight)) followLight(made.target);
	return made;
}

function spotPenumbra({ innerAngle, outerAngle }: Light): number {
	return outerAngle > 0 ? 1 - innerAngle / outerAngle : 0;
}
