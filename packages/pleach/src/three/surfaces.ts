/**
 * Materials of pleach as materials of three.js, and back.
 *
 * Invariant: `Surface.seen` holds what the material of three.js had when both sides agreed last: what differs from it was edited
 * through three.js.
 */
import {
	BackSide,
	DoubleSide,
	FrontSide,
	LineBasicMaterial,
	MeshBasicMaterial,
	MeshPhysicalMaterial,
	MeshStandardMaterial,
	PointsMaterial,
	type Material as ThreeMaterial,
	type Texture as ThreeTexture,
} from 'three';
import { PleachError } from '../errors.js';
import { createMaterial, type Material } from '../materials.js';
import { raw } from '../runtime.js';
import type { Textures } from './textures.js';

/** What a part of a mesh draws with a material. */
export interface Drawn {
	readonly as: 'points' | 'lines' | 'triangles';
	readonly hasColors: boolean;
	readonly hasNormals: boolean;
	readonly hasTangents: boolean;
}

/** A texture, and what may be edited in its place. */
interface UsedTexture {
	readonly texture: ThreeTexture;
	readonly sampler: string;
}

/** A property of a material of pleach, as a material of three.js has it. */
type Value = number | boolean | string | readonly number[] | UsedTexture | null;
/** By the name of the property of pleach. */
type Values = Map<string, Value>;

/** A material of three.js with the one of pleach that it shows. */
class Surface {
	seen: Values = new Map();
	version = 0;

	constructor(
		readonly made: ThreeMaterial,
		readonly material: Material,
		readonly drawn: Drawn,
	) {}

	/** Writes the material of pleach to that of three.js. */
	apply(textures: Textures): void {
		apply(this.made, this.material, this.drawn, textures);
		this.agree(textures);
	}

	/** Both sides are the same now, except for what could not be written. */
	agree(textures: Textures, unwritten: Iterable<string> = []): void {
		const former = this.seen;
		this.seen = valuesOf(this.made, this.drawn, textures);
		for (const name of unwritten) this.seen.set(name, former.get(name) ?? null);
		this.version = raw.asset_version(this.material.id);
	}

	/** What was edited through three.js. */
	edits(textures: Textures): Values {
		const now = valuesOf(this.made, this.drawn, textures);
		const edits = new Map([...now].filter(([name, value]) => !isSame(this.seen.get(name), value)));
		// An opaque material of pleach may have an opacity that three.js does not have.
		if (edits.has('alphaMode')) edits.set('opacity', now.get('opacity') as number);
		return edits;
	}
}

/** The materials of a model. */
export class Surfaces {
	private readonly created = new Map<string, Surface>();
	/** By the material of three.js: those that were created, and those that three.js added. */
	private readonly all = new Map<ThreeMaterial, Surface>();

	constructor(private readonly textures: Textures) {}

	/** Returns the material of three.js for a material of pleach. */
	get(material: Material, drawn: Drawn): ThreeMaterial {
		const kind = kindOf(material, drawn);
		const key = `${material.id} ${kind} ${drawn.hasColors} ${drawn.hasNormals} ${drawn.hasTangents}`;
		let surface = this.created.get(key);
		if (surface === undefined) {
			surface = new Surface(new KINDS[kind](), material, drawn);
			surface.apply(this.textures);
			this.created.set(key, surface);
			this.all.set(surface.made, surface);
		}
		return surface.made;
	}

	/**
	 * Writes what pleach edited to the materials of three.js. Returns `true` if a material needs another class: meshes then have to
	 * ask for theirs again.
	 */
	update(): boolean {
		let needsOther = false;
		for (const surface of this.all.values()) {
			const { made, material, drawn, version, seen } = surface;
			if (raw.asset_version(material.id) === version) continue;
			const edits = surface.edits(this.textures);
			if (!(made instanceof KINDS[kindOf(material, drawn)])) needsOther = true;
			surface.apply(this.textures);
			made.needsUpdate = true;
			// What three.js edited and pleach did not stays.
			const kept = [...edits].filter(([name]) => isSame(seen.get(name), surface.seen.get(name)));
			if (kept.length === 0) continue;
			const unwritten = this.write(material, new Map(kept), false, () => {});
			surface.apply(this.textures);
			for (const [name, value] of kept) if (isTexture(value)) putTexture(made, name as TextureName, value.texture);
			surface.agree(this.textures, unwritten);
		}
		return needsOther;
	}

