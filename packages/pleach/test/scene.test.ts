/** Nodes of scenes: what they are created with, and what they have. */
import './setup.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	box,
	createGeometry,
	createMaterial,
	createScene,
	degrees,
	type Mesh,
	type SceneNode,
	type SkinnedMesh,
	srgb,
} from '../src/entries/index.js';
import { assertNear, fault } from './fault.js';

test('a mesh has what it was created with', () => {
	using scene = createScene({ name: 'level' });
	assert.equal(scene.name, 'level');
	const [geometry, material] = [box({ size: [2, 2, 2] }), createMaterial({ color: [1, 0, 0] })];
	const tower = scene.createGroup({ name: 'tower' });
	const mesh = scene.createMesh({
		geometry,
		material,
		parent: tower,
		name: 'crate',
		position: [1, 2, 3],
		castShadow: false,
		isStatic: true,
		transparent: true,
		layers: 6,
		userData: { hp: 3 },
	});
	assert.equal(mesh.geometry, geometry);
	assert.equal(mesh.material, material);
	assert.equal(mesh.parent, tower);
	assert.deepEqual([mesh.castShadow, mesh.receiveShadow, mesh.isStatic, mesh.transparent], [false, true, true, true]);
	assert.deepEqual([mesh.type, mesh.name, mesh.layers, mesh.userData.hp], ['Mesh', 'crate', 6, 3]);
	assert.deepEqual([tower.type, scene.root.type], ['Group', 'Root']);
	assert.deepEqual([...(mesh.getWorldBounds() ?? [])], [0, 1, 2, 2, 3, 4]);
	mesh.transparent = 'auto';
	mesh.frustumCulled = false;
	assert.deepEqual([mesh.transparent, mesh.frustumCulled], ['auto', false]);
	assert.deepEqual(scene.list('mesh'), [mesh]);
	const node: SceneNode | null = scene.findPath('tower/crate');
	assert.ok(node?.has('mesh'));
	assert.equal(node.material, material);
	assert.equal(node.has('camera'), false);
});

test('parts, palettes, weights and instances', () => {
	using scene = createScene();
	const [geometry, material] = [box(), createMaterial()];
	const mesh = scene.createMesh({ geometry, material });
	const paint = createMaterial({ name: 'paint' });
	mesh.parts = [
		{ geometry, material },
		{ geometry: box({ size: [4, 1, 1] }), material: paint },
	];
	assert.equal(mesh.parts[1]?.material, paint);
	assert.equal(mesh.parts.length, 2);
	mesh.palette = [paint, material];
	assert.deepEqual(mesh.palette, [paint, material]);
	assert.equal(mesh.weights, null);
	mesh.weights = Float32Array.of(0.5, 1);
	assert.deepEqual([...(mesh.weights ?? [])], [0.5, 1]);
	mesh.weights = null;
	assert.equal(mesh.weights, null);
	const matrix = (x: number) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0, 0, 1];
	mesh.instances = Float32Array.from([...matrix(0), ...matrix(10)]);
	assert.equal(mesh.instances?.[28], 10);
	assert.deepEqual([...(mesh.getWorldBounds() ?? [])], [-2, -0.5, -0.5, 12, 0.5, 0.5]);
	mesh.instances = null;
	assert.equal(mesh.instances, null);
});

test('cameras', () => {
	using scene = createScene();
	const camera = scene.createCamera({ fov: degrees(60), near: 0.5, far: 100, aspect: 2, clip: 'reversed' });
	assert.equal(camera.type, 'Camera');
	assert.deepEqual([...camera.position], [0, 10, 5]);
	assertNear([camera.fov, camera.near, camera.far], [Math.PI / 3, 0.5, 100]);
	assert.deepEqual([camera.aspect, camera.clip, camera.zoom, camera.seesLayers], [2, 'reversed', 1, 0xffffffff]);
	camera.aspect = null;
	assert.equal(camera.aspect, null);
	camera.far = Infinity;
	camera.projection = 'orthographic';
	assert.equal(camera.projection, 'orthographic');
	camera.height = 20;
	camera.zoom = 2;
	assert.deepEqual([camera.height, camera.zoom, camera.near], [20, 2, 0.5]);
	camera.setProjectionMatrix([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -0.1, 0]);
	assert.equal(camera.projection, 'custom');
	using level = createScene({ up: 'y' });
	assert.deepEqual([...level.createCamera().position], [0, 5, 10]);
});

