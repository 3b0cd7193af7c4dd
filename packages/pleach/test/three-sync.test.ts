/** The bridge against three.js itself: the same edits on an adopted tree and on a twin without a bridge. */
import './setup.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	BoxGeometry,
	Euler,
	Group,
	Matrix4,
	Mesh,
	MeshBasicMaterial,
	type Object3D,
	PerspectiveCamera,
	Plane,
	PlaneHelper,
	Quaternion,
	Scene as ThreeScene,
	Vector3,
} from 'three';
import { PleachError } from '../src/errors.js';
import { attach, type Bridge } from '../src/three/index.js';
import { Random, seed as seedOfRun } from './random.js';

const seed = seedOfRun();
console.log(`seed ${seed}`);

function randomFrom(state: number): () => number {
	const random = new Random(state);
	return () => random.next();
}

const geometry = new BoxGeometry(1, 1, 1);
const material = new MeshBasicMaterial();

/** Two trees that get the same edits. */
class Twins {
	readonly a: Object3D[] = [];
	readonly b: Object3D[] = [];
	readonly random: () => number;

	/** Without `attach` and `lookAt` below unequal scales: three.js does not support them, and their results jump. */
	constructor(
		state: number,
		readonly isUniform = false,
	) {
		this.random = randomFrom(state);
		this.a.push(new ThreeScene());
		this.b.push(new ThreeScene());
	}

	pick(n: number): number {
		return Math.floor(this.random() * n);
	}

	vector(scale = 4): [number, number, number] {
		return [(this.random() - 0.5) * scale, (this.random() - 0.5) * scale, (this.random() - 0.5) * scale];
	}

	/** A new object in both trees. */
	create(parent: number): number {
		const kind = this.pick(5);
		const make = () => (kind === 0 ? new PerspectiveCamera() : kind < 3 ? new Mesh(geometry, material) : new Group());
		const [a, b] = [make(), make()];
		const [p, r, s] = [this.vector(), this.vector(6), 0.7 + this.random() * 0.6];
		for (const object of [a, b]) {
			object.position.set(...p);
			object.rotation.set(...r);
			object.scale.setScalar(s);
		}
		const index = this.a.push(a) - 1;
		this.b.push(b);
		this.a[parent]?.add(a);
		this.b[parent]?.add(b);
		return index;
	}

	/** The same edit on both. */
	both(index: number, edit: (object: Object3D, all: Object3D[]) => unknown): void {
		edit(this.a[index] as Object3D, this.a);
		edit(this.b[index] as Object3D, this.b);
	}

	isBelow(index: number, above: number): boolean {
		for (let at: Object3D | null = this.b[index] as Object3D; at !== null; at = at.parent) {
			if (at === this.b[above]) return true;
		}
		return false;
	}

	/** Edits one random object through three's own properties. */
	edit(): void {
		const index = 1 + this.pick(this.a.length - 1);
		const { isUniform } = this;
		const v = this.vector();
		const angle = this.random() * 6 - 3;
		const axis = new Vector3(...this.vector()).normalize();
		const edits: ((object: Object3D) => unknown)[] = [
			(o) => o.position.set(...v),
			(o) => {
				o.position.x += 0.5;
			},
			(o) => {
				o.position.y = v[1];
			},
			(o) => o.position.add(new Vector3(...v)),
			(o) => o.position.fromArray(v),
			(o) => o.position.lerp(new Vector3(...v), 0.25),
			(o) => {
				o.rotation.y += angle;
			},
			(o) => o.rotation.set(...v, 'ZYX'),
			(o) => o.quaternion.setFromAxisAngle(axis, angle),
			(o) => o.quaternion.slerp(new Quaternion().setFromEuler(new Euler(...v)), 0.3),
			(o) => o.quaternion.multiply(new Quaternion().setFromAxisAngle(axis, angle)),
			(o) => o.rotateOnAxis(axis, angle),
			(o) => o.translateOnAxis(axis, angle),
			(o) => o.scale.setScalar(0.7 + Math.abs(angle) * 0.15),
			(o) => o.applyMatrix4(new Matrix4().makeRotationAxis(axis, angle)),
			(o) => {
				if (isUniform) o.lookAt(...v);
				else o.scale.z = 0.6 + Math.abs(v[2]) * 0.2;
			},
		];
		this.both(index, edits[this.pick(edits.length)] as (object: Object3D) => unknown);
	}

