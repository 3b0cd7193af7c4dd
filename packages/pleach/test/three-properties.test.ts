/** Names, visibility, data and geometry: what three.js and pleach write to them is the same on both sides. */
import './setup.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	BoxGeometry,
	Group,
	Mesh,
	MeshBasicMaterial,
	PerspectiveCamera,
	Raycaster,
	Scene as ThreeScene,
	Vector3,
} from 'three';
import { attach } from '../src/three/index.js';

const material = new MeshBasicMaterial();

function crate(): { scene: ThreeScene; mesh: Mesh } {
	const scene = new ThreeScene();
	const mesh = new Mesh(new BoxGeometry(), material);
	mesh.name = 'crate';
	mesh.userData.weight = 3;
	scene.add(mesh);
	return { scene, mesh };
}

test('adopted objects are found by name, also by a name that three.js changes', () => {
	const { scene, mesh } = crate();
	for (const track of ['hook', 'scan', 'manual'] as const) {
		mesh.name = 'crate';
		const bridge = attach(scene, { track });
		const node = bridge.scene.find('crate');
		assert.equal(node, bridge.nodeOf(mesh));
		assert.equal(node?.name, 'crate');
		mesh.name = 'box';
		assert.equal(node?.name, 'box');
		mesh.name = 'barrel';
		assert.equal(bridge.scene.find('barrel'), node);
		assert.equal(bridge.scene.find('crate'), null);
		mesh.name = 'chest';
		assert.equal(bridge.scene.root.find('chest'), node);
		if (node !== null) node.name = 'bin';
		assert.equal(node?.name, 'bin');
		bridge.update();
		assert.equal(mesh.name, 'bin');
		bridge.dispose();
	}
});

test('visibility is the same on both sides at once', () => {
	const { scene, mesh } = crate();
	const below = new Group();
	mesh.add(below);
	const bridge = attach(scene);
	const [node, lower] = [bridge.nodeOf(mesh), bridge.nodeOf(below)];
	assert.ok(node !== null && lower !== null);
	mesh.visible = false;
	assert.equal(node.visible, false);
	assert.equal(lower.shown, false);
	// A hidden node below a hidden one: what is shown does not change.
	lower.visible = false;
	assert.equal(below.visible, false);
	node.visible = true;
	assert.equal(mesh.visible, true);
	mesh.visible = false;
	bridge.dispose();
	assert.equal(mesh.visible, false);
});

test('what pleach asks of the whole scene knows what three.js hid', () => {
	const { scene, mesh } = crate();
	const bridge = attach(scene);
	const node = bridge.nodeOf(mesh);
	assert.ok(node !== null);
	node.localBounds = [-1, -1, -1, 1, 1, 1];
	const touched = () => [...bridge.scene.queryBox([0, 0, 0, 1, 1, 1])].length;
	assert.equal(touched(), 1);
	mesh.visible = false;
	assert.equal(touched(), 0);
	assert.equal(bridge.scene.queryBox([0, 0, 0, 1, 1, 1], { hidden: true }).length, 1);
	bridge.dispose();
});

test('undo of visibility below a hidden object', () => {
	const { scene, mesh } = crate();
	const bridge = attach(scene);
	scene.visible = false;
	const history = bridge.scene.createHistory();
	const node = bridge.nodeOf(mesh);
	assert.equal(node?.shown, false);
	bridge.scene.transact('hide', () => {
		if (node !== null) node.visible = false;
	});
	assert.equal(mesh.visible, false);
	history.undo();
	bridge.update();
	assert.equal(mesh.visible, true);
	bridge.dispose();
});

test('visibility of objects that are scanned or touched', () => {
	for (const track of ['scan', 'manual'] as const) {
		const { scene, mesh } = crate();
		const bridge = attach(scene, { track });
		mesh.visible = false;
		mesh.userData = { weight: 5 };
		if (track === 'manual') bridge.touch(mesh);
		bridge.update();
		assert.equal(bridge.nodeOf(mesh)?.visible, false);
		assert.deepEqual(bridge.nodeOf(mesh)?.userData, { weight: 5 });
		bridge.dispose();
	}
});