test('lights and the environment', () => {
	using scene = createScene();
	const sun = scene.createLight({ type: 'directional', color: [1, 0.9, 0.8], intensity: 3, shadow: { mapSize: 1024 } });
	assert.equal(sun.type, 'DirectionalLight');
	assertNear(sun.color, [1, 0.9, 0.8]);
	assert.equal(sun.shadow?.mapSize, 1024);
	assert.equal(sun.shadow?.bounds, 30);
	sun.shadow = null;
	assert.equal(sun.shadow, null);
	assertNear(sun.getDirection(), [0, 0, -1]);
	const spot = scene.createLight({ type: 'spot', range: 10, innerAngle: degrees(10), outerAngle: degrees(20) });
	assertNear([spot.range, spot.innerAngle, spot.outerAngle], [10, degrees(10), degrees(20)]);
	assert.equal(scene.createLight({ type: 'point' }).range, Infinity);
	assert.equal(scene.createLight({ type: 'ambient' }).type, 'AmbientLight');
	assert.equal(scene.list('light').length, 4);
	scene.ambientLight = { color: [1, 1, 0.5], intensity: 0.25 };
	assert.deepEqual(scene.ambientLight, { color: [1, 1, 0.5], intensity: 0.25 });
	assert.deepEqual([scene.background, scene.fog], [null, null]);
	scene.background = srgb(0xffffff);
	scene.fog = { color: [0, 0, 1], near: 5, far: 50 };
	assert.deepEqual(scene.background, [1, 1, 1]);
	assert.deepEqual(scene.fog, { color: [0, 0, 1], near: 5, far: 50 });
	scene.background = null;
	assert.equal(scene.background, null);
});

