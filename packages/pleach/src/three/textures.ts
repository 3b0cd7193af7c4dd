/**
 * Textures of pleach as textures of three.js, and back. A texture of three.js is created once for each image and sampler.
 */
import {
	ClampToEdgeWrapping,
	LinearFilter,
	LinearMipmapLinearFilter,
	LinearMipmapNearestFilter,
	MirroredRepeatWrapping,
	NearestFilter,
	NearestMipmapLinearFilter,
	NearestMipmapNearestFilter,
	RepeatWrapping,
	SRGBColorSpace,
	Texture as ThreeTexture,
} from 'three';
import type { Texture, TextureImage, TextureOptions, Wrap } from '../materials.js';

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

function keyOf<K extends string>(table: Record<K, unknown>, value: unknown): K | undefined {
	return (Object.keys(table) as K[]).find((key) => table[key] === value);
}

/** The textures of a model. */
export class Textures {
	private readonly made = new Map<string, ThreeTexture>();
	/** What textures of an image share. */
	private readonly shared = new Map<TextureImage, ThreeTexture['source']>();
	private readonly sources = new Map<ThreeTexture, Texture>();
	/** By the source of a texture, which its clones share. */
	private readonly images = new Map<unknown, TextureImage>();
	/** Textures whose images are not decoded yet. */
	private pending: ThreeTexture[] = [];
	/** Textures whose images cannot be decoded. */
	private readonly broken = new Set<ThreeTexture>();

	/** Returns the texture of three.js; `null` if there is none, or if its image cannot be decoded. */
	get(source: Texture | null, isColor = false): ThreeTexture | null {
		if (source === null) return null;
		const { image, ...sampler } = source;
		const key = JSON.stringify([image.id, isColor, sampler]);
		const known = this.made.get(key);
		if (known !== undefined) return this.broken.has(known) ? null : known;
		const made = new ThreeTexture();
		made.name = image.name;
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
		this.made.set(key, made);
		this.sources.set(made, source);
		const shared = this.shared.get(image) ?? made.source;
		this.shared.set(image, shared);
		this.images.set(shared, image);
		made.source = shared;
		if (shared.data) made.needsUpdate = true;
		else this.pending.push(made);
		return made;
	}

	/** Returns the texture for pleach; `null` if its image is not one of the model. */
	optionsOf(texture: ThreeTexture): TextureOptions | null {
		const source = this.sources.get(texture);
		const image = this.images.get(texture.source);
		if (image === undefined) return null;
		const { offset, repeat, rotation, channel } = texture;
		const isPlain = offset.x === 0 && offset.y === 0 && repeat.x === 1 && repeat.y === 1 && rotation === 0;
		const mag = keyOf(MAGNIFICATION, texture.magFilter) ?? 'linear';
		const min = keyOf(MINIFICATION, texture.minFilter) ?? 'linear-mipmap-linear';
		return {
			image,
			uvSet: channel,
			wrapU: keyOf<Wrap>(WRAPS, texture.wrapS) ?? 'repeat',
			wrapV: keyOf<Wrap>(WRAPS, texture.wrapT) ?? 'repeat',
			// What the file leaves to the renderer stays so.
			magFilter: source?.magFilter === null && mag === 'linear' ? null : mag,
			minFilter: source?.minFilter === null && min === 'linear-mipmap-linear' ? null : min,
			transform: isPlain ? null : { offset: [offset.x, offset.y], rotation, scale: [repeat.x, repeat.y] },
		};
	}

	/**
	 * Decodes the images of new textures, each once. `failed` is called for textures whose image cannot be decoded: from then on
	 * `get` returns `null` for them.
	 */
	async decode(
		bitmap: (source: Texture) => Promise<ImageBitmap>,
		failed: (texture: ThreeTexture, image: TextureImage, error: unknown) => void,
	): Promise<void> {
		const textures = this.pending;
		this.pending = [];
		const bitmaps = new Map<TextureImage, Promise<ImageBitmap>>();
		await Promise.all(
			textures.map(async (texture) => {
				const source = this.sources.get(texture) as Texture;
				const { image } = source;
				let decoded = bitmaps.get(image);
				if (decoded === undefined) {
					decoded = bitmap(source);
					bitmaps.set(image, decoded);
				}
				try {
					texture.image = await decoded;
					texture.needsUpdate = true;
				} catch (error) {
					this.broken.add(texture);
					failed(texture, image, error);
				}
			}),
		);
	}

	/** `true` if textures were created whose images are not decoded. */
	get hasPending(): boolean {
		return this.pending.length > 0;
	}
}
