/**
 * Images of three.js as PNG files: pixels as they are, everything else as a canvas draws it.
 */
import { RGBAFormat, type Texture, UnsignedByteType } from 'three';
import { encodePng } from './png.js';

/** What a canvas can draw. */
type Drawable = HTMLImageElement | HTMLCanvasElement | HTMLVideoElement | OffscreenCanvas | ImageBitmap | VideoFrame;

interface Pixels {
	readonly width: number;
	readonly height: number;
	readonly data: Uint8Array | Uint8ClampedArray;
}

/** Returns `true` if three.js turns the image of a texture over when it uploads it: the first row of glTF is that of v = 0. */
export function isFlipped({ flipY, source }: Texture): boolean {
	// Browsers ignore it for these.
	return flipY && !(typeof ImageBitmap === 'function' && source.data instanceof ImageBitmap);
}

/**
 * Encodes the image of a texture.
 *
 * @throws if it cannot be read
 */
export function encodeImage(texture: Texture): Uint8Array<ArrayBuffer> {
	const image: unknown = texture.source.data;
	if (image === null || image === undefined) throw new Error('it is not loaded');
	if ('isCompressedTexture' in texture) throw new Error('it is compressed for graphics cards');
	if (Array.isArray(image)) throw new Error('it has several faces');
	const isFlip = isFlipped(texture);
	if (isPixels(image)) {
		const { width, height, data } = image;
		if (texture.format !== RGBAFormat || texture.type !== UnsignedByteType || data.length !== width * height * 4) {
			throw new Error('its pixels are not red, green, blue and alpha of 8 bits each');
		}
		return encodePng(width, height, isFlip ? turnedOver(image) : data);
	}
	return drawn(image as Drawable, isFlip);
}

function isPixels(image: object): image is Pixels {
	if (!('data' in image)) return false;
	if (image.data instanceof Uint8Array || image.data instanceof Uint8ClampedArray) return true;
	throw new Error('its pixels are not red, green, blue and alpha of 8 bits each');
}

function turnedOver({ width, height, data }: Pixels): Uint8Array {
	const rows = new Uint8Array(data.length);
	const stride = width * 4;
	for (let y = 0; y < height; y++) rows.set(data.subarray(y * stride, (y + 1) * stride), (height - 1 - y) * stride);
	return rows;
}

/** Draws an image on a canvas, and encodes that. */
function drawn(image: Drawable, isFlip: boolean): Uint8Array<ArrayBuffer> {
	const [width, height] = sizeOf(image);
	if (!(width > 0 && height > 0)) throw new Error('it is not loaded');
	const draw = (context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D | null) => {
		if (context === null) throw new Error('there is no canvas to read it with');
		if (isFlip) context.setTransform(1, 0, 0, -1, 0, height);
		context.drawImage(image, 0, 0, width, height);
		return context;
	};
	if (typeof document !== 'undefined') {
		const canvas = document.createElement('canvas');
		[canvas.width, canvas.height] = [width, height];
		draw(canvas.getContext('2d'));
		const url = canvas.toDataURL('image/png');
		const text = atob(url.slice(url.indexOf(',') + 1));
		const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
		if (bytes.length === 0) throw new Error('it is too large for a canvas');
		return bytes;
	}
	if (typeof OffscreenCanvas !== 'function') throw new Error('there is no canvas to read it with');
	const context = draw(new OffscreenCanvas(width, height).getContext('2d'));
	return encodePng(width, height, context.getImageData(0, 0, width, height).data);
}

function sizeOf(image: Drawable): [width: number, height: number] {
	if ('naturalWidth' in image) return [image.naturalWidth, image.naturalHeight];
	if ('videoWidth' in image) return [image.videoWidth, image.videoHeight];
	if ('displayWidth' in image) return [image.displayWidth, image.displayHeight];
	return [image.width, image.height];
}
