/** Graphs against a naive model: matrices multiplied from the root for each read, in double precision. */
import './setup.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Graph, layout, quat, type SceneNode } from '../src/entries/index.js';
import { fault } from './fault.js';
import { Random, seed } from './random.js';

type Matrix = number[];

/** A node of the naive model. */
class Model {
	parent: Model | null = null;
	readonly children: Model[] = [];
	matrix: Matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

	constructor(readonly node: SceneNode) {}

	world(): Matrix {
		return this.parent === null ? this.matrix : multiply(this.parent.world(), this.matrix);
	}

	isBelow(other: Model): boolean {
		return this === other || (this.parent?.isBelow(other) ?? false);
	}
}

function multiply(a: Matrix, b: Matrix): Matrix {
	const product = new Array<number>(16).fill(0);
	for (let column = 0; column < 4; column++) {
		for (let row = 0; row < 4; row++) {
			for (let k = 0; k < 4; k++) product[column * 4 + row]! += a[k * 4 + row]! * b[column * 4 + k]!;
		}
	}
	return product;
}

function compose(t: number[], q: number[], s: number[]): Matrix {
	const [x, y, z, w] = q as [number, number, number, number];
	const columns = [
		[1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
		[2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
		[2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
	];
	return [...columns.flatMap((column, i) => [...column.map((value) => value * s[i]!), 0]), ...t, 1];
}

function assertNear(actual: ArrayLike<number>, expected: readonly number[], what: string): void {
	for (let i = 0; i < expected.length; i++) {
		const error = Math.abs(actual[i]! - expected[i]!);
		assert.ok(
			error <= 1e-3 * (1 + Math.abs(expected[i]!)),
			`${what}: element ${i} is ${actual[i]}, not ${expected[i]}`,
		);
	}
}

test('random edits agree with a naive tree, on any line and after updates', () => {
	const first = seed();
	console.log(`PLEACH_SEED=${first}`);
	for (let round = 0; round < 20; round++) {
		const random = new Random(first + round);
		using graph = new Graph({ capacity: 4 });
		const root = new Model(graph.root);
		let models: Model[] = [root];
		const pick = () => models[random.below(models.length)]!;
		for (let step = 0; step < 400; step++) {
			const action = random.next();
			const model = pick();
			if (action < 0.3) {
				const t = [random.between(-5, 5), random.between(-5, 5), random.between(-5, 5)] as const;
				const q = random.quat();
				const s = [random.between(0.5, 2), random.between(0.5, 2), random.between(0.5, 2)] as const;
				const child = new Model(graph.createGroup({ parent: model.node, position: t, rotation: q, scale: s }));
				child.parent = model;
				child.matrix = compose([...t], q, [...s]);
				model.children.push(child);
				models.push(child);
			} else if (model === root) {
				graph.update();
			} else if (action < 0.6) {
				const t = [random.between(-5, 5), random.between(-5, 5), random.between(-5, 5)];
				const q = random.quat();
				model.node.position.set(t[0]!, t[1]!, t[2]!);
				model.node.rotation = q;
				model.node.scale.set(1, 2, 1);
				model.matrix = compose(t, q, [1, 2, 1]);
			} else if (action < 0.75) {
				const parent = pick();
				if (parent.isBelow(model)) {
					assert.throws(() => model.node.attach(parent.node), { code: 'cycle' });
				} else {
					model.node.attach(parent.node);
					model.parent!.children.splice(model.parent!.children.indexOf(model), 1);
					model.parent = parent;
					parent.children.push(model);
				}
			} else if (action < 0.8) {
				model.node.dispose();
				model.parent!.children.splice(model.parent!.children.indexOf(model), 1);
				for (const each of models.filter((each) => each.isBelow(model))) {
					assert.equal(each.node.alive, false);
					assert.throws(() => each.node.position.x, { code: 'dead-node', node: each.node });
				}
				models = models.filter((each) => !each.isBelow(model));
			} else if (action < 0.9) {
				graph.update();
			} else {
				assertNear(model.node.worldMatrix, model.world(), `seed ${first + round}, step ${step}`);
				assert.deepEqual(
					model.node.children,
					model.children.map((child) => child.node),
				);
				assert.equal(model.node.parent, model.parent?.node ?? null);
			}
		}
		graph.update();
		assert.equal(graph.nodeCount, models.length);
		const matrices = graph.worldMatrices;
		for (const { node, ...rest } of models) {
			const model = models.find((each) => each.node === node)!;
			assertNear(matrices.subarray(node.slot * 16, node.slot * 16 + 16), model.world(), `seed ${first + round}`);
			assert.equal(rest.children.length, node.children.length);
		}
	}
});

test('arrays and objects are two views of the same nodes', () => {
	using graph = new Graph();
	const trs = new Float32Array([1, 2, 3, 0, 0, 0, 1, 1, 1, 1, 10, 0, 0, 0, 0, 0, 1, 2, 2, 2]);
	const ids = graph.addAll(new Int32Array([-1, 0]), trs);
	const [a, b] = [graph.node(ids[0])!, graph.node(ids[1])!];
	assert.equal(b.parent, a);
	assert.deepEqual(b.getWorldPosition(), [11, 2, 3]);
	a.position.x += 5;
	assert.equal(graph.locals[a.slot * layout.localStride + layout.translation], 6);
	const scratch = graph.scratch(20);
	scratch.set(trs);
	graph.setLocals(ids, scratch);
	assert.equal(a.position.x, 1);
	graph.setPositions(new Uint32Array([b.slot]), new Float32Array([0, 0, 7]));
	assert.deepEqual([...b.position], [0, 0, 7]);
	assert.deepEqual([...b.scale], [2, 2, 2]);
	graph.setLocalMatrices(ids.subarray(1), new Float32Array([1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1]));
	assert.deepEqual([...b.localMatrix], [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1]);
	assert.equal(graph.parents[b.slot], a.slot);
	assert.equal(graph.removeAll(ids), 2);
	assert.equal(a.alive || b.alive, false);
});

test('lists contain what changed, once, and readers have positions of their own', () => {
	using graph = new Graph();
	const a = graph.createGroup({ name: 'a' });
	const b = graph.createGroup({ parent: a });
	using reader = graph.createChangeReader();
	graph.update();
	graph.clearChanges();
	a.position.x = 1;
	assert.equal(graph.update(), 2);
	assert.deepEqual([...graph.changed()], [a.slot, b.slot]);
	assert.deepEqual([...graph.ranges()], [a.slot, b.slot + 1]);
	assert.ok([...reader.read().changed].includes(a.slot));
	assert.deepEqual([...reader.read().changed], []);
	graph.clearChanges();
	assert.equal(graph.update(), 0);
	assert.equal(graph.changed().length, 0);
	b.visible = false;
	b.name = 'b';
	const { shownChanged, renamed } = reader.read();
	assert.deepEqual([[...shownChanged], [...renamed]], [[b.slot], [b.slot]]);
	const id = b.id;
	b.dispose();
	graph.update();
	assert.deepEqual([...graph.removed()], [id]);
});

test('queries find what brute force finds', () => {
	const first = seed();
	console.log(`PLEACH_SEED=${first}`);
	const random = new Random(first);
	using graph = new Graph();
	const count = 2000;
	const trs = new Float32Array(count * 10);
	for (let i = 0; i < count; i++) {
		trs.set([random.between(-50, 50), random.between(-50, 50), random.between(-50, 50), 0, 0, 0, 1, 1, 1, 1], i * 10);
	}
	const ids = graph.addAll(new Int32Array(count).fill(-1), trs);
	graph.setBounds(
		ids,
		Float32Array.from({ length: count * 6 }, (_, i) => (i % 6 < 3 ? -0.5 : 0.5)),
	);
	const nodes = Array.from(ids, (id) => graph.node(id)!);
	const centre = (i: number) => [trs[i * 10]!, trs[i * 10 + 1]!, trs[i * 10 + 2]!] as const;
	// Depth 1 to 100 along −Z of an orthographic view.
	const scale = 1 / 20;
	const view = [scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, -1 / 100, 0, 0, 0, 0.5, 1];
	const inView = nodes.filter((_, i) => Math.abs(centre(i)[0]) <= 20.5 && Math.abs(centre(i)[1]) <= 20.5);
	assert.deepEqual(
		[...graph.cull(view)],
		inView.map((node) => node.slot).sort((a, b) => a - b),
	);
	const near = nodes.filter((_, i) => Math.hypot(...centre(i).map((c) => Math.max(Math.abs(c) - 0.5, 0))) <= 15);
	assert.deepEqual(
		[...graph.querySphere([0, 0, 0, 15])].sort((a, b) => a - b),
		near.map((node) => node.slot).sort((a, b) => a - b),
	);
	const distance = (i: number) => Math.hypot(...centre(i).map((c) => Math.max(Math.abs(c) - 0.5, 0)));
	const byDistance = nodes
		.map((node, i) => ({ slot: node.slot, distance: distance(i) }))
		.sort((a, b) => a.distance - b.distance);
	assert.deepEqual(
		[...graph.nearest([0, 0, 0], 5)],
		byDistance.slice(0, 5).map(({ slot }) => slot),
	);
	const odd = graph.nearest([0, 0, 0], 5, { filter: (node) => node.slot % 2 === 1 });
	assert.deepEqual(
		[...odd].map((slot) => slot % 2),
		[1, 1, 1, 1, 1],
	);
});

test('the flags of each slot', () => {
	using graph = new Graph();
	const [parent, lost] = [graph.createGroup(), graph.createGroup()];
	const child = graph.createGroup({ parent });
	lost.dispose();
	graph.update();
	parent.visible = false;
	child.position.x = 1;
	const flags = graph.flags;
	const of = (node: SceneNode) => flags[node.slot] as number;
	assert.deepEqual([of(graph.root), of(parent), of(child), of(lost)], [1 | 2 | 4, 1, 1 | 2 | 8, 0]);
});

test('turns about own axes have the bits of the product of quaternions', () => {
	using graph = new Graph();
	const [a, b] = [graph.createGroup({ rotation: [0.1, -0.7, 0.3, 0.6] }), graph.createGroup()];
	b.rotation.copy(a.rotation.toArray());
	for (const angle of [0.3, -2, 1e-4, 7]) {
		a.rotation.rotateX(angle).rotateY(angle).rotateZ(angle);
		for (const axis of [0, 1, 2]) {
			const angles = [0, 0, 0];
			angles[axis] = angle;
			b.rotation.multiply(quat.fromEuler(...(angles as [number, number, number])));
		}
		assert.deepEqual(a.rotation.toArray(), b.rotation.toArray());
	}
});

test('numbers that are not exact are not ids', () => {
	using graph = new Graph();
	const node = graph.createGroup();
	assert.equal(graph.node(node.id), node);
	for (const id of [2 ** 64 + node.id, 2 ** 53, node.id + 0.5, -node.id, Infinity]) assert.equal(graph.node(id), null);
});

test('arrays of slots do what arrays of ids do, and a slot without a node is an error that changes nothing', () => {
	const count = 4;
	const row = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1];
	const transforms = Float32Array.from({ length: count * 10 }, (_, i) => row[i % 10] as number);
	const random = (length: number) => Float32Array.from({ length }, (_, i) => 0.5 + ((i * 7) % 5));
	const matrices = Float32Array.from({ length: count * 16 }, (_, i) => ((i % 16) % 5 === 0 ? 1 : i % 16 > 11 ? i : 0));
	const states = [false, true].map((withSlots) => {
		using graph = new Graph();
		const ids = graph.addAll(new Int32Array(count).fill(-1), transforms);
		const nodes = withSlots ? Uint32Array.from(ids, (id) => id % 2 ** 32) : ids;
		const calls = [
			() =>
				graph.setLocals(
					nodes,
					Float32Array.from(transforms, (value, i) => value + (i % 10 < 3 ? i : 0)),
				),
			() => graph.setPositions(nodes, random(count * 3)),
			() => graph.setRotations(nodes, random(count * 4)),
			() => graph.setLocalMatrices(nodes, matrices),
			() =>
				graph.setBounds(
					nodes,
					Float32Array.from({ length: count * 6 }, (_, i) => i % 6),
				),
			() => graph.attachAll(nodes.subarray(1), graph.node(ids[0]) as SceneNode),
		];
		const seen = calls.map((call) => {
			call();
			graph.update();
			return [...graph.worldMatrices, ...graph.parents];
		});
		assert.equal(graph.removeAll(nodes.subarray(3)), 1);
		graph.update();
		const before = [...graph.worldMatrices];
		calls.forEach((call, i) => {
			assert.equal(fault('dead-node', call).index, i < 5 ? 3 : withSlots ? 2 : undefined, `call ${i}`);
		});
		graph.update();
		assert.deepEqual([...graph.worldMatrices], before);
		for (const list of [new Uint32Array(0), new Float64Array(0)]) {
			graph.setLocals(list, new Float32Array(0));
			assert.equal(graph.removeAll(list), 0);
		}
		return seen;
	});
	assert.deepEqual(states[0], states[1]);
});