	/** Adds, removes or moves one random object. */
	restructure(): void {
		const index = 1 + this.pick(this.a.length - 1);
		const parent = this.pick(this.a.length);
		const kind = this.pick(5);
		if (kind === 0) this.create(parent);
		else if (kind === 1) this.both(index, (o) => o.removeFromParent());
		else if (!this.isBelow(parent, index)) {
			if (kind === 2) this.both(index, (o, all) => all[parent]?.attach(o));
			else this.both(index, (o, all) => all[parent]?.add(o));
		}
	}

	/** Compares the world matrices of everything below the roots. */
	compare(): void {
		(this.b[0] as Object3D).updateMatrixWorld();
		this.a.forEach((object, index) => {
			if (!isUnder(object, this.a[0] as Object3D)) return;
			assertClose(object.matrixWorld.elements, (this.b[index] as Object3D).matrixWorld.elements, `object ${index}`);
		});
	}
}

function isUnder(object: Object3D, root: Object3D): boolean {
	for (let at: Object3D | null = object; at !== null; at = at.parent) if (at === root) return true;
	return false;
}

/** Equal to rounding to 32 bits along a path of nodes. */
function assertClose(actual: ArrayLike<number>, expected: ArrayLike<number>, what: string): void {
	let largest = 1;
	for (let i = 0; i < expected.length; i++) largest = Math.max(largest, Math.abs(expected[i] as number));
	for (let i = 0; i < expected.length; i++) {
		const difference = Math.abs((actual[i] as number) - (expected[i] as number));
		assert.ok(
			difference <= largest * 2e-5,
			`${what}, number ${i}: ${actual[i]} instead of ${expected[i]} (seed ${seed})`,
		);
	}
}

function twins(state: number, count: number, isUniform = false): { pair: Twins; bridge: Bridge } {
	const pair = new Twins(state, isUniform);
	for (let i = 0; i < count; i++) pair.create(Math.max(0, pair.pick(pair.a.length + 3) - 3));
	return { pair, bridge: attach(pair.a[0] as Object3D) };
}

test('random edits through the properties of three.js give the matrices of three.js', () => {
	for (let round = 0; round < 10; round++) {
		const { pair, bridge } = twins(seed + round, 60);
		pair.compare();
		for (let frame = 0; frame < 20; frame++) {
			for (let i = pair.pick(8); i >= 0; i--) pair.edit();
			// What the renderer calls, and the bridge's own.
			if (frame % 2 === 0) (pair.a[0] as Object3D).updateMatrixWorld();
			else bridge.update();
			pair.compare();
		}
		bridge.dispose();
	}
});

test('reads are right without an update', () => {
	const { pair, bridge } = twins(seed + 100, 60, true);
	for (let i = 0; i < 400; i++) {
		pair.edit();
		if (i % 5 === 0) pair.restructure();
		const index = pair.pick(pair.a.length);
		const [a, b] = [pair.a[index] as Object3D, pair.b[index] as Object3D];
		assertClose(
			a.getWorldPosition(new Vector3()).toArray(),
			b.getWorldPosition(new Vector3()).toArray(),
			`position ${i}`,
		);
		for (const object of [a, b]) object.getWorldQuaternion(new Quaternion());
		assertClose(a.matrixWorld.elements, b.matrixWorld.elements, `matrix ${i}`);
		const [v, w] = [a.localToWorld(new Vector3(1, 2, 3)), b.localToWorld(new Vector3(1, 2, 3))];
		assertClose(v.toArray(), w.toArray(), `local to world ${i}`);
	}
	bridge.dispose();
});

test('random adding, removing and re-parenting through three.js', () => {
	for (let round = 0; round < 10; round++) {
		const { pair, bridge } = twins(seed + 200 + round, 30, true);
		for (let frame = 0; frame < 20; frame++) {
			for (let i = 0; i < 6; i++) {
				if (pair.random() < 0.5) pair.edit();
				else pair.restructure();
			}
			bridge.update();
			pair.compare();
			// The tree of pleach is that of three.js.
			const inTree = pair.a.filter((object) => isUnder(object, pair.a[0] as Object3D));
			assert.equal(bridge.scene.nodeCount, inTree.length);
			for (const object of inTree) {
				const node = bridge.nodeOf(object);
				assert.ok(node !== null);
				assert.equal(bridge.objectOf(node), object);
				const expected = object === pair.a[0] || object.parent === null ? null : bridge.nodeOf(object.parent);
				assert.equal(node.parent, expected);
			}
		}
		bridge.dispose();
	}
});