function arm(scene = createScene()): { scene: typeof scene; joints: SceneNode[]; mesh: SkinnedMesh } {
	const upper = scene.createGroup({ name: 'upper' });
	const lower = scene.createGroup({ name: 'lower', parent: upper, position: [0, 0, 1] });
	const geometry = createGeometry({
		positions: [0, 0, 0, 1, 0, 0, 0, 0, 2],
		joints: [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
		weights: [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0],
	});
	const skin = scene.createSkin({ joints: [upper, lower] });
	const mesh = scene.createSkinnedMesh({ geometry, material: createMaterial(), skin });
	assert.equal(mesh.skin, skin);
	return { scene, joints: [upper, lower], mesh };
}

test('skins', () => {
	const { scene, joints, mesh } = arm();
	const { skin } = mesh;
	assert.equal(mesh.type, 'SkinnedMesh');
	assert.equal(joints[1]?.type, 'Joint');
	assert.deepEqual(skin.joints, joints);
	assert.equal(skin.joint('lower'), joints[1]);
	assert.equal(skin.joint('hand'), null);
	assert.equal(skin.indexOf(joints[1] as SceneNode), 1);
	(joints[1] as SceneNode).position.x += 5;
	assert.deepEqual([...skin.matrices.slice(28, 31)], [5, 0, 0]);
	assert.equal(scene.palettes.length, 32);
	assertNear([...(mesh.getWorldBounds() ?? [])].slice(3), [5, 0, 2]);
	const other = scene.createSkinnedMesh({ geometry: mesh.geometry, material: mesh.material, skin });
	assert.deepEqual(other.skin.joints, joints);
	assert.deepEqual([...other.skin.matrices.slice(28, 31)], [5, 0, 0]);
	const copy = mesh.clone();
	assert.deepEqual((copy.root as SkinnedMesh).skin.joints, joints);
	scene.dispose();
});

test('constraints and levels of detail', () => {
	using scene = createScene();
	const target = scene.createGroup({ position: [10, 0, 0] });
	const eye = scene.createCamera({ position: [0, 0, 0] });
	eye.constraint = { type: 'look-at', target };
	assert.equal(eye.constraint?.target, target);
	scene.update();
	assertNear(scene.worldMatrices.slice(eye.slot * 16 + 8, eye.slot * 16 + 11), [-1, 0, 0]);
	eye.constraint = { type: 'aim', target, front: [0, 1, 0], top: [0, 0, 1] };
	assert.deepEqual(eye.constraint, { type: 'aim', target, up: [0, 0, 1], front: [0, 1, 0], top: [0, 0, 1] });
	fault('constraint-cycle', () => {
		scene.root.constraint = { type: 'face', target };
	});
	eye.constraint = null;
	assert.equal(eye.constraint, null);
	const mesh = (x: number) => scene.createMesh({ geometry: box(), material: createMaterial(), position: [x, 0, 0] });
	const [near, far] = [mesh(0), mesh(1)];
	target.lod = [
		{ node: near, minScreenSize: 0.5 },
		{ node: far, minScreenSize: 0 },
	];
	assert.deepEqual(target.lod, [
		{ node: near, minScreenSize: 0.5 },
		{ node: far, minScreenSize: 0 },
	]);
	target.lod = null;
	assert.equal(target.lod, null);
});

test('what is wrong with options is an error, and creates nothing', () => {
	using scene = createScene();
	using other = createScene();
	const [geometry, material] = [box(), createMaterial()];
	const count = scene.nodeCount;
	fault('wrong-type', () => scene.createMesh({ geometry, material: undefined as never }));
	fault('wrong-type', () => scene.createMesh({ geometry: material as never, material }));
	fault('foreign-node', () => scene.createMesh({ geometry, material, parent: other.root }));
	fault('not-finite', () => scene.createMesh({ geometry, material, position: [Number.NaN, 0, 0] }));
	fault('wrong-length', () => scene.createMesh({ geometry, material, instances: new Float32Array(15) }));
	fault('not-finite', () => scene.createMesh({ geometry, material, weights: Float32Array.of(Number.NaN) }));
	fault('out-of-range', () => scene.createMesh({ geometry, material, layers: 1.5 }));
	const error = fault('out-of-range', () => scene.createCamera({ fov: 60 }));
	assert.match(error.message, /degrees\(60\)/);
	fault('out-of-range', () => scene.createCamera({ near: -1 }));
	fault('out-of-range', () => scene.createLight({ type: 'sun' as never }));
	fault('not-finite', () => scene.createLight({ type: 'point', color: [Number.NaN, 0, 0] }));
	fault('out-of-range', () => scene.createLight({ type: 'directional', range: 5 }));
	fault('out-of-range', () => scene.createLight({ type: 'spot', outerAngle: 45 }));
	assert.equal(scene.nodeCount, count);
	fault('foreign-node', () => scene.createSkin({ joints: [other.root] }));
	fault('wrong-length', () => scene.createSkin({ joints: [scene.root], inverseBinds: new Float32Array(3) }));
	fault('not-finite', () => {
		scene.ambientLight = { color: [1, 1, Number.NaN], intensity: 1 };
	});
	fault('wrong-type', () => {
		scene.background = 0xff0000 as never;
	});
	fault('out-of-range', () => createScene({ up: 'x' as never }));
});

test('a property of a kind that the node has not', () => {
	using scene = createScene();
	const group = scene.createGroup({ name: 'tank' });
	const error = fault('wrong-kind', () => (group as Mesh).material);
	assert.equal(error.node, group);
	assert.match(error.message, /"tank" has no mesh/);
	fault('wrong-kind', () => {
		(group as Mesh).castShadow = true;
	});
	fault('wrong-kind', () => (group as unknown as { fov: number }).fov);
	fault('wrong-kind', () => (group as unknown as { intensity: number }).intensity);
	fault('wrong-kind', () => (group as unknown as { skin: number }).skin);
});

test('dead nodes', () => {
	using scene = createScene();
	const mesh = scene.createMesh({ geometry: box(), material: createMaterial() });
	mesh.dispose();
	for (const use of [
		() => mesh.geometry,
		() => mesh.type,
		() => mesh.has('mesh'),
		() => {
			mesh.castShadow = true;
		},
		() => mesh.layers,
	]) {
		assert.equal(fault('dead-node', use).node, mesh);
	}
	scene.dispose();
	fault('disposed', () => scene.createGroup());
	fault('disposed', () => scene.createMixer());
});

test('objects of a disposed scene do not touch the next one, which has its number', () => {
	const scene = createScene();
	const mesh = scene.createMesh({ geometry: box(), material: createMaterial() });
	const mixer = scene.createMixer();
	const clip = scene.createClip('move', [{ node: mesh, property: 'position', times: [0], values: [5, 5, 5] }]);
	const layer = mixer.play(clip);
	const history = scene.createHistory();
	scene.dispose();
	using next = createScene();
	const other = next.createGroup({ name: 'other' });
	assert.equal(other.slot, mesh.slot);
	fault('disposed', () => {
		mesh.position.x = 5;
	});
	fault('disposed', () => mesh.material);
	fault('disposed', () => mesh.dispose());
	fault('disposed', () => mixer.update(1));
	fault('disposed', () => history.undo());
	fault('disposed', () => scene.transact('edit', () => {}));
	fault('disposed', () => scene.snapshot());
	assert.deepEqual([mesh.alive, other.alive, other.position.x], [false, true, 0]);
	mixer.dispose();
	next.createMixer();
	fault('disposed', () => layer.time);
	history.dispose();
	clip.dispose();
	fault('disposed', () => clip.name);
});

test('a skin is used again after its first mesh was disposed', () => {
	using scene = createScene();
	const joint = scene.createGroup();
	const skin = scene.createSkin({ joints: [joint] });
	const geometry = createGeometry({ positions: [0, 0, 0], joints: [0, 0, 0, 0], weights: [1, 0, 0, 0] });
	const create = () => scene.createSkinnedMesh({ geometry, material: createMaterial(), skin });
	create().dispose();
	const second = create();
	joint.position.x = 3;
	assert.equal(second.skin.matrices[12], 3);
	assert.equal(skin.matrices[12], 3);
});

test('instances that are not finite are an error with the instance', () => {
	using scene = createScene();
	const mesh = scene.createMesh({ geometry: box(), material: createMaterial() });
	const instances = new Float32Array(32).fill(1);
	instances[20] = Number.NaN;
	const error = fault('not-finite', () => {
		mesh.instances = instances;
	});
	assert.deepEqual([error.index, mesh.instances], [1, null]);
});

test('errors name the node of the scene that it belongs to', () => {
	using a = createScene();
	using b = createScene();
	const [dead, live] = [a.createGroup({ name: 'dead' }), b.createGroup({ name: 'live' })];
	assert.equal(dead.id, live.id);
	const other = a.createGroup();
	dead.dispose();
	assert.equal(fault('dead-node', () => b.instantiate(dead)).node, dead);
	assert.equal(fault('dead-node', () => b.nodesAt(Uint32Array.of(99))).node, undefined);
	live.dispose();
	assert.equal(fault('dead-node', () => b.instantiate(b.root, { parent: live })).node, live);
	// Mixers and scenes have numbers of their own: here both are the first.
	const mixer = a.createMixer();
	const clip = a.createClip('c', [{ node: other, property: 'position', times: [0], values: [0, 0, 1] }]);
	assert.equal(fault('dead-node', () => mixer.play(clip, { mask: dead })).node, dead);
});

test('a disposed scene has no columns and no nodes', () => {
	const scene = createScene();
	const mesh = scene.createMesh({ geometry: box(), material: createMaterial() });
	const list = scene.renderList(scene.createCamera({ aspect: 1 }));
	const [nodeId, geometryId, materialId] = [mesh.id, mesh.geometry.id, mesh.material.id];
	scene.dispose();
	const reads = [
		() => scene.worldMatrices,
		() => scene.locals,
		() => scene.parents,
		() => scene.flags,
		() => scene.palettes,
		() => scene.node(nodeId),
		() => scene.geometry(geometryId),
		() => scene.material(materialId),
		() => list.opaque.length,
		() => list.opaque.slot,
		() => list.batches,
		() => list.staticVersion,
	];
	for (const read of reads) fault('disposed', read);
});

test('a disposed asset stays disposed while another object has it', () => {
	using scene = createScene();
	const [geometry, material] = [box(), createMaterial()];
	const mesh = scene.createMesh({ geometry, material });
	material.dispose();
	geometry.dispose();
	assert.notEqual(mesh.material, material);
	assert.equal(mesh.material.id, material.id);
	assert.equal(mesh.geometry.id, geometry.id);
	fault('disposed', () => material.color);
	fault('disposed', () => {
		material.roughness = 1;
	});
	fault('disposed', () => geometry.positions);
	fault('disposed', () => geometry.version);
	fault('disposed', () => {
		mesh.material = material;
	});
	fault('disposed', () => scene.createMesh({ geometry, material: createMaterial() }));
});
