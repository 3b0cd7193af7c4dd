/** What cameras see and rays hit. */
import './setup.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { box, createMaterial, createScene, degrees, type Hit, type SceneNode } from '../src/entries/index.js';
import { raw } from '../src/runtime.js';
import { assertNear, fault } from './fault.js';

function row(): ReturnType<typeof build> {
	return build();
}

function build() {
	const scene = createScene();
	const [geometry, material] = [box(), createMaterial()];
	const crates = [0, 2, 4].map((y) =>
		scene.createMesh({ geometry, material, position: [0, y, 0], name: `crate ${y}` }),
	);
	const camera = scene.createCamera({ position: [0, -10, 0], fov: degrees(90), aspect: 1 });
	camera.lookAt([0, 0, 0]);
	return { scene, crates, camera };
}

test('visible meshes', () => {
	const { scene, crates, camera } = row();
	const seen = scene.getVisibleMeshes(camera);
	assert.deepEqual(seen, crates);
	assert.equal(scene.getVisibleMeshes(camera), seen, 'one array while nothing changes');
	(crates[1] as SceneNode).position.x = 1000;
	assert.deepEqual(scene.getVisibleMeshes(camera), [crates[0], crates[2]]);
	assert.equal(scene.cullReason(crates[1] as SceneNode, camera), 'outside-right');
	assert.equal(scene.cullReason(crates[0] as SceneNode, camera), 'in-view');
	(crates[0] as SceneNode).visible = false;
	assert.equal(scene.cullReason(crates[0] as SceneNode, camera), 'hidden');
	(crates[0] as SceneNode).detach();
	assert.equal(scene.cullReason(crates[0] as SceneNode, camera), 'detached');
	camera.seesLayers = 2;
	assert.equal(scene.cullReason(crates[2] as SceneNode, camera), 'layers');
	assert.equal(scene.cullReason(camera, camera), 'no-bounds');
	assert.deepEqual(scene.getVisibleMeshes(camera), []);
});

test('the matrices of a view', () => {
	const { scene, camera } = row();
	const view = scene.view(camera, { width: 200, height: 100 });
	assertNear(view.viewMatrix, [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, -10, 1]);
	assert.equal(view.frustum.containsPoint([0, 0, 0]), true);
	assert.equal(view.frustum.containsPoint([0, -20, 0]), false);
	const [x, y, depth] = view.project([0, 0, 5]) as [number, number, number];
	assertNear([x, y], [100, 25]);
	assert.ok(depth > 0 && depth < 1);
	assert.equal(view.project([0, -11, 0]), null);
	assertNear(view.rayThroughPixel(100, 50).direction, [0, 1, 0]);
	camera.position.x += 3;
	assertNear(view.rayThroughPixel(100, 50).origin, [0, -10, 0], 1e-4);
	const { direction } = scene.view(camera, 2).rayThroughPixel(0.5, 0.5);
	assertNear(direction, [0, 1, 0]);
	camera.clip = 'negative-one-to-one';
	assert.notDeepEqual(scene.view(camera).projectionMatrix, view.projectionMatrix);
});

test('a viewport is needed', () => {
	const { scene, camera } = row();
	camera.aspect = null;
	assert.equal(fault('no-viewport', () => scene.view(camera)).node, camera);
	fault('no-viewport', () => scene.getVisibleMeshes(camera));
	fault('no-viewport', () => scene.renderList(camera));
	fault('no-viewport', () => scene.view(camera, { width: 0, height: 10 }));
	fault('no-viewport', () => scene.view(camera, { width: 10, height: 0 }));
	fault('no-viewport', () => scene.view(camera, Number.NaN));
	fault('wrong-kind', () => scene.view(scene.root as never, 1));
	using other = createScene();
	fault('foreign-node', () => other.view(camera, 1));
	fault('foreign-node', () => other.getVisibleMeshes(camera, 1));
	camera.scale = [0, 0, 0];
	fault('out-of-range', () => scene.view(camera, 1));
});