test('a moved object keeps its node', () => {
	const scene = new ThreeScene();
	const [left, right, child] = [new Group(), new Group(), new Group()];
	scene.add(left, right);
	left.add(child);
	const bridge = attach(scene);
	const node = bridge.nodeOf(child);
	right.position.x = 2;
	right.add(child);
	assert.equal(bridge.nodeOf(child), node);
	bridge.update();
	assert.equal(bridge.nodeOf(child), node);
	assert.equal(child.matrixWorld.elements[12], 2);
	child.removeFromParent();
	bridge.update();
	assert.equal(bridge.nodeOf(child), null);
	assert.equal(node?.alive, false);
	// It is an object like any other again.
	child.position.x = 7;
	child.updateMatrixWorld();
	assert.equal(child.matrixWorld.elements[12], 7);
	assert.deepEqual(Object.keys(child.position), ['x', 'y', 'z']);
	bridge.dispose();
});

test('numbers keep their precision, and vectors their identity', () => {
	const scene = new ThreeScene();
	const mesh = new Mesh(geometry, material);
	mesh.userData.mine = 1;
	scene.add(mesh);
	const { position } = mesh;
	const bridge = attach(scene);
	assert.equal(mesh.position, position);
	position.x = 0.1;
	mesh.rotation.y = 0.3;
	bridge.update();
	assert.equal(mesh.position.x, 0.1);
	assert.equal(mesh.rotation.y, 0.3);
	assert.ok(mesh instanceof Mesh && mesh.position instanceof Vector3);
	assert.equal(JSON.stringify(mesh.position), '{"x":0.1,"y":0,"z":0}');
	assert.deepEqual(mesh.userData, { mine: 1 });
	const copy = mesh.clone();
	assert.equal(copy.position.x, 0.1);
	copy.position.x = 5;
	assert.equal(mesh.position.x, 0.1);
	assert.equal(bridge.nodeOf(copy), null);
	assert.equal(copy.matrixAutoUpdate, true);
	const json = mesh.toJSON();
	assert.ok(Math.abs((json.object.matrix[12] as number) - 0.1) < 1e-9);
	bridge.dispose();
});

test('writes of pleach reach three.js, and are not sent back', () => {
	const scene = new ThreeScene();
	const mesh = new Mesh(geometry, material);
	const child = new Group();
	scene.add(mesh);
	mesh.add(child);
	const bridge = attach(scene);
	const node = bridge.nodeOf(mesh);
	assert.ok(node !== null);
	node.position.set(1, 2, 3);
	node.rotation.setEuler(0, 0.5, 0);
	node.scale.set(2, 2, 2);
	node.visible = false;
	node.name = 'crate';
	bridge.update();
	assert.deepEqual(mesh.position.toArray(), [1, 2, 3]);
	assert.ok(Math.abs(mesh.rotation.y - 0.5) < 1e-6);
	assert.deepEqual(mesh.scale.toArray(), [2, 2, 2]);
	assert.equal(mesh.visible, false);
	assert.equal(mesh.name, 'crate');
	assert.equal(bridge.scene.update(), 0);
	// An earlier update by someone else loses nothing.
	node.position.x = 9;
	bridge.scene.update();
	bridge.update();
	assert.equal(mesh.position.x, 9);
	assert.equal(child.matrixWorld.elements[12], 9);
	bridge.dispose();
	assert.equal(mesh.position.x, 9);
});

