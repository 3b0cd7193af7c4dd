/**
 * Materials and the images that they use.
 */
import { checkedCount, checkType, floats, toFloats, toObject, toText } from './arguments.js';
import { Asset } from './asset.js';
import { PleachError } from './errors.js';
import { glue, raw } from './runtime.js';

/** A linear colour: red, green and blue. `srgb` converts. */
export type Color = readonly [number, number, number];

/** How alpha is used: not at all, as a threshold, or for blending. */
export type AlphaMode = 'opaque' | 'mask' | 'blend';
const ALPHA_MODES: readonly AlphaMode[] = ['opaque', 'mask', 'blend'];

/**
 * Returns the linear colour of an sRGB colour, as in style sheets.
 *
 * @example
 * ```ts
 * scene.background = srgb(0x88aaff);
 * ```
 */
export function srgb(hex: number): Color {
	const linear = (shift: number) => {
		const value = ((hex >> shift) & 0xff) / 255;
		return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
	};
	return [linear(16), linear(8), linear(0)];
}

/** How a texture is magnified. */
export type MagFilter = 'nearest' | 'linear';
/** How a texture is minified: within a level, and between levels. */
export type MinFilter =
	| 'nearest'
	| 'linear'
	| 'nearest-mipmap-nearest'
	| 'linear-mipmap-nearest'
	| 'nearest-mipmap-linear'
	| 'linear-mipmap-linear';
/** What is outside of a texture. */
export type Wrap = 'repeat' | 'mirrored-repeat' | 'clamp-to-edge';

const MAG_FILTERS: Record<MagFilter, number> = { nearest: 9728, linear: 9729 };
const MIN_FILTERS: Record<MinFilter, number> = {
	nearest: 9728,
	linear: 9729,
	'nearest-mipmap-nearest': 9984,
	'linear-mipmap-nearest': 9985,
	'nearest-mipmap-linear': 9986,
	'linear-mipmap-linear': 9987,
};
const WRAPS: Record<Wrap, number> = { repeat: 10497, 'mirrored-repeat': 33648, 'clamp-to-edge': 33071 };

/** Returns the number of a name, or throws. */
function numberOf<K extends string>(table: Record<K, number>, key: K, what: string): number {
	const number = Object.hasOwn(table, key) ? table[key] : undefined;
	if (number !== undefined) return number;
	throw new PleachError('out-of-range', `'${key}' is not a ${what}: use one of ${Object.keys(table).join(', ')}`);
}

function keyOf<K extends string>(table: Record<K, number>, value: number | undefined): K | null {
	for (const key in table) if (table[key] === value) return key;
	return null;
}

/** Where a texture lies on the texture coordinates. */
export interface TextureTransform {
	readonly offset: readonly [number, number];
	/** In radians, counter-clockwise. */
	readonly rotation: number;
	readonly scale: readonly [number, number];
}

/** An image as a material uses it. Assign a new one to change it. */
export interface Texture {
	readonly image: TextureImage;
	/** The set of texture coordinates. */
	readonly uvSet: number;
	readonly magFilter: MagFilter | null;
	readonly minFilter: MinFilter | null;
	readonly wrapU: Wrap;
	readonly wrapV: Wrap;
	readonly transform: TextureTransform | null;
}

/** A texture to assign: all but the image has a default. */
export type TextureOptions = Pick<Texture, 'image'> & Partial<Texture>;

/**
 * An image: encoded bytes, pixels, or a URI. Encoded ones are decoded by the browser.
 *
 * @example
 * ```ts
 * const image = TextureImage.fromPixels(1, 1, new Uint8Array([255, 0, 0, 255]));
 * material.colorTexture = { image };
 * assert.equal(material.colorTexture?.image, image);
 * ```
 */
export class TextureImage extends Asset {
	/** @internal */
	static of(id: number): TextureImage {
		return Asset.wrap(id, TextureImage);
	}

	/** Creates an image from encoded bytes. */
	static fromEncoded(mimeType: string, bytes: Uint8Array): TextureImage {
		checkType(bytes, Uint8Array, 'the bytes');
		return TextureImage.of(glue.image_from_encoded(toText(mimeType, 'the MIME type'), bytes));
	}

