/** Undo, patches and snapshots. */
import './setup.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { box, createMaterial, createScene, type Mesh, Scene } from '../src/entries/index.js';
import { fault } from './fault.js';

test('undo and redo bring the same objects back', () => {
	using scene = createScene();
	using history = scene.createHistory();
	const tank = scene.createGroup({ name: 'tank' });
	const material = createMaterial({ color: [1, 0, 0] });
	const crate = scene.createMesh({ geometry: box(), material, userData: { hp: 3 } });
	scene.transact('attach', () => crate.attach(tank, { keepWorld: true }));
	scene.transact('paint', () => {
		material.color = [0, 0, 1];
	});
	scene.transact('scrap', () => tank.dispose());
	assert.deepEqual([crate.alive, tank.alive], [false, false]);
	assert.deepEqual(history.labels, ['scrap', 'paint', 'attach']);
	assert.equal(history.undo(), 'scrap');
	assert.deepEqual([crate.alive, crate.parent, crate.userData.hp], [true, tank, 3]);
	assert.equal(scene.find('tank'), tank);
	assert.equal(crate.material, material);
	assert.equal(history.undo(), 'paint');
	assert.deepEqual(material.color, [1, 0, 0]);
	assert.equal(history.undo(), 'attach');
	assert.equal(crate.parent, scene.root);
	assert.equal(history.undo(), null);
	assert.deepEqual(history.redoLabels, ['attach', 'paint', 'scrap']);
	assert.equal(history.redo(), 'attach');
	assert.equal(history.redo(), 'paint');
	assert.deepEqual(material.color, [0, 0, 1]);
	assert.equal(history.redo(), 'scrap');
	assert.equal(history.redo(), null);
	assert.equal(crate.alive, false);
});

test('everything is undone: components, environment and names', () => {
	using scene = createScene({ name: 'before' });
	using history = scene.createHistory();
	const mesh = scene.createMesh({ geometry: box(), material: createMaterial() });
	const light = scene.createLight({ type: 'point' });
	const state = () => ({
		name: scene.name,
		background: scene.background,
		ambient: scene.ambientLight,
		castShadow: mesh.castShadow,
		weights: mesh.weights,
		bounds: mesh.localBounds,
		intensity: light.intensity,
		constraint: light.constraint,
		rotation: [...light.rotation],
		nodes: scene.nodeCount,
		cameras: scene.list('camera').length,
	});
	scene.update();
	const before = state();
	scene.transact('everything', () => {
		scene.name = 'after';
		scene.background = [1, 0, 0];
		scene.ambientLight = { color: [1, 1, 1], intensity: 5 };
		mesh.castShadow = false;
		mesh.weights = Float32Array.of(1);
		mesh.localBounds = [-9, -9, -9, 9, 9, 9];
		light.intensity = 7;
		light.constraint = { type: 'look-at', target: mesh };
		scene.createCamera();
	});
	scene.update();
	const after = state();
	assert.notDeepEqual(after, before);
	history.undo();
	scene.update();
	assert.deepEqual(state(), before);
	history.redo();
	scene.update();
	assert.deepEqual(state(), after);
});

test('an error rolls everything back', () => {
	using scene = createScene();
	using history = scene.createHistory();
	const crate = scene.createGroup({ position: [1, 2, 3], rotation: [0.1, 0.2, 0.3, 0.4] });
	const local = () => [...crate.position, ...crate.rotation, ...crate.scale];
	const before = local();
	const reason = new Error('no');
	assert.throws(
		() =>
			scene.transact('fails', () => {
				crate.position.x = 5;
				scene.createGroup();
				throw reason;
			}),
		(error) => error === reason,
	);
	assert.deepEqual(local(), before);
	assert.equal(scene.nodeCount, 2);
	fault('async-transaction', () =>
		scene.transact('later', async () => {
			crate.position.x = 6;
		}),
	);
	assert.equal(crate.position.x, 1);
	assert.deepEqual(history.labels, []);
	assert.equal(
		scene.transact('value', () => 42),
		42,
	);
});