test('nodes that pleach adds, moves and removes', () => {
	const scene = new ThreeScene();
	const group = new Group();
	const mesh = new Mesh(geometry, material);
	scene.add(group, mesh);
	const bridge = attach(scene);
	const parent = bridge.nodeOf(group);
	assert.ok(parent !== null);
	const made = bridge.scene.createGroup({ parent, position: [1, 0, 0], name: 'made' });
	const below = bridge.scene.createGroup({ parent: made, position: [0, 1, 0] });
	const top = bridge.scene.createGroup();
	bridge.update();
	const object = group.children[0];
	assert.ok(object !== undefined);
	assert.equal(object.name, 'made');
	assert.equal(bridge.objectOf(made), object);
	assert.deepEqual(object.position.toArray(), [1, 0, 0]);
	assert.deepEqual(object.children[0]?.matrixWorld.elements.slice(12, 15), [1, 1, 0]);
	assert.equal(bridge.objectOf(top)?.parent, scene);
	bridge.nodeOf(mesh)?.attach(below);
	bridge.update();
	assert.equal(mesh.parent, object.children[0]);
	assert.deepEqual(mesh.matrixWorld.elements.slice(12, 15), [1, 1, 0]);
	made.dispose();
	bridge.update();
	assert.equal(group.children.length, 0);
	assert.equal(bridge.nodeOf(mesh), null);
	bridge.dispose();
});

test('objects with a matrix of their own', () => {
	const make = () => {
		const scene = new ThreeScene();
		const [still, pivot, skewed] = [new Group(), new Group(), new Group()];
		still.matrixAutoUpdate = false;
		still.matrix.makeShear(0.5, 0, 0, 0, 0, 0).setPosition(1, 2, 3);
		pivot.pivot = new Vector3(1, 0, 0);
		pivot.rotation.z = 1;
		skewed.quaternion.set(0.1, 0.2, 0.3, 2);
		const child = new Group();
		child.position.set(1, 1, 1);
		still.add(child);
		scene.add(still, pivot, skewed);
		return { scene, still, pivot, skewed, child };
	};
	const [a, b] = [make(), make()];
	const bridge = attach(a.scene);
	const check = (what: string) => {
		bridge.update();
		b.scene.updateMatrixWorld();
		for (const name of ['still', 'pivot', 'skewed', 'child'] as const) {
			assertClose(a[name].matrixWorld.elements, b[name].matrixWorld.elements, `${what}: ${name}`);
		}
	};
	check('adopted');
	for (const { still, pivot, skewed } of [a, b]) {
		still.matrix.setPosition(5, 6, 7);
		pivot.rotation.z = 2;
		skewed.quaternion.normalize();
	}
	check('edited');
	for (const { still, pivot, skewed } of [a, b]) {
		still.position.set(1, 0, 0);
		pivot.position.set(3, 3, 3);
		skewed.position.set(0, 1, 0);
	}
	check('moved');
	for (const { still, pivot, skewed } of [a, b]) {
		still.updateMatrix();
		pivot.pivot = null;
		skewed.scale.set(1, 2, 3);
	}
	bridge.touch(a.pivot);
	check('updateMatrix');
	bridge.dispose();
});

test('cameras, helpers and a parent outside', () => {
	const make = () => {
		const outside = new Group();
		const scene = new Group();
		const camera = new PerspectiveCamera();
		const helper = new PlaneHelper(new Plane(new Vector3(0, 1, 0), 2), 3);
		outside.add(scene);
		outside.position.set(1, 2, 3);
		scene.position.set(0, 1, 0);
		scene.add(camera, helper);
		return { outside, scene, camera, helper };
	};
	const [a, b] = [make(), make()];
	const bridge = attach(a.scene);
	for (let i = 0; i < 4; i++) {
		for (const { outside, camera, helper, scene } of [a, b]) {
			outside.rotation.x += 0.3;
			scene.position.z += 1;
			camera.position.z = i;
			camera.lookAt(3, 1, 2);
			helper.plane.constant = i;
		}
		a.scene.updateMatrixWorld();
		b.outside.updateMatrixWorld();
		assertClose(a.camera.matrixWorld.elements, b.camera.matrixWorld.elements, 'camera');
		assertClose(a.camera.matrixWorldInverse.elements, b.camera.matrixWorldInverse.elements, 'view');
		assertClose(a.helper.matrixWorld.elements, b.helper.matrixWorld.elements, 'helper');
	}
	bridge.dispose();
});

