/** Reads PNG files with 8 bits per channel of red, green, blue and alpha, whose rows have no filter. */
import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';

/** Computes the sum bit by bit. */
function crc32(bytes: Uint8Array): number {
	let crc = 0xffffffff;
	for (const byte of bytes) {
		crc ^= byte;
		for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc >>> 0;
}

/** Returns width, height and pixels, after checking the sums of all chunks. */
export function decodePng(file: Uint8Array): { width: number; height: number; pixels: number[] } {
	const bytes = Buffer.from(file);
	assert.equal(bytes.toString('latin1', 0, 8), '\x89PNG\r\n\x1a\n');
	const chunks = new Map<string, Buffer>();
	for (let at = 8; at < bytes.length; ) {
		const length = bytes.readUInt32BE(at);
		const content = bytes.subarray(at + 8, at + 8 + length);
		assert.equal(bytes.readUInt32BE(at + 8 + length), crc32(bytes.subarray(at + 4, at + 8 + length)));
		chunks.set(bytes.toString('latin1', at + 4, at + 8), content);
		at += 12 + length;
	}
	assert.deepEqual([...chunks.keys()], ['IHDR', 'IDAT', 'IEND']);
	const header = chunks.get('IHDR') as Buffer;
	const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
	assert.deepEqual([...header.subarray(8)], [8, 6, 0, 0, 0]);
	const rows = inflateSync(chunks.get('IDAT') as Buffer);
	assert.equal(rows.length, (width * 4 + 1) * height);
	const pixels: number[] = [];
	for (let y = 0; y < height; y++) {
		const row = rows.subarray(y * (width * 4 + 1), (y + 1) * (width * 4 + 1));
		assert.equal(row[0], 0);
		pixels.push(...row.subarray(1));
	}
	return { width, height, pixels };
}