	/** Asks for all textures again: some have images that cannot be decoded. */
	updateTextures(): void {
		for (const surface of this.all.values()) surface.apply(this.textures);
	}

	/**
	 * Returns the material of pleach for a material of three.js, after writing what three.js edited to it. With `isSaving = false`, images
	 * that the model does not have are left for later.
	 */
	toMaterial(made: ThreeMaterial, drawn: Drawn, isSaving: boolean, report: (message: string) => void): Material {
		let surface = this.all.get(made);
		if (surface === undefined) {
			surface = new Surface(made, createMaterial(), drawn);
			this.all.set(made, surface);
		}
		if (!TYPES.includes(made.type)) {
			report(
				`the material '${made.name}' is a ${made.type}, and is saved with the properties of a MeshStandardMaterial`,
			);
		}
		reportMissing(made, report);
		const edits = surface.edits(this.textures);
		if (edits.size > 0) surface.agree(this.textures, this.write(surface.material, edits, isSaving, report));
		return surface.material;
	}

	/** Writes values to a material. Returns the names of textures that are not written. */
	private write(
		material: Material,
		values: Values,
		isSaving: boolean,
		report: (message: string) => void,
	): ReadonlySet<string> {
		const unwritten = new Set<string>();
		for (const [name, value] of values) {
			// The alpha mode is a matter of both properties; a cutoff alone would set it.
			if (name === 'alphaCutoff' && values.get('alphaMode') !== 'mask' && material.alphaMode !== 'mask') continue;
			try {
				const texture = isTexture(value) ? this.textures.optionsOf(value.texture, isSaving) : value;
				if (isTexture(value) && texture === null) unwritten.add(name);
				else Reflect.set(material, name, texture);
			} catch (error) {
				const reason = (error as Error).message;
				if (isTexture(value)) unwritten.add(name);
				if (isTexture(value) && !(error instanceof PleachError)) {
					report(`the ${name} of the material '${material.name}' has an image that the file does not have: ${reason}`);
				} else {
					report(`the ${name} of the material '${material.name}': ${reason}`);
				}
			}
		}
		const mode = values.get('alphaMode');
		if (mode !== undefined) material.alphaMode = mode as Material['alphaMode'];
		return unwritten;
	}
}

function isTexture(value: Value | undefined): value is UsedTexture {
	return typeof value === 'object' && value !== null && 'texture' in value;
}

function samplerOf({ offset, repeat, rotation, channel, wrapS, wrapT, magFilter, minFilter }: ThreeTexture): string {
	return [offset.x, offset.y, repeat.x, repeat.y, rotation, channel, wrapS, wrapT, magFilter, minFilter].join(' ');
}

function isSame(a: Value | undefined, b: Value | undefined): boolean {
	if (isTexture(a) && isTexture(b)) return a.texture === b.texture && a.sampler === b.sampler;
	if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((value, i) => value === b[i]);
	return a === b;
}

const TYPES = [
	'PointsMaterial',
	'LineBasicMaterial',
	'MeshBasicMaterial',
	'MeshStandardMaterial',
	'MeshPhysicalMaterial',
];
const MAPS_OF_THREE = ['alphaMap', 'bumpMap', 'displacementMap', 'envMap', 'lightMap'];

/** Reports what glTF has no place for. */
function reportMissing(made: ThreeMaterial, report: (message: string) => void): void {
	if (made.side === BackSide) report(`the material '${made.name}' draws back sides only, which glTF cannot express`);
	const { roughnessMap, metalnessMap } = made as MeshStandardMaterial;
	if (roughnessMap && metalnessMap && roughnessMap !== metalnessMap) {
		report(`the material '${made.name}' has one map of roughness and one of metalness; that of roughness is saved`);
	}
	for (const name of MAPS_OF_THREE) {
		if ((made as unknown as Record<string, unknown>)[name])
			report(`the ${name} of the material '${made.name}' is not saved`);
	}
}

const KINDS = {
	points: PointsMaterial,
	lines: LineBasicMaterial,
	unlit: MeshBasicMaterial,
	standard: MeshStandardMaterial,
	physical: MeshPhysicalMaterial,
} as const;

function kindOf(material: Material, drawn: Drawn): keyof typeof KINDS {
	if (drawn.as !== 'triangles') return drawn.as;
	if (material.unlit) return 'unlit';
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
	return isPhysical ? 'physical' : 'standard';
}

