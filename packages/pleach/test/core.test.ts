/** The small module: rays hit bounds, and nodes that are not below the root are in no result. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Frustum, Graph, init, initSync, PleachError } from '../src/entries/core.js';
import { Random, seed } from './random.js';

test('nothing works before the module is loaded; loading twice is one load', async () => {
	assert.throws(() => new Graph(), { code: 'not-initialized' });
	await assert.rejects(init(new Uint8Array([1, 2, 3])), { code: 'load-failed' });
	await assert.rejects(init(Promise.resolve(new Response('<!doctype html>'))), /is a page/);
	await assert.rejects(init(Promise.resolve(new Response('', { status: 404 }))), /404/);
	assert.throws(() => initSync(new Uint8Array(4)), { code: 'load-failed' });
	const bytes = readFileSync(new URL('../../generated/core_bg.wasm', import.meta.url));
	await Promise.all([init(bytes), init(bytes)]);
	await init();
	initSync(bytes);
	using graph = new Graph();
	assert.equal(graph.nodeCount, 1);
});

test('rays hit the nearest box, as brute force says', () => {
	const first = seed();
	console.log(`PLEACH_SEED=${first}`);
	const random = new Random(first);
	using graph = new Graph();
	const count = 500;
	const centres = Array.from(
		{ length: count },
		() => [random.between(-9, 9), random.between(-9, 9), random.between(-9, 9)] as const,
	);
	const trs = Float32Array.from(centres.flatMap((centre) => [...centre, 0, 0, 0, 1, 1, 1, 1]));
	const ids = graph.addAll(new Int32Array(count).fill(-1), trs);
	graph.setBounds(
		ids,
		Float32Array.from({ length: count * 6 }, (_, i) => (i % 6 < 3 ? -0.5 : 0.5)),
	);
	const rays = new Float32Array(200 * 7);
	for (let i = 0; i < 200; i++) rays.set([random.between(-9, 9), random.between(-9, 9), 50, 0, 0, -1, Infinity], i * 7);
	const hits = graph.pickMany(rays);
	let found = 0;
	for (let i = 0; i < 200; i++) {
		const [x, y] = [rays[i * 7]!, rays[i * 7 + 1]!];
		const hit = centres
			.map(([cx, cy, cz], k) => ({ k, top: cz + 0.5, inside: Math.max(Math.abs(cx - x), Math.abs(cy - y)) <= 0.5 }))
			.filter(({ inside }) => inside)
			.sort((a, b) => b.top - a.top)[0];
		if (hit === undefined) {
			assert.equal(hits.slot[i], 0xffffffff);
			continue;
		}
		found++;
		assert.equal(hits.slot[i], ids[hit.k]! >>> 0);
		assert.ok(Math.abs(hits.distance[i]! - (50 - hit.top)) < 1e-4);
		assert.ok(Math.abs(hits.point[i * 3 + 2]! - hit.top) < 1e-4);
	}
	assert.ok(found > 50);
});

test('detached nodes are in no result, and are again after they are attached', () => {
	using graph = new Graph();
	const parent = graph.createGroup();
	const box = graph.createGroup({ parent });
	box.localBounds = [-1, -1, -1, 1, 1, 1];
	const everywhere = () => [...graph.querySphere([0, 0, 0, 10])];
	assert.deepEqual(everywhere(), [box.slot]);
	parent.detach();
	assert.deepEqual(everywhere(), []);
	assert.deepEqual(graph.detached(), [parent]);
	graph.add(parent);
	const copy = parent.clone({ parent: graph.root }).get(box)!;
	assert.deepEqual(everywhere().sort(), [box.slot, copy.slot].sort());
	box.localBounds = null;
	assert.deepEqual(everywhere(), [copy.slot]);
	box.visible = false;
	copy.visible = false;
	assert.deepEqual(everywhere(), []);
	assert.deepEqual([...graph.querySphere([0, 0, 0, 10], { hidden: true })], [copy.slot]);
	assert.equal(copy.getWorldBounds()?.[3], 1);
	assert.deepEqual([...copy.parent!.getSubtreeBounds()!], [-1, -1, -1, 1, 1, 1]);
});

test('the planes of a frustum', () => {
	const frustum = Frustum.fromViewProjection([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5, 0, 0, 0, 0.5, 1]);
	assert.equal(frustum.planes.length, 24);
	assert.equal(frustum.containsPoint([0.9, -0.9, 0.5]), true);
	assert.equal(frustum.containsPoint({ x: 1.1, y: 0, z: 0 }), false);
	assert.equal(frustum.intersectsBox([0.9, 0, 0, 3, 1, 1]), true);
	assert.equal(frustum.intersectsBox([1.1, 0, 0, 3, 1, 1]), false);
	assert.throws(() => Frustum.fromViewProjection(new Float32Array(16)), PleachError);
});