	/** Creates an image from pixels: 4 bytes each (red, green, blue, alpha), row by row from the top. */
	static fromPixels(width: number, height: number, pixels: Uint8Array): TextureImage {
		checkType(pixels, Uint8Array, 'the pixels');
		const [columns, rows] = [checkedCount(width, 'the width'), checkedCount(height, 'the height')];
		return TextureImage.of(glue.image_from_pixels(columns, rows, pixels));
	}

	/** Creates an image that is loaded by whoever draws it. */
	static fromUri(uri: string): TextureImage {
		return TextureImage.of(glue.image_from_uri(toText(uri, 'the URI')));
	}

	/** The name; '' without one. */
	get name(): string {
		return glue.asset_name(this.liveId);
	}
	set name(name: string) {
		glue.asset_set_name(this.liveId, toText(name, 'the name'));
	}

	/** The MIME type of encoded bytes; '' for pixels and URIs. */
	get mimeType(): string {
		return glue.image_mime(this.liveId);
	}

	/** The URI of an image that is not in memory, or ''. */
	get uri(): string {
		return glue.image_uri(this.liveId);
	}

	/** Width and height of pixels; `null` for encoded images and URIs. */
	get size(): readonly [number, number] | null {
		const size = glue.image_size(this.liveId);
		return size.length === 2 ? [size[0] as number, size[1] as number] : null;
	}

	/** A copy of the encoded bytes, or of the pixels; empty for URIs. */
	get bytes(): Uint8Array<ArrayBuffer> {
		return glue.image_bytes(this.liveId) as Uint8Array<ArrayBuffer>;
	}

	/** Replaces the image by encoded bytes, for everything that uses it. */
	setEncoded(mimeType: string, bytes: Uint8Array): this {
		checkType(bytes, Uint8Array, 'the bytes');
		glue.image_set_encoded(this.liveId, toText(mimeType, 'the MIME type'), bytes);
		return this;
	}
}

/** What a material is created with: any of its properties. */
export type MaterialOptions = {
	[K in keyof Material as Material[K] extends (...args: never[]) => unknown
		? never
		: Exclude<K, 'id' | 'liveId' | 'version' | 'disposed'>]?: Texture extends Material[K]
		? TextureOptions | null
		: Material[K];
};

/**
 * A material, shared by everything that uses it: writing a property changes it for all, `id` stays and `version` counts up.
 * The properties are those of glTF's materials and their extensions; a new material is not metallic.
 *
 * @example
 * ```ts
 * const red = createMaterial({ color: [1, 0, 0], roughness: 0.4 });
 * const mesh = scene.createMesh({ geometry: box(), material: red });
 * red.color = [0, 0, 1];
 * assert.deepEqual(mesh.material.color, [0, 0, 1]);
 * ```
 */
export class Material extends Asset {
	/** @internal */
	static of(id: number): Material {
		return Asset.wrap(id, Material);
	}

	/** The name; '' without one. */
	get name(): string {
		return glue.asset_name(this.liveId);
	}
	set name(name: string) {
		glue.asset_set_name(this.liveId, toText(name, 'the name'));
	}

	/** How alpha is used. */
	get alphaMode(): AlphaMode {
		return ALPHA_MODES[this.read('alphaMode')] as AlphaMode;
	}
	set alphaMode(mode: AlphaMode) {
		const index = ALPHA_MODES.indexOf(mode);
		if (index < 0) {
			throw new PleachError('out-of-range', `'${mode}' is not an alpha mode: use one of ${ALPHA_MODES.join(', ')}`);
		}
		this.write('alphaMode', index);
	}

	/** The base colour, linear. */
	get color(): Color {
		return this.readColor('color');
	}
	set color(color: Color) {
		this.writeColor('color', color);
	}

	/** The emissive colour, linear. */
	get emissive(): Color {
		return this.readColor('emissive');
	}
	set emissive(color: Color) {
		this.writeColor('emissive', color);
	}