test('the nearest hit, all hits, and filters', () => {
	const { scene, crates, camera } = row();
	const ray = { origin: [0.1, -10, 0.2], direction: [0, 2, 0] } as const;
	const hit = scene.pick(ray) as Hit;
	assert.equal(hit.node, crates[0]);
	assert.equal(hit.distance, 9.5);
	assertNear(hit.point, [0.1, -0.5, 0.2]);
	assertNear(hit.normal, [0, -1, 0]);
	assert.equal(hit.front, true);
	assert.equal(hit.instance, null);
	assertNear([hit.barycentrics.reduce((a, b) => a + b)], [1]);
	assert.equal(scene.pickAll(ray).filter(({ front }) => front).length, 3);
	assert.equal(scene.pick(ray, { filter: (node) => node !== crates[0] })?.node, crates[1]);
	assert.equal(
		scene.pickAll(ray, { filter: (node) => node === crates[2] }).every(({ node }) => node === crates[2]),
		true,
	);
	assert.equal(scene.pick(ray, { maxDistance: 9 }), null);
	assert.equal(scene.pick({ ...ray, maxDistance: 9 }), null);
	assert.equal(scene.pick(ray, { layers: 2 }), null);
	(crates[0] as SceneNode).visible = false;
	assert.equal(scene.pick(ray)?.node, crates[1]);
	assert.equal(scene.pick(ray, { hidden: true })?.node, crates[0]);
	assert.equal(scene.pickPixel(camera, 50, 50, { width: 100, height: 100 })?.node, crates[1]);
	assert.equal(scene.pickPixel(camera, 0, 0, { width: 100, height: 100 }), null);
	fault('no-direction', () => scene.pick({ origin: [0, 0, 0], direction: [0, 0, 0] }));
	fault('not-finite', () => scene.pick({ origin: [Number.NaN, 0, 0], direction: [0, 0, 1] }));
	fault('not-finite', () => scene.pick(ray, { maxDistance: Number.NaN }));
	fault('wrong-type', () => scene.pick({ origin: 3 as never, direction: [0, 0, 1] }));
});

test('instances are hit one by one', () => {
	using scene = createScene();
	const matrix = (x: number) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0, 0, 1];
	const instances = Float32Array.from([...matrix(0), ...matrix(5)]);
	const mesh = scene.createMesh({ geometry: box(), material: createMaterial(), instances });
	const hit = scene.pick({ origin: [5, 0, 9], direction: [0, 0, -1] });
	assert.deepEqual([hit?.node, hit?.instance, hit?.part], [mesh, 1, 0]);
	const many = scene.pickMany(Float32Array.of(5, 0, 9, 0, 0, -1, Infinity));
	assert.deepEqual([many.slot[0], many.instance[0]], [mesh.slot, 1]);
});

test('render lists', () => {
	const { scene, crates, camera } = row();
	const glass = createMaterial({ alphaMode: 'blend' });
	(crates[1] as (typeof crates)[number]).material = glass;
	const list = scene.renderList(camera);
	assert.deepEqual([list.opaque.length, list.transparent.length], [2, 1]);
	assert.deepEqual([...list.opaque.slot], [crates[0]?.slot, crates[2]?.slot]);
	assertNear(list.opaque.depth, [10, 14]);
	assert.equal(scene.material(list.transparent.material[0] as number), glass);
	assert.equal(scene.geometry(list.opaque.geometry[0] as number), crates[0]?.geometry);
	assert.equal(scene.geometry(12345), null);
	assert.deepEqual([...list.batches], [0, 2]);
	assert.deepEqual([...list.opaque.palette], [0xffffffff, 0xffffffff]);
	assert.equal(scene.renderList(camera), list);
	(crates[0] as SceneNode).visible = false;
	assert.equal(scene.renderList(camera).opaque.length, 1);
	assert.deepEqual([...list.opaque.part], [0]);
});

test('render lists of removed cameras are freed', () => {
	using scene = createScene();
	scene.createMesh({ geometry: box(), material: createMaterial() });
	const lists = new Set<number>();
	for (let i = 0; i < 50; i++) {
		const camera = scene.createCamera({ aspect: 1 });
		assert.equal(scene.renderList(camera).opaque.length, 1);
		assert.equal(scene.getVisibleMeshes(camera).length, 1);
		camera.dispose();
		// The number of the next list is that of one that was freed.
		const next = raw.render_list_new(scene.world);
		lists.add(next);
		raw.render_list_free(scene.world, next);
	}
	assert.ok(lists.size <= 3, `${lists.size} lists`);
});

test('the list of a camera that comes back by undo is built again', () => {
	using scene = createScene();
	scene.createMesh({ geometry: box(), material: createMaterial() });
	using history = scene.createHistory();
	const camera = scene.createCamera({ aspect: 1 });
	const list = scene.renderList(camera);
	scene.transact('remove', () => camera.dispose());
	scene.renderList(scene.createCamera({ aspect: 1 }));
	fault('disposed', () => list.opaque.length);
	history.undo();
	assert.equal(scene.renderList(camera).opaque.length, 1);
	assert.equal(scene.getVisibleMeshes(camera).length, 1);
});