test('an object and its node share their data', () => {
	const { scene, mesh } = crate();
	const bridge = attach(scene);
	mesh.userData = { weight: 4 };
	const node = bridge.scene.find('crate');
	assert.ok(node !== null);
	assert.equal(node.userData.weight, 4);
	node.userData.owner = 'me';
	assert.deepEqual(mesh.userData, { weight: 4, owner: 'me' });
	node.userData = { empty: true };
	assert.equal(bridge.nodeOf(mesh), node);
	assert.deepEqual(mesh.userData, { empty: true });
	mesh.userData = { full: true };
	assert.equal(bridge.nodeOf(mesh), node);
	assert.deepEqual(node.userData, { full: true });
	const made = bridge.scene.createGroup({ userData: { made: 1 } });
	bridge.update();
	assert.deepEqual(bridge.objectOf(made)?.userData, { made: 1 });
	bridge.dispose();
	assert.deepEqual(mesh.userData, { full: true });
});

test('adopted objects keep what a class or a program adds to them', () => {
	const { scene, mesh } = crate();
	let count = 0;
	Object.defineProperty(mesh, 'counted', { get: () => ++count, enumerable: true, configurable: true });
	const bridge = attach(scene);
	assert.equal((mesh as unknown as { counted: number }).counted, 1);
	mesh.visible = false;
	bridge.update();
	assert.equal(bridge.nodeOf(mesh)?.visible, false);
	assert.equal(mesh.clone().visible, false);
	assert.equal(JSON.parse(JSON.stringify(mesh.toJSON())).object.visible, false);
	bridge.dispose();
	assert.equal((mesh as unknown as { counted: number }).counted, 2);
});

test('replaced geometries of a large tree are noticed in turns, or after touch', () => {
	const scene = new ThreeScene();
	const small = new BoxGeometry();
	const meshes = Array.from({ length: 10_000 }, () => new Mesh(small, material));
	scene.add(...meshes);
	const bridge = attach(scene);
	const raycaster = new Raycaster(new Vector3(8, 0, 10), new Vector3(0, 0, -1));
	assert.equal(bridge.raycast(raycaster).length, 0);
	const wide = new BoxGeometry(20, 1, 1);
	const [first, second] = [meshes[3] as Mesh, meshes[9000] as Mesh];
	first.geometry = wide;
	second.geometry = wide;
	for (let i = 0; i < 3; i++) bridge.raycast(raycaster);
	assert.equal(bridge.raycast(raycaster).length, 2);
	for (const mesh of [first, second]) {
		mesh.geometry = small;
		mesh.frustumCulled = false;
		bridge.touch(mesh);
	}
	assert.equal(bridge.raycast(raycaster).length, 0);
	bridge.dispose();
});

test('a geometry that was replaced is hit and culled where it is', () => {
	const { scene, mesh } = crate();
	const bridge = attach(scene);
	const raycaster = new Raycaster(new Vector3(8, 0, 10), new Vector3(0, 0, -1));
	const camera = new PerspectiveCamera(20, 1, 0.1, 100);
	camera.position.set(8, 0, 10);
	assert.equal(bridge.raycast(raycaster).length, 0);
	assert.deepEqual(bridge.cull(camera), []);
	mesh.geometry = new BoxGeometry(20, 1, 1);
	assert.deepEqual(
		bridge.raycast(raycaster).map(({ point }) => point.toArray()),
		raycaster.intersectObjects(scene.children).map(({ point }) => point.toArray()),
	);
	assert.equal(bridge.raycast(raycaster).length, 1);
	assert.deepEqual(bridge.cull(camera), [mesh]);
	mesh.geometry = new BoxGeometry();
	assert.deepEqual(bridge.cull(camera), []);
	mesh.frustumCulled = false;
	assert.deepEqual(bridge.cull(camera), [mesh]);
	mesh.frustumCulled = true;
	assert.deepEqual(bridge.cull(camera), []);
	bridge.dispose();
});