	/** The colour of the sheen, linear; black for none. */
	get sheenColor(): Color {
		return this.readColor('sheenColor');
	}
	set sheenColor(color: Color) {
		this.writeColor('sheenColor', color);
	}

	/** The colour of specular reflection, linear. */
	get specularColor(): Color {
		return this.readColor('specularColor');
	}
	set specularColor(color: Color) {
		this.writeColor('specularColor', color);
	}

	/** The colour of light that is scattered through, linear. */
	get diffuseTransmissionColor(): Color {
		return this.readColor('diffuseTransmissionColor');
	}
	set diffuseTransmissionColor(color: Color) {
		this.writeColor('diffuseTransmissionColor', color);
	}

	/** The colour that light has after the attenuation distance, linear. */
	get attenuationColor(): Color {
		return this.readColor('attenuationColor');
	}
	set attenuationColor(color: Color) {
		this.writeColor('attenuationColor', color);
	}

	/** The alpha of the colour: it matters with the alpha mode 'mask' or 'blend'. */
	get opacity(): number {
		return this.read('opacity');
	}
	set opacity(value: number) {
		this.write('opacity', value);
	}

	/** How metallic the surface is, from 0 to 1. */
	get metallic(): number {
		return this.read('metallic');
	}
	set metallic(value: number) {
		this.write('metallic', value);
	}

	/** How rough the surface is, from 0 to 1. */
	get roughness(): number {
		return this.read('roughness');
	}
	set roughness(value: number) {
		this.write('roughness', value);
	}

	/** The strength of the normal texture. */
	get normalScale(): number {
		return this.read('normalScale');
	}
	set normalScale(value: number) {
		this.write('normalScale', value);
	}

	/** The strength of the occlusion texture, from 0 to 1. */
	get occlusionStrength(): number {
		return this.read('occlusionStrength');
	}
	set occlusionStrength(value: number) {
		this.write('occlusionStrength', value);
	}

	/** The factor of the emissive colour, for lights brighter than 1. */
	get emissiveStrength(): number {
		return this.read('emissiveStrength');
	}
	set emissiveStrength(value: number) {
		this.write('emissiveStrength', value);
	}

	/** The alpha below which nothing is drawn. Setting it sets the alpha mode 'mask'. */
	get alphaCutoff(): number {
		return this.read('alphaCutoff');
	}
	set alphaCutoff(value: number) {
		this.write('alphaCutoff', value);
	}

	/** The index of refraction. */
	get ior(): number {
		return this.read('ior');
	}
	set ior(value: number) {
		this.write('ior', value);
	}

	/** The strength of dispersion. */
	get dispersion(): number {
		return this.read('dispersion');
	}
	set dispersion(value: number) {
		this.write('dispersion', value);
	}

	/** The strength of the clear coat, from 0 to 1. */
	get clearcoat(): number {
		return this.read('clearcoat');
	}
	set clearcoat(value: number) {
		this.write('clearcoat', value);
	}

	/** How rough the clear coat is, from 0 to 1. */
	get clearcoatRoughness(): number {
		return this.read('clearcoatRoughness');
	}
	set clearcoatRoughness(value: number) {
		this.write('clearcoatRoughness', value);
	}

	/** The strength of the normal texture of the clear coat. */
	get clearcoatNormalScale(): number {
		return this.read('clearcoatNormalScale');
	}
	set clearcoatNormalScale(value: number) {
		this.write('clearcoatNormalScale', value);
	}

	/** How rough the sheen is, from 0 to 1. */
	get sheenRoughness(): number {
		return this.read('sheenRoughness');
	}
	set sheenRoughness(value: number) {
		this.write('sheenRoughness', value);
	}

	/** The strength of specular reflection, from 0 to 1. */
	get specular(): number {
		return this.read('specular');
	}
	set specular(value: number) {
		this.write('specular', value);
	}

	/** How much light passes through, from 0 to 1. */
	get transmission(): number {
		return this.read('transmission');
	}
	set transmission(value: number) {
		this.write('transmission', value);
	}

	/** How much light is scattered through, from 0 to 1. */
	get diffuseTransmission(): number {
		return this.read('diffuseTransmission');
	}
	set diffuseTransmission(value: number) {
		this.write('diffuseTransmission', value);
	}

