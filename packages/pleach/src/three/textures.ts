/**
 * Textures of pleach as textures of three.js, and back. A texture of three.js is created once for each image and sampler; images that
 * three.js brings are encoded once for each version.
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
import { type Texture, TextureImage, type TextureOptions, type Wrap } from '../materials.js';
import { encodeImage, isFlipped } from './images.js';

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

type Source = ThreeTexture['source'];

/** An image of three.js, and that of pleach with the same pixels. */
interface KnownImage {
	readonly image: TextureImage;
	readonly source: Source;
	/** What the source had when both were the same. */
	data: unknown;
	/** As `data`; `null` for images of the file, which never change. */
	version: number | null;
	/** The rows of `image` are in the other order. */
	readonly isFlipped: boolean;
}

/** The textures of a model. */
export class Textures {
	private readonly made = new Map<string, ThreeTexture>();
	private readonly sources = new Map<ThreeTexture, Texture>();
	private readonly byImage = new Map<TextureImage, KnownImage>();
	/** By the source of a texture, which its clones share. */
	private readonly bySource = new WeakMap<Source, KnownImage[]>();
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
		const shared = this.byImage.get(image) ?? this.remember(image, made, null);
		made.name = image.name;
		made.flipY = shared.isFlipped;
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
		made.source = shared.source;
		if (shared.source.data) {
			made.needsUpdate = true;
			// It counts up the version of the source, too, whose pixels are the same.
			if (shared.version !== null) shared.version = shared.source.version;
		} else {
			this.pending.push(made);
		}
		return made;
	}

	private remember(image: TextureImage, texture: ThreeTexture, version: number | null): KnownImage {
		const { source } = texture;
		const known = { image, source, data: source.data, version, isFlipped: version !== null && isFlipped(texture) };
		this.byImage.set(image, known);
		const all = this.bySource.get(source) ?? [];
		// Of other versions there is no texture any more.
		const isOther = (each: KnownImage) => each.version === null || each.isFlipped !== known.isFlipped;
		for (const former of all) if (!isOther(former)) this.byImage.delete(former.image);
		this.bySource.set(source, [...all.filter(isOther), known]);
		return known;
	}

	/** Returns the image of pleach with the pixels of a texture, or `undefined`. */
	private known(texture: ThreeTexture): TextureImage | undefined {
		const { source } = texture;
		const isKnown = ({ data, version, isFlipped: flip }: KnownImage) =>
			data === source.data && (version === null || (version === source.version && flip === isFlipped(texture)));
		return this.bySource.get(source)?.find(isKnown)?.image;
	}

	/** Returns what differs for textures with other pixels. */
	stampOf(texture: ThreeTexture): string {
		const { source } = texture;
		const isOfFile = this.bySource.get(source)?.some(({ data, version }) => version === null && data === source.data);
		return isOfFile === true ? '' : `${source.uuid} ${source.version} ${isFlipped(texture)}`;
	}

	/**
	 * Returns the texture for pleach. If its image is not one of the model, it is encoded, or for `isNewAllowed = false` the result is `null`.
	 *
	 * @throws if the image cannot be read
	 */
	optionsOf(texture: ThreeTexture, isNewAllowed: boolean): TextureOptions | null {
		const source = this.sources.get(texture);
		let image = this.known(texture);
		if (image === undefined) {
			if (!isNewAllowed) return null;
			image = TextureImage.fromEncoded('image/png', encodeImage(texture));
			image.name = texture.name;
			this.remember(image, texture, texture.source.version);
		}
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
					const known = this.byImage.get(image);
					if (known !== undefined) known.data = texture.source.data;
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