test('scan and manual tracking', () => {
	for (const track of ['scan', 'manual'] as const) {
		const scene = new ThreeScene();
		const mesh = new Mesh(geometry, material);
		scene.add(mesh);
		const bridge = attach(scene, { track });
		mesh.position.x = 3;
		mesh.rotation.z = 1;
		if (track === 'manual') bridge.touch(mesh);
		bridge.update();
		assert.equal(mesh.matrixWorld.elements[12], 3);
		mesh.updateMatrix();
		assertClose(mesh.matrixWorld.elements, mesh.matrix.elements, track);
		bridge.dispose();
	}
});

test('bad input is rejected where it happens', () => {
	const scene = new ThreeScene();
	const mesh = new Mesh(geometry, material);
	mesh.name = 'crate';
	scene.add(mesh);
	const bridge = attach(scene);
	mesh.position.x = 2;
	assert.throws(() => {
		mesh.position.x = Number.NaN;
	}, isError('not-finite'));
	assert.equal(mesh.position.x, 2);
	assert.throws(() => attach(scene), isError('foreign-node'));
	assert.throws(() => attach(mesh), isError('foreign-node'));
	assert.throws(() => bridge.touch(new Group()), isError('foreign-node'));
	const bad = new Group();
	bad.position.y = Number.POSITIVE_INFINITY;
	assert.throws(() => scene.add(bad), isError('not-finite'));
	assert.throws(() => attach(bad), isError('not-finite'));
	bad.removeFromParent();
	bridge.dispose();
	bridge.dispose();
	assert.throws(() => bridge.update(), isError('disposed'));
	const again = attach(scene);
	mesh.position.x = 4;
	again.update();
	assert.equal(mesh.matrixWorld.elements[12], 4);
	again.dispose();
});

test('two bridges: an object moves from one to the other', () => {
	const [left, right] = [new ThreeScene(), new ThreeScene()];
	const mesh = new Mesh(geometry, material);
	left.add(mesh);
	const [a, b] = [attach(left), attach(right)];
	right.position.x = 3;
	right.add(mesh);
	assert.equal(a.nodeOf(mesh), null);
	assert.ok(b.nodeOf(mesh) !== null);
	b.update();
	a.update();
	assert.equal(mesh.matrixWorld.elements[12], 3);
	a.dispose();
	b.dispose();
});

function isError(code: string): (error: unknown) => boolean {
	return (error) => {
		assert.ok(error instanceof PleachError, String(error));
		assert.equal(error.code, code, error.message);
		return true;
	};
}

test('undo of pleach reaches three.js, and brings the same objects back', () => {
	const scene = new ThreeScene();
	const [group, mesh] = [new Group(), new Mesh(geometry, material)];
	scene.add(group);
	group.add(mesh);
	const bridge = attach(scene);
	const history = bridge.scene.createHistory();
	const node = bridge.nodeOf(mesh);
	assert.ok(node !== null);
	bridge.scene.transact('move', () => {
		mesh.position.set(1, 2, 3);
	});
	bridge.scene.transact('hide', () => {
		node.visible = false;
	});
	bridge.scene.transact('lift', () => node.attach(bridge.scene.root));
	bridge.update();
	assert.equal(mesh.parent, scene);
	assert.equal(mesh.visible, false);
	bridge.scene.transact('scrap', () => node.dispose());
	bridge.update();
	assert.equal(mesh.parent, null);
	assert.equal(bridge.nodeOf(mesh), null);
	assert.equal(history.undo(), 'scrap');
	bridge.update();
	assert.equal(mesh.parent, scene);
	assert.equal(bridge.nodeOf(mesh), node);
	assert.equal(history.undo(), 'lift');
	bridge.update();
	assert.equal(mesh.parent, group);
	history.undo();
	assert.equal(history.undo(), 'move');
	bridge.update();
	assert.equal(mesh.visible, true);
	assert.deepEqual(mesh.position.toArray(), [0, 0, 0]);
	assert.deepEqual(mesh.matrixWorld.elements.slice(12, 15), [0, 0, 0]);
	mesh.position.x = 4;
	assert.equal(node.position.x, 4);
	bridge.dispose();
});

test('a node that pleach created and three.js moves', () => {
	const scene = new ThreeScene();
	const bridge = attach(scene);
	const node = bridge.scene.createGroup({ name: 'made' });
	bridge.update();
	const object = bridge.objectOf(node);
	assert.ok(object !== null);
	object.position.x = 2;
	assert.equal(node.position.x, 2);
	object.lookAt(5, 0, 0);
	assert.ok(Math.abs(node.rotation.y - object.quaternion.y) < 1e-6);
	bridge.dispose();
});