	/** The thickness of the volume below the surface, in metres; 0 for a thin wall. */
	get thickness(): number {
		return this.read('thickness');
	}
	set thickness(value: number) {
		this.write('thickness', value);
	}

	/** The distance in metres at which light has the attenuation colour; infinite without attenuation. */
	get attenuationDistance(): number {
		return this.read('attenuationDistance');
	}
	set attenuationDistance(value: number) {
		this.write('attenuationDistance', value);
	}

	/** The strength of iridescence, from 0 to 1. */
	get iridescence(): number {
		return this.read('iridescence');
	}
	set iridescence(value: number) {
		this.write('iridescence', value);
	}

	/** The index of refraction of the thin film. */
	get iridescenceIor(): number {
		return this.read('iridescenceIor');
	}
	set iridescenceIor(value: number) {
		this.write('iridescenceIor', value);
	}

	/** The smallest thickness of the thin film in nanometres. */
	get iridescenceThicknessMin(): number {
		return this.read('iridescenceThicknessMin');
	}
	set iridescenceThicknessMin(value: number) {
		this.write('iridescenceThicknessMin', value);
	}

	/** The greatest thickness of the thin film in nanometres. */
	get iridescenceThicknessMax(): number {
		return this.read('iridescenceThicknessMax');
	}
	set iridescenceThicknessMax(value: number) {
		this.write('iridescenceThicknessMax', value);
	}

	/** The strength of anisotropy, from 0 to 1. */
	get anisotropy(): number {
		return this.read('anisotropy');
	}
	set anisotropy(value: number) {
		this.write('anisotropy', value);
	}

	/** The rotation of the anisotropy in radians. */
	get anisotropyRotation(): number {
		return this.read('anisotropyRotation');
	}
	set anisotropyRotation(value: number) {
		this.write('anisotropyRotation', value);
	}

	/** `true` if both sides are drawn. */
	get doubleSided(): boolean {
		return this.read('doubleSided') !== 0;
	}
	set doubleSided(flag: boolean) {
		this.write('doubleSided', flag ? 1 : 0);
	}

	/** `true` if lights have no effect. */
	get unlit(): boolean {
		return this.read('unlit') !== 0;
	}
	set unlit(flag: boolean) {
		this.write('unlit', flag ? 1 : 0);
	}

	/** The texture of the color, or `null`. */
	get colorTexture(): Texture | null {
		return this.readTexture('colorTexture');
	}
	set colorTexture(texture: TextureOptions | null) {
		this.writeTexture('colorTexture', texture);
	}

	/** The texture of the metallic roughness, or `null`. */
	get metallicRoughnessTexture(): Texture | null {
		return this.readTexture('metallicRoughnessTexture');
	}
	set metallicRoughnessTexture(texture: TextureOptions | null) {
		this.writeTexture('metallicRoughnessTexture', texture);
	}

	/** The texture of the normal, or `null`. */
	get normalTexture(): Texture | null {
		return this.readTexture('normalTexture');
	}
	set normalTexture(texture: TextureOptions | null) {
		this.writeTexture('normalTexture', texture);
	}

	/** The texture of the occlusion, or `null`. */
	get occlusionTexture(): Texture | null {
		return this.readTexture('occlusionTexture');
	}
	set occlusionTexture(texture: TextureOptions | null) {
		this.writeTexture('occlusionTexture', texture);
	}

	/** The texture of the emissive, or `null`. */
	get emissiveTexture(): Texture | null {
		return this.readTexture('emissiveTexture');
	}
	set emissiveTexture(texture: TextureOptions | null) {
		this.writeTexture('emissiveTexture', texture);
	}

	/** The texture of the clearcoat, or `null`. */
	get clearcoatTexture(): Texture | null {
		return this.readTexture('clearcoatTexture');
	}
	set clearcoatTexture(texture: TextureOptions | null) {
		this.writeTexture('clearcoatTexture', texture);
	}

