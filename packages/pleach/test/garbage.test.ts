/**
 * Setters, bulk setters and updates leave no garbage. This file runs itself in a process whose young generation is so large that nothing is
 * collected: the heap then grows by what was allocated.
 */
import './setup.js';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createScene, degrees, type SceneNode } from '../src/entries/index.js';

const MARK = 'PLEACH_GARBAGE';
/** An object has 12 bytes or more. The rest is what measuring leaves. */
const MOST_PER_CALL = 0.5;
/** Functions are compiled at some time after they were called often, and numbers are objects before that. */
const ROUNDS = 40;

/** Returns the bytes that a call leaves, once it is compiled. */
function bytesPerCall(calls: number, call: (i: number) => void): number {
	let least = Number.POSITIVE_INFINITY;
	for (let round = 0; round < ROUNDS && !(least <= MOST_PER_CALL); round++) {
		const before = process.memoryUsage().heapUsed;
		for (let i = 0; i < calls; i++) call(i);
		const bytes = process.memoryUsage().heapUsed - before;
		// Negative: something was collected, which says nothing.
		if (bytes >= 0) least = Math.min(least, bytes / calls);
	}
	return least;
}

/** What is measured: how often in a round, and what. */
function cases(): Record<string, [calls: number, call: (i: number) => void]> {
	const scene = createScene();
	const count = 100;
	const row = [0.5, 0.25, 0, 0, 0, 0, 1, 1, 1, 1];
	const transforms = Float32Array.from({ length: count * 10 }, (_, i) => row[i % 10] as number);
	const ids = scene.addAll(new Int32Array(count).fill(-1), transforms);
	const slots = Uint32Array.from(ids, (id) => id % 2 ** 32);
	const positions = new Float32Array(count * 3);
	const rotations = Float32Array.from({ length: count * 4 }, (_, i) => (i % 4 === 3 ? 1 : 0));
	const matrices = Float32Array.from({ length: count * 16 }, (_, i) => ((i % 16) % 5 === 0 ? 1 : 0));
	const node = scene.node(ids[7] as number) as SceneNode;
	const { position, rotation, scale } = node;
	const [many, few] = [200_000, 5000];
	return {
		'position.set': [
			many,
			(i) => {
				position.set(i, i * 0.5, 1 / (i + 1));
			},
		],
		'node.position.set': [
			many,
			(i) => {
				node.position.set(i, i * 0.5, 1 / (i + 1));
			},
		],
		'position.x =': [
			many,
			(i) => {
				position.x = i * 0.3;
			},
		],
		'position.y +=': [
			many,
			() => {
				position.y += 0.25;
			},
		],
		'scale.set': [
			many,
			(i) => {
				scale.set(1, i * 0.5 + 1, 2);
			},
		],
		'scale.z =': [
			many,
			(i) => {
				scale.z = i * 0.5 + 1;
			},
		],
		'rotation.set': [
			many,
			(i) => {
				rotation.set(0, 0, Math.sin(i * 0.01), Math.cos(i * 0.01));
			},
		],
		'rotation.rotateZ': [
			many,
			(i) => {
				rotation.rotateZ(degrees(i % 360));
			},
		],
		'visible =': [
			many,
			(i) => {
				node.visible = i % 2 === 0;
			},
		],
		'setLocals, ids': [few, () => scene.setLocals(ids, transforms)],
		'setLocals, slots': [few, () => scene.setLocals(slots, transforms)],
		'setLocals, scratch': [
			few,
			() => {
				const scratch = scene.scratch(count * 10);
				scratch.set(transforms);
				scene.setLocals(slots, scratch);
			},
		],
		setPositions: [few, () => scene.setPositions(slots, positions)],
		setRotations: [few, () => scene.setRotations(ids, rotations)],
		setLocalMatrices: [few, () => scene.setLocalMatrices(slots, matrices)],
		'a frame': [
			few,
			(i) => {
				node.position.x = i;
				scene.setPositions(ids, positions);
				scene.update();
				if (scene.changed().length + scene.ranges(8).length + scene.worldMatrices.length === 0) throw new Error();
				scene.clearChanges();
			},
		],
		'an object': [
			few,
			(i) => {
				kept = { i };
			},
		],
	};
}

/** What is kept is not optimized away. */
let kept: unknown;

if (process.env[MARK] === undefined) {
	test('setters, bulk setters and updates leave no garbage', () => {
		const flags = ['--min-semi-space-size=256', '--max-semi-space-size=256'];
		const env = { ...process.env, [MARK]: 'measure' };
		// Inside of a test, node's runner would take the output for that of a test.
		Reflect.deleteProperty(env, 'NODE_TEST_CONTEXT');
		const printed = execFileSync(process.execPath, [...flags, fileURLToPath(import.meta.url)], {
			env,
			encoding: 'utf8',
		});
		const { 'an object': known, ...found } = JSON.parse(printed) as Record<string, number>;
		assert.ok((known ?? 0) >= 12, `the measurement sees an object of ${known} bytes`);
		assert.ok(Object.keys(found).length >= 16);
		for (const [name, bytes] of Object.entries(found)) {
			assert.ok(bytes <= MOST_PER_CALL, `${name} leaves ${bytes} bytes per call`);
		}
	});
} else {
	const found = Object.entries(cases()).map(([name, [calls, call]]) => [name, bytesPerCall(calls, call)]);
	console.log(JSON.stringify(Object.fromEntries(found)));
	void kept;
}