test('objects of nodes that pleach removed can be added elsewhere before the update', () => {
	const scene = new ThreeScene();
	const [group, other, mesh] = [new Group(), new Group(), new Mesh(geometry, material)];
	scene.add(group, other);
	group.add(mesh);
	const bridge = attach(scene);
	bridge.nodeOf(group)?.dispose();
	other.add(mesh);
	mesh.position.x = 3;
	bridge.update();
	assert.equal(mesh.parent, other);
	assert.equal(group.parent, null);
	assert.equal(bridge.nodeOf(mesh)?.parent, bridge.nodeOf(other));
	assert.equal(mesh.matrixWorld.elements[12], 3);
	// The other way round: what is added to an object whose node was removed leaves the tree with it.
	bridge.nodeOf(other)?.dispose();
	other.add(new Group());
	const third = new Group();
	scene.add(third);
	bridge.update();
	assert.deepEqual(scene.children, [third]);
	assert.equal(bridge.nodeOf(other), null);
	assert.equal(bridge.scene.nodeCount, 2);
	third.position.x = 2;
	bridge.update();
	assert.equal(third.matrixWorld.elements[12], 2);
	bridge.dispose();
});

test('a slot that pleach frees and three.js takes before the update', () => {
	const scene = new ThreeScene();
	const old = Array.from({ length: 5 }, () => new Group());
	scene.add(...old);
	const bridge = attach(scene);
	for (const object of old) bridge.nodeOf(object)?.dispose();
	const young = Array.from({ length: 5 }, () => new Group());
	for (const object of young) scene.add(object);
	young.forEach((object, i) => {
		object.position.x = i;
	});
	bridge.update();
	assert.deepEqual(scene.children, young);
	young.forEach((object, i) => {
		assert.equal(object.matrixWorld.elements[12], i);
	});
	for (const object of old) assert.equal(bridge.nodeOf(object), null);
	bridge.dispose();
});

test('objects that pleach removed are kept only while a history can bring them back', async () => {
	const scene = new ThreeScene();
	const bridge = attach(scene);
	const remove = () => {
		const mesh = new Mesh(geometry, material);
		scene.add(mesh);
		bridge.update();
		const node = bridge.nodeOf(mesh);
		bridge.scene.transact('scrap', () => node?.dispose());
		bridge.update();
		return new WeakRef(mesh);
	};
	const kept = () => (bridge as unknown as { objectsOfRemoved: Map<number, Object3D> }).objectsOfRemoved.size;
	remove();
	assert.equal(kept(), 0);
	const history = bridge.scene.createHistory();
	remove();
	remove();
	assert.equal(kept(), 2);
	history.undo();
	bridge.update();
	assert.equal(kept(), 1);
	assert.ok(scene.children[0] instanceof Mesh);
	history.clear();
	bridge.update();
	assert.equal(kept(), 0);
	bridge.dispose();
});

test('an object that was removed by pleach and added again by three.js is not restored twice', () => {
	const scene = new ThreeScene();
	const mesh = new Mesh(geometry, material);
	scene.add(mesh);
	const bridge = attach(scene);
	const history = bridge.scene.createHistory();
	bridge.scene.transact('scrap', () => bridge.nodeOf(mesh)?.dispose());
	bridge.update();
	scene.add(mesh);
	const node = bridge.nodeOf(mesh);
	history.undo();
	bridge.update();
	assert.equal(bridge.nodeOf(mesh), node);
	assert.equal(scene.children.length, 2);
	bridge.dispose();
});

test('a scene that is disposed before its bridge gives the objects back', () => {
	const scene = new ThreeScene();
	const mesh = new Mesh(geometry, material);
	scene.add(mesh);
	const bridge = attach(scene);
	mesh.position.x = 1;
	bridge.scene.dispose();
	mesh.position.x = 2;
	scene.updateMatrixWorld();
	assert.equal(mesh.matrixWorld.elements[12], 2);
	bridge.update();
	bridge.dispose();
	const again = attach(scene);
	again.dispose();
});