	/** The texture of the clearcoat roughness, or `null`. */
	get clearcoatRoughnessTexture(): Texture | null {
		return this.readTexture('clearcoatRoughnessTexture');
	}
	set clearcoatRoughnessTexture(texture: TextureOptions | null) {
		this.writeTexture('clearcoatRoughnessTexture', texture);
	}

	/** The texture of the clearcoat normal, or `null`. */
	get clearcoatNormalTexture(): Texture | null {
		return this.readTexture('clearcoatNormalTexture');
	}
	set clearcoatNormalTexture(texture: TextureOptions | null) {
		this.writeTexture('clearcoatNormalTexture', texture);
	}

	/** The texture of the sheen color, or `null`. */
	get sheenColorTexture(): Texture | null {
		return this.readTexture('sheenColorTexture');
	}
	set sheenColorTexture(texture: TextureOptions | null) {
		this.writeTexture('sheenColorTexture', texture);
	}

	/** The texture of the sheen roughness, or `null`. */
	get sheenRoughnessTexture(): Texture | null {
		return this.readTexture('sheenRoughnessTexture');
	}
	set sheenRoughnessTexture(texture: TextureOptions | null) {
		this.writeTexture('sheenRoughnessTexture', texture);
	}

	/** The texture of the specular, or `null`. */
	get specularTexture(): Texture | null {
		return this.readTexture('specularTexture');
	}
	set specularTexture(texture: TextureOptions | null) {
		this.writeTexture('specularTexture', texture);
	}

	/** The texture of the specular color, or `null`. */
	get specularColorTexture(): Texture | null {
		return this.readTexture('specularColorTexture');
	}
	set specularColorTexture(texture: TextureOptions | null) {
		this.writeTexture('specularColorTexture', texture);
	}

	/** The texture of the transmission, or `null`. */
	get transmissionTexture(): Texture | null {
		return this.readTexture('transmissionTexture');
	}
	set transmissionTexture(texture: TextureOptions | null) {
		this.writeTexture('transmissionTexture', texture);
	}

	/** The texture of the diffuse transmission, or `null`. */
	get diffuseTransmissionTexture(): Texture | null {
		return this.readTexture('diffuseTransmissionTexture');
	}
	set diffuseTransmissionTexture(texture: TextureOptions | null) {
		this.writeTexture('diffuseTransmissionTexture', texture);
	}

	/** The texture of the diffuse transmission color, or `null`. */
	get diffuseTransmissionColorTexture(): Texture | null {
		return this.readTexture('diffuseTransmissionColorTexture');
	}
	set diffuseTransmissionColorTexture(texture: TextureOptions | null) {
		this.writeTexture('diffuseTransmissionColorTexture', texture);
	}

	/** The texture of the thickness, or `null`. */
	get thicknessTexture(): Texture | null {
		return this.readTexture('thicknessTexture');
	}
	set thicknessTexture(texture: TextureOptions | null) {
		this.writeTexture('thicknessTexture', texture);
	}

	/** The texture of the iridescence, or `null`. */
	get iridescenceTexture(): Texture | null {
		return this.readTexture('iridescenceTexture');
	}
	set iridescenceTexture(texture: TextureOptions | null) {
		this.writeTexture('iridescenceTexture', texture);
	}

	/** The texture of the iridescence thickness, or `null`. */
	get iridescenceThicknessTexture(): Texture | null {
		return this.readTexture('iridescenceThicknessTexture');
	}
	set iridescenceThicknessTexture(texture: TextureOptions | null) {
		this.writeTexture('iridescenceThicknessTexture', texture);
	}

	/** The texture of the anisotropy, or `null`. */
	get anisotropyTexture(): Texture | null {
		return this.readTexture('anisotropyTexture');
	}
	set anisotropyTexture(texture: TextureOptions | null) {
		this.writeTexture('anisotropyTexture', texture);
	}

	/** Returns a copy, which can be changed on its own. */
	clone(): Material {
		return Material.of(raw.asset_fork(this.liveId));
	}

	private read(name: string): number {
		return glue.material_get(this.liveId, name)[0] as number;
	}

