/** What callers may do wrong is an error that names the thing, and changes nothing. */
import './setup.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Graph, PleachError, quat, type SceneNode } from '../src/entries/index.js';
import { glue } from '../src/runtime.js';

const trs = (...position: number[]) => new Float32Array([...position, 0, 0, 0, 1, 1, 1, 1]);

function fault(code: string, f: () => unknown): PleachError {
	try {
		f();
	} catch (error) {
		assert.ok(error instanceof PleachError, String(error));
		assert.equal(error.code, code, error.message);
		assert.ok(error.message.length > 10);
		return error;
	}
	throw new assert.AssertionError({ message: `nothing was thrown; '${code}' was expected` });
}

test('numbers that are not finite', () => {
	using graph = new Graph();
	const node = graph.createGroup({ name: 'crate', position: [1, 2, 3] });
	assert.equal(fault('not-finite', () => node.position.set(0, Number.NaN, 0)).node, node);
	fault('not-finite', () => {
		node.position.x = Infinity;
	});
	fault('not-finite', () => {
		node.scale = [1, 1, Number.NaN];
	});
	fault('not-finite', () => graph.createGroup({ position: [Number.NaN, 0, 0] }));
	fault('zero-rotation', () => node.rotation.set(0, 0, 0, 0));
	fault('not-finite', () => node.rotation.set(0, 0, 0, Number.NaN));
	fault('no-direction', () => quat.fromAxisAngle([0, 0, 0], 1));
	fault('not-affine', () => {
		node.localMatrix = [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
	});
	assert.deepEqual([...node.position], [1, 2, 3]);
	const ids = graph.addAll(new Int32Array([-1, -1]), new Float32Array([...trs(1, 0, 0), ...trs(2, 0, 0)]));
	const error = fault('not-finite', () =>
		graph.setLocals(ids, new Float32Array([...trs(5, 0, 0), ...trs(6, Number.NaN, 0)])),
	);
	assert.equal(error.node, graph.node(ids[1]));
	assert.equal(error.index, 1);
	assert.equal(graph.node(ids[0])?.position.x, 1);
	fault('not-finite', () => graph.addAll(new Int32Array([-1]), trs(Number.NaN, 0, 0)));
	assert.equal(graph.nodeCount, 4);
});

test('one number of many that is not finite: nothing is written, and the error has its position', () => {
	using graph = new Graph();
	const ids = graph.addAll(new Int32Array([-1, -1]), new Float32Array([...trs(1, 0, 0), ...trs(2, 0, 0)]));
	const before = Array.from(ids, (id) => [...(graph.node(id) as SceneNode).localMatrix]);
	const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
	for (const bad of [Number.NaN, Infinity]) {
		const writes = [
			() => graph.setPositions(ids, new Float32Array([5, 5, 5, 5, bad, 5])),
			() => graph.setRotations(ids, new Float32Array([1, 0, 0, 0, 1, bad, 0, 0])),
			() =>
				graph.setLocalMatrices(ids, new Float32Array([...identity, ...identity.map((n, i) => (i === 12 ? bad : n))])),
			() => graph.setBounds(ids, new Float32Array([0, 0, 0, 1, 1, 1, 0, bad, 0, 1, 1, 1])),
		];
		for (const write of writes) assert.equal(fault('not-finite', write).index, 1);
	}
	const after = Array.from(ids, (id) => [...(graph.node(id) as SceneNode).localMatrix]);
	assert.deepEqual(after, before);
	assert.equal(graph.node(ids[0])?.localBounds, null);
});

test('arrays of the wrong length, type or order', () => {
	using graph = new Graph();
	const ids = graph.addAll(new Int32Array([-1]), trs(0, 0, 0));
	fault('wrong-length', () => graph.setLocals(ids, new Float32Array(9)));
	fault('wrong-length', () => graph.setPositions(ids, new Float32Array(4)));
	fault('wrong-length', () => graph.setRotations(ids, new Float32Array(3)));
	fault('wrong-length', () => graph.setLocalMatrices(ids, new Float32Array(15)));
	fault('wrong-length', () => graph.setBounds(ids, new Float32Array(5)));
	fault('wrong-length', () => graph.addAll(new Int32Array([-1, -1]), trs(0, 0, 0)));
	fault('wrong-length', () => graph.cull([1, 2, 3]));
	fault('wrong-length', () => graph.pickMany(new Float32Array(6)));
	fault('wrong-length', () => {
		graph.root.localBounds = [1, 2];
	});
	fault('wrong-type', () => graph.setLocals(ids, [1, 2] as unknown as Float32Array));
	fault('wrong-type', () => graph.setLocals([1] as unknown as Float64Array, trs(0, 0, 0)));
	fault('wrong-type', () => {
		graph.root.children[0]!.position = 5 as unknown as [number, number, number];
	});
	fault('parent-order', () => graph.addAll(new Int32Array([0]), trs(0, 0, 0)));
	fault('parent-order', () => graph.addAll(new Int32Array([-5]), trs(0, 0, 0)));
	fault('out-of-range', () => graph.reserve(-1));
	fault('out-of-range', () => new Graph({ capacity: 1.5 }));
	fault('no-direction', () => graph.pickMany(new Float32Array([0, 0, 0, 0, 0, 0, 1])));
});

test('an empty array for many nodes, and the scratch with the wrong length', () => {
	using graph = new Graph();
	const ids = graph.addAll(new Int32Array([-1, -1]), new Float32Array([...trs(1, 0, 0), ...trs(2, 0, 0)]));
	fault('wrong-length', () => graph.setLocals(ids, new Float32Array(0)));
	const scratch = graph.scratch(10);
	scratch.set(trs(9, 9, 9));
	fault('wrong-length', () => graph.setLocals(ids, scratch));
	assert.equal(graph.node(ids[1])?.position.x, 2);
});

test('nodes that are dead, foreign, or the root', () => {
	using graph = new Graph();
	using other = new Graph();
	const [node, foreign] = [graph.createGroup(), other.createGroup()];
	assert.equal(fault('foreign-node', () => node.attach(foreign)).node, foreign);
	fault('foreign-node', () => graph.createGroup({ parent: foreign }));
	fault('wrong-type', () => node.attach({} as never));
	fault('root', () => graph.root.dispose());
	fault('root', () => graph.root.attach(node));
	fault('root', () => graph.removeAll(new Float64Array([graph.root.id])));
	node.dispose();
	for (const use of [
		() => node.position.x,
		() => node.position.set(1, 2, 3),
		() => node.worldMatrix,
		() => node.name,
		() => {
			node.name = 'x';
		},
		() => node.parent,
		() => node.children,
		() => node.visible,
		() => node.getWorldBounds(),
		() => node.clone(),
		() => node.find('x'),
		() => node.detach(),
		() => node.dispose(),
	]) {
		assert.equal(fault('dead-node', use).node, node);
	}
	const error = fault('dead-node', () => graph.setLocals(new Float64Array([node.id]), trs(0, 0, 0)));
	assert.deepEqual([error.node, error.index], [node, 0]);
	fault('dead-node', () => graph.setLocals(new Float64Array([1.5]), trs(0, 0, 0)));
	fault('dead-node', () => graph.setLocals(new Uint32Array([999]), trs(0, 0, 0)));
	assert.equal(graph.node(node.id), null);
	assert.equal(graph.node(Number.NaN), null);
});

test('views that are kept while the memory grows have no rows, and new ones do', () => {
	using graph = new Graph();
	graph.createGroup();
	graph.update();
	const kept = graph.worldMatrices;
	const scratch = graph.scratch(10);
	assert.ok(kept.length > 0);
	const count = 300_000;
	const many = new Float32Array(count * 10);
	for (let i = 0; i < count; i++) many.set([i, 0, 0, 0, 0, 0, 1, 1, 1, 1], i * 10);
	graph.addAll(new Int32Array(count).fill(-1), many);
	graph.update();
	assert.equal(kept.length, 0);
	assert.match(
		fault('wrong-length', () => graph.setLocals(new Float64Array([graph.root.id]), scratch)).message,
		/detached/,
	);
	assert.equal(graph.worldMatrices.length % 16, 0);
	assert.ok(graph.worldMatrices.length >= count * 16);
});

test('a disposed graph', () => {
	const graph = new Graph();
	const node = graph.createGroup();
	const reader = graph.createChangeReader();
	graph.dispose();
	graph.dispose();
	assert.equal(graph.disposed, true);
	assert.equal(node.alive, false);
	fault('disposed', () => graph.update());
	fault('disposed', () => graph.createGroup());
	fault('disposed', () => node.position.x);
	reader.dispose();
	fault('disposed', () => reader.read());
});

// Last: nothing works afterwards.
test('after a panic every call reports it', () => {
	using graph = new Graph();
	const first = fault('panicked', () =>
		(glue as unknown as { panic_for_tests(m: string): void }).panic_for_tests('a test'),
	);
	assert.match(first.message, /a test/);
	assert.match(fault('panicked', () => graph.update()).message, /a test/);
	fault('panicked', () => new Graph());
});
