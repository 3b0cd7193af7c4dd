/** What happens when the module's memory grows during a call, and when it is used up: at most 256 MiB here. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createGeometry, type Geometry, Graph, initSync, Scene, type SceneNode } from '../src/entries/index.js';
import { glue, install, raw } from '../src/runtime.js';
import { fault } from './fault.js';

const PAGES = 4096;

/** Returns the number at a position of a module, and the position after it. */
function readNumber(bytes: Uint8Array, at: number): [value: number, end: number] {
	let [value, shift, end] = [0, 0, at];
	for (;;) {
		const byte = bytes[end++] as number;
		value |= (byte & 0x7f) << shift;
		if (byte < 0x80) return [value, end];
		shift += 7;
	}
}

function numberBytes(value: number): number[] {
	return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...numberBytes(value >>> 7)];
}

/** Returns the module with a limit on its memory. */
function limited(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
	for (let at = 8; at < bytes.length; ) {
		const [length, start] = readNumber(bytes, at + 1);
		if (bytes[at] !== 5) {
			at = start + length;
			continue;
		}
		const [least] = readNumber(bytes, start + 2);
		const section = [1, 1, ...numberBytes(least), ...numberBytes(PAGES)];
		const before = bytes.subarray(0, at + 1);
		const after = bytes.subarray(start + length);
		return Uint8Array.from([...before, ...numberBytes(section.length), ...section, ...after]);
	}
	throw new Error('the module has no memory');
}

initSync(limited(readFileSync(new URL('../../generated/pleach_bg.wasm', import.meta.url))));

function transforms(count: number): Float32Array {
	const trs = new Float32Array(count * 10);
	for (let i = 0; i < count; i++) trs.set([i, 0, 0, 0, 0, 0, 1, 1, 1, 1], i * 10);
	return trs;
}

const filler: Geometry[] = [];

/** Calls `f`, which must allocate much, while there is little memory left, so that it must grow. */
function growing<T>(f: () => T): T {
	const size = () => raw.memory.buffer.byteLength;
	for (const before = size(); size() === before; ) {
		filler.push(createGeometry({ positions: new Float32Array(30_000) }));
	}
	const before = size();
	const result = f();
	assert.ok(size() > before, 'the memory did not grow in the call');
	return result;
}

test('views of the module are arguments while the memory grows', () => {
	using graph = new Graph();
	const ids = graph.addAll(new Int32Array(100_000).fill(-1), transforms(100_000));
	graph.update();
	const changed = graph.changed();
	const nodes = growing(() => graph.nodesAt(graph.changed()));
	assert.equal(changed.length, 0);
	assert.equal(nodes.length, 100_001);
	assert.equal(nodes.at(-1)?.id, ids.at(-1));
	const slots = Uint32Array.from(ids);
	growing(() => graph.setLocalMatrices(slots, graph.worldMatrices.subarray(16, 1_600_016)));
	assert.equal(graph.node(ids.at(-1))?.position.x, 99_999);
});

test('the scratch is an argument while slots are converted, and the memory grows', () => {
	using graph = new Graph();
	const ids = graph.addAll(new Int32Array(100_000).fill(-1), transforms(100_000));
	const slots = Uint32Array.from(ids);
	const last = graph.node(ids.at(-1)) as SceneNode;
	graph.scratch(300_000).fill(7);
	growing(() => graph.setPositions(slots, graph.scratch(300_000)));
	assert.equal(last.position.x, 7);
	graph.scratch(400_000).fill(0.5);
	growing(() => graph.setRotations(slots, graph.scratch(400_000)));
	assert.equal(last.rotation.x, 0.5);
	graph.scratch(1_000_000).set(transforms(100_000));
	growing(() => graph.setLocals(slots, graph.scratch(1_000_000)));
	assert.equal(last.position.x, 99_999);
});

test('removed nodes are an argument', () => {
	using graph = new Graph();
	const [kept, lost] = [graph.createGroup(), graph.createGroup()];
	lost.dispose();
	assert.equal(fault('dead-node', () => graph.removeAll(graph.removed())).node, lost);
	assert.equal(kept.alive, true);
});

test('more nodes than there is memory for are out-of-memory, and the graph goes on', () => {
	using graph = new Graph();
	const count = 2_500_000;
	const error = fault('out-of-memory', () =>
		graph.addAll(new Int32Array(count).fill(-1), new Float32Array(count * 10)),
	);
	assert.match(error.message, /2500000/);
	assert.equal(graph.nodeCount, 1);
	fault('out-of-memory', () => graph.reserve(100_000_000));
	fault('out-of-memory', () => graph.scratch(100_000_000));
	assert.equal(graph.createGroup({ name: 'after' }).name, 'after');
});

test('a trap in a call with numbers is reported, and no call follows it', () => {
	const [exports, functions] = [raw, glue];
	using scene = new Scene();
	const trap = () => {
		throw new WebAssembly.RuntimeError('unreachable');
	};
	install({ ...exports, update: trap }, functions);
	assert.match(fault('panicked', () => scene.update()).message, /unreachable/);
	fault('panicked', () => scene.root.position.x);
	fault('panicked', () => new Scene());
	install(exports, functions);
	assert.equal(scene.update(), 1);
});

test('arguments that there is no memory for are out-of-memory, and the graph goes on', () => {
	using graph = new Graph();
	const node = graph.createGroup({ name: 'short' });
	const name = 'x'.repeat(400_000_000);
	fault('out-of-memory', () => {
		node.name = name;
	});
	const values = new Float32Array(90_000_000);
	fault('out-of-memory', () => graph.addAll(new Int32Array(9_000_000), values));
	assert.deepEqual([node.name, graph.nodeCount], ['short', 2]);
});

test('a trap in a call that converts is reported, and no call follows it', () => {
	const [exports, functions] = [raw, glue];
	using scene = new Scene();
	const set_name = () => {
		throw new WebAssembly.RuntimeError('unreachable');
	};
	install(exports, { ...functions, set_name });
	const node = scene.createGroup();
	const error = fault('panicked', () => {
		node.name = 'a';
	});
	assert.ok(error.cause instanceof WebAssembly.RuntimeError);
	fault('panicked', () => node.position.x);
	fault('panicked', () => scene.update());
	install(exports, functions);
});