	private write(name: string, value: number): void {
		if (typeof value !== 'number') {
			throw new PleachError('wrong-type', `${name} must be a number, not ${typeof value}`);
		}
		glue.material_set(this.liveId, name, new Float32Array([value]));
	}

	private readColor(name: string): Color {
		const [r, g, b] = glue.material_get(this.liveId, name);
		return [r as number, g as number, b as number];
	}

	private writeColor(name: string, color: Color): void {
		glue.material_set(this.liveId, name, toColor(color, name));
	}

	private readTexture(name: string): Texture | null {
		const numbers = glue.texture_get(this.liveId, name);
		if (numbers.length === 0) return null;
		const [image, uvSet, mag, min, wrapU, wrapV, hasTransform, ox, oy, rotation, sx, sy] =
			numbers as unknown as number[];
		return {
			image: TextureImage.of(image as number),
			uvSet: uvSet as number,
			magFilter: keyOf(MAG_FILTERS, mag),
			minFilter: keyOf(MIN_FILTERS, min),
			wrapU: keyOf(WRAPS, wrapU) ?? 'repeat',
			wrapV: keyOf(WRAPS, wrapV) ?? 'repeat',
			transform:
				hasTransform === 0
					? null
					: {
							offset: [ox as number, oy as number],
							rotation: rotation as number,
							scale: [sx as number, sy as number],
						},
		};
	}

	private writeTexture(name: string, texture: TextureOptions | null): void {
		if (texture === null) {
			glue.texture_set(this.liveId, name, new Float64Array(0));
			return;
		}
		toObject(texture, name);
		const { image, uvSet = 0, magFilter, minFilter, wrapU = 'repeat', wrapV = 'repeat', transform } = texture;
		if (!(image instanceof TextureImage)) {
			throw new PleachError('wrong-type', `${name} needs an image: pass { image } with a TextureImage`);
		}
		const { offset, rotation, scale } = transform ?? { offset: [0, 0], rotation: 0, scale: [1, 1] };
		const numbers = [
			image.liveId,
			checkedCount(uvSet, `the uvSet of ${name}`),
			magFilter ? numberOf(MAG_FILTERS, magFilter, 'filter') : 0,
			minFilter ? numberOf(MIN_FILTERS, minFilter, 'filter') : 0,
			numberOf(WRAPS, wrapU, 'way to wrap'),
			numberOf(WRAPS, wrapV, 'way to wrap'),
			transform ? 1 : 0,
			...floats(offset, 2, `the offset of ${name}`),
			rotation,
			...floats(scale, 2, `the scale of ${name}`),
		];
		glue.texture_set(this.liveId, name, Float64Array.from(numbers));
	}
}

/** @internal Returns the three numbers of a colour, or throws. */
export function toColor(color: Color, what: string): Float32Array {
	if (color === null || typeof color !== 'object' || color.length !== 3) {
		throw new PleachError('wrong-type', `${what} is not a colour: pass [red, green, blue], or srgb(0xff8800)`);
	}
	return toFloats(color as unknown as ArrayLike<number>, what);
}

/**
 * Creates a material.
 *
 * @example
 * ```ts
 * const brass = createMaterial({ color: [0.9, 0.6, 0.2], metallic: 1, roughness: 0.3 });
 * assert.equal(brass.version >= 1, true);
 * ```
 */
export function createMaterial(options: MaterialOptions = {}): Material {
	for (const name of Object.keys(toObject(options, 'the properties of a material'))) {
		if (Object.getOwnPropertyDescriptor(Material.prototype, name)?.set !== undefined) continue;
		// A material that is spread has its own members alone, which are not its properties.
		throw new PleachError(
			'out-of-range',
			`materials have no property '${name}' to set; to copy a material, use \`clone()\``,
		);
	}
	const material = Material.of(checkedId(raw.material_new()));
	try {
		for (const [name, value] of Object.entries(options)) if (value !== undefined) Reflect.set(material, name, value);
	} catch (error) {
		material.dispose();
		throw error;
	}
	return material;
}

/** @internal */
export function checkedId(id: number): number {
	if (Number.isNaN(id)) throw glue.take_fault() as PleachError;
	return id;
}