// Textures.

type TextureName = keyof typeof PROPERTIES;

/** The maps of three.js, by the names that pleach has for them. */
const PROPERTIES = {
	colorTexture: 'map',
	metallicRoughnessTexture: 'roughnessMap',
	normalTexture: 'normalMap',
	occlusionTexture: 'aoMap',
	emissiveTexture: 'emissiveMap',
	clearcoatTexture: 'clearcoatMap',
	clearcoatRoughnessTexture: 'clearcoatRoughnessMap',
	clearcoatNormalTexture: 'clearcoatNormalMap',
	sheenColorTexture: 'sheenColorMap',
	sheenRoughnessTexture: 'sheenRoughnessMap',
	specularTexture: 'specularIntensityMap',
	specularColorTexture: 'specularColorMap',
	transmissionTexture: 'transmissionMap',
	thicknessTexture: 'thicknessMap',
	iridescenceTexture: 'iridescenceMap',
	iridescenceThicknessTexture: 'iridescenceThicknessMap',
	anisotropyTexture: 'anisotropyMap',
} as const;

const MAPS = (Object.keys(PROPERTIES) as TextureName[]).map((name) => ({
	name,
	isColor: name === 'emissiveTexture' || name.toLowerCase().includes('color'),
}));
const STANDARD_MAPS = MAPS.slice(0, 5);

/** Returns the textures that a material can have. */
function mapsOf(made: ThreeMaterial): typeof MAPS {
	if (made instanceof MeshPhysicalMaterial) return MAPS;
	if (made instanceof MeshStandardMaterial) return STANDARD_MAPS;
	return made instanceof LineBasicMaterial ? [] : MAPS.slice(0, 1);
}

type Maps = Partial<Record<string, ThreeTexture | null>>;

function textureOf(made: ThreeMaterial, name: TextureName): ThreeTexture | null {
	const maps = made as unknown as Maps;
	const texture = maps[PROPERTIES[name]] ?? null;
	return name === 'metallicRoughnessTexture' ? (texture ?? maps.metalnessMap ?? null) : texture;
}

function putTexture(made: ThreeMaterial, name: TextureName, texture: ThreeTexture | null): void {
	const maps = made as unknown as Maps;
	maps[PROPERTIES[name]] = texture;
	if (name === 'metallicRoughnessTexture') maps.metalnessMap = texture;
}

// From pleach to three.js.

/** Writes all properties of a material of pleach to one of three.js. */
function apply(made: ThreeMaterial, material: Material, drawn: Drawn, textures: Textures): void {
	const simple = made as MeshBasicMaterial;
	simple.name = material.name;
	simple.color.setRGB(...material.color);
	simple.vertexColors = drawn.hasColors;
	simple.side = material.doubleSided ? DoubleSide : FrontSide;
	const { alphaMode } = material;
	simple.transparent = alphaMode === 'blend';
	simple.depthWrite = alphaMode !== 'blend';
	simple.opacity = alphaMode === 'blend' ? material.opacity : 1;
	simple.alphaTest = alphaMode === 'mask' ? material.alphaCutoff : 0;
	if (made instanceof PointsMaterial) made.sizeAttenuation = false;
	if (made instanceof MeshStandardMaterial) standard(made, material, drawn);
	if (made instanceof MeshPhysicalMaterial) physical(made, material, drawn);
	for (const map of mapsOf(made)) putTexture(made, map.name, textures.get(material[map.name], map.isColor));
}

function standard(made: MeshStandardMaterial, material: Material, drawn: Drawn): void {
	made.flatShading = !drawn.hasNormals;
	made.metalness = material.metallic;
	made.roughness = material.roughness;
	made.emissive.setRGB(...material.emissive);
	made.emissiveIntensity = material.emissiveStrength;
	made.normalScale.set(1, drawn.hasTangents ? 1 : -1).multiplyScalar(material.normalScale);
	made.aoMapIntensity = material.occlusionStrength;
}

/** The thickness of the film: a range in older versions of three.js, two numbers in newer ones. */
interface IridescenceThickness {
	iridescenceThicknessRange: [number, number];
	iridescenceThicknessMinimum: number;
	iridescenceThicknessMaximum: number;
}

function hasThicknessNumbers(made: object): boolean {
	return 'iridescenceThicknessMinimum' in made;
}