test('transactions inside of others, and merged steps', () => {
	using scene = createScene();
	using history = scene.createHistory();
	const crate = scene.createGroup();
	scene.transact('outer', () => {
		crate.position.x = 1;
		scene.transact('inner', () => {
			crate.position.y = 1;
		});
		assert.throws(() =>
			scene.transact('fails', () => {
				crate.position.z = 1;
				throw new Error();
			}),
		);
		fault('busy', () => history.undo());
		fault('busy', () => scene.snapshot());
	});
	assert.deepEqual([...crate.position], [1, 1, 0]);
	assert.deepEqual(history.labels, ['outer']);
	for (let x = 2; x < 9; x++)
		scene.transact(
			'drag',
			() => {
				crate.position.x = x;
			},
			{ merge: 'drag' },
		);
	assert.deepEqual(history.labels, ['drag', 'outer']);
	history.endMerging();
	scene.transact(
		'drag',
		() => {
			crate.position.x = 10;
		},
		{ merge: 'drag' },
	);
	assert.equal(history.labels.length, 3);
	history.undo();
	history.undo();
	assert.equal(crate.position.x, 1);
});

test('marks and what is saved', () => {
	using scene = createScene();
	using history = scene.createHistory({ bytes: 1e6 });
	const crate = scene.createGroup();
	const move = (x: number) =>
		scene.transact(`to ${x}`, () => {
			crate.position.x = x;
		});
	assert.equal(history.isModified, false);
	move(1);
	history.setSaved();
	const mark = history.mark();
	move(2);
	move(3);
	assert.equal(history.isModified, true);
	assert.equal(history.returnTo(mark), true);
	assert.deepEqual([crate.position.x, history.isModified], [1, false]);
	move(4);
	assert.equal(history.returnTo(mark), true);
	history.clear();
	assert.deepEqual([history.labels.length, history.byteSize], [0, 0]);
	fault('out-of-range', () => history.returnTo(99));
	using other = createScene();
	fault('out-of-range', () => other.createHistory({ bytes: -1 }));
});

test('one history per scene', () => {
	using scene = createScene();
	const history = scene.createHistory();
	fault('busy', () => scene.createHistory());
	history.dispose();
	fault('disposed', () => history.undo());
	using next = scene.createHistory();
	scene.transact('edit', () => scene.createGroup());
	assert.equal(next.undo(), 'edit');
});

test('snapshots and patches', () => {
	using scene = createScene({ up: 'y', name: 'level' });
	const mesh = scene.createMesh({ geometry: box(), material: createMaterial({ name: 'wood' }), name: 'crate' });
	const bytes = scene.snapshot();
	using copy = Scene.restore(bytes);
	assert.deepEqual([copy.up, copy.name], ['y', 'level']);
	const other = copy.node(mesh.id) as Mesh;
	assert.deepEqual([other.name, other.material.name, other.scene], ['crate', 'wood', copy]);
	assert.notEqual(other.material, mesh.material);
	assert.deepEqual(copy.snapshot(), bytes);
	const patches = [
		scene.record(() => {
			mesh.position.x = 5;
			mesh.material.color = [1, 0, 0];
		}),
		scene.record(() => {
			scene.createMesh({ geometry: box({ size: [2, 2, 2] }), material: createMaterial(), name: 'new' });
		}),
		scene.record(() => mesh.dispose()),
	];
	using history = copy.createHistory();
	for (const patch of patches) copy.apply(patch);
	assert.deepEqual(copy.snapshot(), scene.snapshot());
	assert.equal(history.undo(), 'edit');
	assert.equal(other.alive, true);
	fault('patch', () => copy.apply(patches[0] as Uint8Array));
	fault('patch', () => copy.apply(new Uint8Array(20)));
	fault('wrong-type', () => copy.apply('patch' as never));
	assert.throws(() =>
		scene.record(() => {
			throw new Error();
		}),
	);
});

test('damaged snapshots', () => {
	using scene = createScene();
	scene.createMesh({ geometry: box(), material: createMaterial() });
	const bytes = scene.snapshot();
	fault('snapshot', () => Scene.restore(new Uint8Array(0)));
	fault('snapshot', () => Scene.restore(bytes.slice(0, bytes.length / 2)));
	const damaged = bytes.slice();
	damaged[100] = (damaged[100] as number) ^ 255;
	fault('snapshot', () => Scene.restore(damaged));
	fault('wrong-type', () => Scene.restore('x' as never));
});
