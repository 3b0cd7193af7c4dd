/**
 * PNG files of pixels: without compression, because the platform compresses only asynchronously, and saving returns at once.
 */

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** The largest stored block of a deflate stream. */
const BLOCK = 65_535;

/** Encodes pixels: 4 bytes each (red, green, blue, alpha), row by row from the top. */
export function encodePng(
	width: number,
	height: number,
	pixels: Uint8Array | Uint8ClampedArray,
): Uint8Array<ArrayBuffer> {
	const header = new Uint8Array(13);
	const view = new DataView(header.buffer);
	view.setUint32(0, width);
	view.setUint32(4, height);
	// 8 bits per channel, colour with alpha.
	header.set([8, 6], 8);
	const stride = width * 4;
	const rows = new Uint8Array((stride + 1) * height);
	for (let y = 0; y < height; y++) {
		// The first byte of a row is its filter: none.
		rows.set(pixels.subarray(y * stride, (y + 1) * stride), y * (stride + 1) + 1);
	}
	const chunks = [chunk('IHDR', header), chunk('IDAT', stored(rows)), chunk('IEND', new Uint8Array(0))];
	const length = chunks.reduce((sum, each) => sum + each.length, SIGNATURE.length);
	const file = new Uint8Array(length);
	file.set(SIGNATURE);
	let at = SIGNATURE.length;
	for (const each of chunks) {
		file.set(each, at);
		at += each.length;
	}
	return file;
}

/** Returns a zlib stream of stored blocks. */
function stored(bytes: Uint8Array): Uint8Array {
	const blocks = Math.max(1, Math.ceil(bytes.length / BLOCK));
	const stream = new Uint8Array(2 + blocks * 5 + bytes.length + 4);
	const view = new DataView(stream.buffer);
	stream.set([0x78, 0x01]);
	let at = 2;
	for (let block = 0; block < blocks; block++) {
		const content = bytes.subarray(block * BLOCK, (block + 1) * BLOCK);
		stream[at] = block === blocks - 1 ? 1 : 0;
		view.setUint16(at + 1, content.length, true);
		view.setUint16(at + 3, ~content.length & 0xffff, true);
		stream.set(content, at + 5);
		at += 5 + content.length;
	}
	view.setUint32(at, adler32(bytes));
	return stream;
}

function chunk(type: string, content: Uint8Array): Uint8Array {
	const bytes = new Uint8Array(12 + content.length);
	const view = new DataView(bytes.buffer);
	view.setUint32(0, content.length);
	for (let i = 0; i < 4; i++) bytes[4 + i] = type.charCodeAt(i);
	bytes.set(content, 8);
	view.setUint32(8 + content.length, crc32(bytes.subarray(4, 8 + content.length)));
	return bytes;
}

function adler32(bytes: Uint8Array): number {
	let [a, b] = [1, 0];
	for (const byte of bytes) {
		a = (a + byte) % 65_521;
		b = (b + a) % 65_521;
	}
	return ((b << 16) | a) >>> 0;
}

const CRC = Uint32Array.from({ length: 256 }, (_, index) => {
	let value = index;
	for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
	return value;
});

function crc32(bytes: Uint8Array): number {
	let crc = 0xffffffff;
	for (const byte of bytes) crc = (CRC[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
	return ~crc >>> 0;
}
