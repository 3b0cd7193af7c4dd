/** The programs of the first day: what the guides show, in one go. */
import './setup.js';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
	box,
	createMaterial,
	createScene,
	degrees,
	loadGltf,
	type NodeId,
	PleachError,
	Scene,
	type SkinnedMesh,
} from '../src/entries/index.js';
import { assertNear } from './fault.js';

const assets = process.env.PLEACH_ASSETS ?? fileURLToPath(new URL('../../../../../shared/assets', import.meta.url));

/** Programs 1 and 2, which the others continue. */
function start() {
	const scene = createScene();
	const material = createMaterial({ color: [0.6, 0.4, 0.2] });
	const crate = scene.createMesh({ geometry: box({ size: [1, 1, 1] }), material, name: 'crate' });
	const camera = scene.createCamera({ fov: degrees(60), near: 0.1, far: 500, aspect: 16 / 9 });
	assert.ok(scene.getVisibleMeshes(camera)[0] === crate && scene.find('crate') === crate);
	const tank = scene.createGroup({ position: [10, 20, 0] });
	const turret = scene.createGroup({ parent: tank, position: [0, 0, 1.5] });
	const barrel = scene.createGroup({ parent: turret, position: [0, -2, 0] });
	turret.rotation.rotateZ(Math.PI / 2);
	tank.position.x += 5;
	assertNear(barrel.getWorldPosition(), [17, 20, 1.5]);
	return { scene, crate, camera, tank, turret, barrel };
}

test('a frame that uploads only what changed', () => {
	const { scene, crate } = start();
	scene.update();
	scene.clearChanges();
	crate.position.z = 3;
	scene.update();
	const rows = scene.ranges(8);
	const matrices = scene.worldMatrices;
	assert.deepEqual([...rows], [crate.slot, crate.slot + 1]);
	assert.equal(matrices[crate.slot * 16 + 14], 3);
	scene.clearChanges();
	assert.ok(scene.update() === 0 && scene.changed().length === 0);
});

test('ten thousand bodies with arrays', () => {
	const { scene } = start();
	const n = 10_000;
	const parents = new Int32Array(n).fill(-1);
	const trs = new Float32Array(n * 10);
	for (let i = 0; i < n; i++) trs.set([i % 100, Math.floor(i / 100), 0, 0, 0, 0, 1, 1, 1, 1], i * 10);
	const bodies = scene.addAll(parents, trs);
	for (let i = 0; i < n; i++) trs[i * 10 + 2] = Math.cos(i);
	scene.setLocals(bodies, trs);
	assert.ok(scene.update() >= n && scene.node(bodies[7] as NodeId)?.position.x === 7);
});

test('a click paints what was hit', () => {
	const { scene, crate, camera } = start();
	const viewport = { width: 1600, height: 900 };
	const [x, y] = scene.view(camera, viewport).project([0, 0, 0]) as [number, number, number];
	const hit = scene.pickPixel(camera, x, y, viewport);
	assert.ok(hit);
	hit.node.material.color = [1, 0, 0];
	assert.deepEqual(crate.material.color, [1, 0, 0]);
});

test('a model, its animation, and a sword in its hand', async () => {
	const { scene, crate } = start();
	const { root, clip } = scene.instantiate(await loadGltf(readFileSync(join(assets, 'Fox/Fox.glb'))));
	const fox = root.find('fox') as SkinnedMesh;
	const mixer = scene.createMixer();
	const hand = fox.skin.joint('b_Head_05');
	assert.ok(hand);
	const before = hand.getWorldPosition();
	mixer.play(clip('Walk'), { fadeIn: 0.2 });
	hand.add(crate);
	mixer.update(1 / 60);
	assert.ok(hand.getWorldPosition().some((v, i) => v !== before[i]));
	assertNear(crate.getWorldPosition(), hand.getWorldPosition(), 1e-4);
});

test('undo, with the same objects', () => {
	const { scene, crate, tank, turret } = start();
	const history = scene.createHistory();
	scene.transact('put the crate on the turret', () => crate.attach(turret, { keepWorld: true }));
	scene.transact('scrap the tank', () => tank.dispose());
	assert.ok(!crate.alive && history.undo() === 'scrap the tank' && crate.alive && crate.parent === turret);
	assert.ok(history.undo() !== null && crate.parent === scene.root);
});

test('a snapshot in another place; errors that name the way out', () => {
	const { scene, crate, tank } = start();
	using s = Scene.restore(scene.snapshot());
	s.update();
	assert.equal(s.snapshot().buffer.byteLength > 100, true);
	tank.dispose();
	assert.throws(
		() => {
			tank.position.x = 1;
		},
		(e) => e instanceof PleachError && e.code === 'dead-node' && e.node === tank,
	);
	assert.throws(
		() => crate.position.set(0, Number.NaN, 0),
		(e) => e instanceof PleachError && e.code === 'not-finite' && crate.position.y === 0,
	);
});