function physical(made: MeshPhysicalMaterial, material: Material, drawn: Drawn): void {
	made.ior = material.ior;
	made.dispersion = material.dispersion;
	made.clearcoat = material.clearcoat;
	made.clearcoatRoughness = material.clearcoatRoughness;
	made.clearcoatNormalScale.set(1, drawn.hasTangents ? 1 : -1).multiplyScalar(material.clearcoatNormalScale);
	made.sheen = material.sheenColor.some((value) => value > 0) ? 1 : 0;
	made.sheenColor.setRGB(...material.sheenColor);
	made.sheenRoughness = material.sheenRoughness;
	made.specularIntensity = material.specular;
	made.specularColor.setRGB(...material.specularColor);
	made.transmission = material.transmission;
	made.thickness = material.thickness;
	made.attenuationDistance = material.attenuationDistance;
	made.attenuationColor.setRGB(...material.attenuationColor);
	made.iridescence = material.iridescence;
	made.iridescenceIOR = material.iridescenceIor;
	const thickness = made as unknown as IridescenceThickness;
	if (hasThicknessNumbers(made)) {
		thickness.iridescenceThicknessMinimum = material.iridescenceThicknessMin;
		thickness.iridescenceThicknessMaximum = material.iridescenceThicknessMax;
	} else {
		thickness.iridescenceThicknessRange = [material.iridescenceThicknessMin, material.iridescenceThicknessMax];
	}
	made.anisotropy = material.anisotropy;
	made.anisotropyRotation = material.anisotropyRotation;
}

// From three.js to pleach.

/** Returns the values of a material of three.js, by the names that pleach has for them. */
function valuesOf(made: ThreeMaterial, drawn: Drawn, textures: Textures): Values {
	const values: Values = new Map();
	const simple = made as MeshBasicMaterial;
	values.set('name', made.name);
	if (simple.color !== undefined) values.set('color', simple.color.toArray());
	values.set('opacity', made.opacity);
	values.set('doubleSided', made.side === DoubleSide);
	values.set('alphaCutoff', made.alphaTest);
	values.set('alphaMode', made.transparent ? 'blend' : made.alphaTest > 0 ? 'mask' : 'opaque');
	if (drawn.as === 'triangles') values.set('unlit', made.type === 'MeshBasicMaterial');
	for (const { name } of mapsOf(made)) {
		const texture = textureOf(made, name);
		values.set(name, texture && { texture, sampler: `${samplerOf(texture)} ${textures.stampOf(texture)}` });
	}
	if (!(made instanceof MeshStandardMaterial)) return values;
	values.set('metallic', made.metalness);
	values.set('roughness', made.roughness);
	values.set('emissive', made.emissive.toArray());
	values.set('emissiveStrength', made.emissiveIntensity);
	values.set('normalScale', made.normalScale.x);
	values.set('occlusionStrength', made.aoMapIntensity);
	if (!(made instanceof MeshPhysicalMaterial)) return values;
	values.set('ior', made.ior);
	values.set('dispersion', made.dispersion);
	values.set('clearcoat', made.clearcoat);
	values.set('clearcoatRoughness', made.clearcoatRoughness);
	values.set('clearcoatNormalScale', made.clearcoatNormalScale.x);
	values.set('sheenColor', made.sheenColor.clone().multiplyScalar(made.sheen).toArray());
	values.set('sheenRoughness', made.sheenRoughness);
	values.set('specular', made.specularIntensity);
	values.set('specularColor', made.specularColor.toArray());
	values.set('transmission', made.transmission);
	values.set('thickness', made.thickness);
	values.set('attenuationDistance', made.attenuationDistance);
	values.set('attenuationColor', made.attenuationColor.toArray());
	values.set('iridescence', made.iridescence);
	values.set('iridescenceIor', made.iridescenceIOR);
	const thickness = made as unknown as IridescenceThickness;
	const [min, max] = hasThicknessNumbers(made)
		? [thickness.iridescenceThicknessMinimum, thickness.iridescenceThicknessMaximum]
		: thickness.iridescenceThicknessRange;
	values.set('iridescenceThicknessMin', min);
	values.set('iridescenceThicknessMax', max);
	values.set('anisotropy', made.anisotropy);
	values.set('anisotropyRotation', made.anisotropyRotation);
	return values;
}
