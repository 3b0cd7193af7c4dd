/** Loading from a server. */
import './setup.js';
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { loadGltf, type Progress } from '../src/entries/index.js';
import { rejection } from './fault.js';

const nodes = Array.from({ length: 5000 }, (_, i) => ({ name: `node ${i}` }));
const file = Buffer.from(JSON.stringify({ asset: { version: '2.0' }, scenes: [{ nodes: [0] }], nodes }));

/** Calls `f` with the URL of a server. */
async function serving<T>(listener: RequestListener, f: (url: string) => Promise<T>): Promise<T> {
	const server = createServer(listener);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	try {
		return await f(`http://127.0.0.1:${(server.address() as AddressInfo).port}/model.gltf`);
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

async function progressOf(url: string): Promise<Progress[]> {
	const seen: Progress[] = [];
	using document = await loadGltf(url, { onProgress: (progress) => seen.push(progress) });
	assert.equal(document.scene.find('node 0')?.name, 'node 0');
	return seen.filter(({ stage }) => stage === 'download');
}

test('progress counts bytes up to the length of the file', async () => {
	const seen = await serving((_, response) => {
		response.setHeader('content-length', file.length).end(file);
	}, progressOf);
	assert.ok(seen.length > 0);
	assert.ok(seen.every(({ done, total }) => done <= total && total === file.length));
	assert.equal(seen.at(-1)?.done, file.length);
});

test('the total of a compressed file is not known, because bytes are counted after decompression', async () => {
	const zipped = gzipSync(file);
	const seen = await serving((_, response) => {
		response.setHeader('content-length', zipped.length).setHeader('content-encoding', 'gzip').end(zipped);
	}, progressOf);
	assert.deepEqual(new Set(seen.map(({ total }) => total)), new Set([0]));
	assert.equal(seen.at(-1)?.done, file.length);
});

test('a download is aborted while it runs, with the reason', async () => {
	const reason = new Error('enough');
	let closed: Promise<void> | undefined;
	const listener: RequestListener = (_, response) => {
		closed = new Promise((resolve) => response.on('close', resolve));
		response.setHeader('content-length', file.length).write(file.subarray(0, 1000));
	};
	await serving(listener, async (url) => {
		const controller = new AbortController();
		const onProgress = () => controller.abort(reason);
		await assert.rejects(loadGltf(url, { signal: controller.signal, onProgress }), (error) => error === reason);
		await closed;
	});
});

test('a missing file is a network error with the status', async () => {
	const listener: RequestListener = (_, response) => {
		response.writeHead(404).end();
	};
	assert.match((await serving(listener, (url) => rejection('network', loadGltf(url)))).message, /404/);
});
