/** Lights that three.js adds and edits are in the saved file: for three's own loader, and for pleach. */
import './setup.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	Color,
	DirectionalLight,
	Group,
	Object3D,
	PointLight,
	type Quaternion,
	SpotLight,
	Scene as ThreeScene,
	Vector3,
} from 'three';
import { createScene, type Light, loadGltf as loadDocument, saveGltf } from '../src/entries/index.js';
import { type LoadedModel, loadGltf } from '../src/three/index.js';
import { Random, seed } from './random.js';
import { loadWithThree } from './three-loader.js';

type Aimed = DirectionalLight | SpotLight;

/** Loads a group, with a sun and a lamp below it. */
async function load(): Promise<LoadedModel & { get(name: string): Object3D }> {
	const scene = createScene({ up: 'y' });
	const parent = scene.createGroup({ name: 'group' });
	scene.createLight({ type: 'directional', name: 'sun', parent, intensity: 3, rotation: [0, 0.6, 0, 0.8] });
	const angles = { outerAngle: 0.5, innerAngle: 0.25 };
	scene.createLight({ type: 'spot', name: 'lamp', parent, position: [1, 2, 3], range: 20, ...angles });
	const model = await loadGltf(saveGltf(scene).bytes);
	scene.dispose();
	return { ...model, get: (name) => model.root.getObjectByName(name) as Object3D };
}

/** Returns the direction in which three.js draws the light of an object. */
function directionOf(object: Object3D): Vector3 {
	object.updateWorldMatrix(true, true);
	const light = object as Aimed;
	const from = new Vector3().setFromMatrixPosition(light.matrixWorld);
	if (light.target.parent !== null) light.target.updateWorldMatrix(true, false);
	return new Vector3().setFromMatrixPosition(light.target.matrixWorld).sub(from).normalize();
}

/** Returns how much rounding of positions may change the direction of a light: much if its target is near. */
function toleranceOf({ matrixWorld, target }: Aimed): number {
	const from = new Vector3().setFromMatrixPosition(matrixWorld);
	const to = new Vector3().setFromMatrixPosition(target.matrixWorld);
	return 1e-5 + (1e-6 * (from.length() + to.length())) / from.distanceTo(to);
}

function assertDirection(
	actual: Vector3 | Float32Array | undefined,
	expected: Vector3,
	what: string,
	tolerance = 1e-5,
): void {
	assert.ok(actual !== undefined, what);
	const vector = actual instanceof Vector3 ? actual : new Vector3(...actual);
	assert.ok(vector.distanceTo(expected) < tolerance, `${what}: ${vector.toArray()} is not ${expected.toArray()}`);
}

/** Saves, and asserts that both loaders find the lights as three.js draws them. Returns the file. */
async function assertSaved(model: LoadedModel, names: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
	const { bytes, report } = model.document.save();
	assert.deepEqual(report, []);
	const [copy, gltf] = [await loadDocument(bytes, { up: 'y' }), await loadWithThree(bytes)];
	for (const name of names) {
		const object = model.root.getObjectByName(name) as Aimed | PointLight;
		const own = (candidate: string) => copy.scene.find(candidate) as Light | null;
		const node = own(`${name} light`) ?? own(name);
		// The loader of three.js replaces spaces.
		const found = gltf.scene.getObjectByName(`${name}_light`) ?? gltf.scene.getObjectByName(name);
		const light = found as Aimed | PointLight;
		assert.ok(node?.has('light'), `${name} is a light`);
		assert.equal(light.type, object.type);
		for (const color of [new Color(...node.color), light.color]) {
			object.color.toArray().forEach((value, i) => {
				assert.ok(Math.abs((color.toArray()[i] as number) - value) < 1e-6, name);
			});
		}
		for (const intensity of [node.intensity, light.intensity]) {
			assert.ok(Math.abs(intensity - object.intensity) < 1e-5 * object.intensity, name);
		}
		if (!(object instanceof PointLight)) {
			const [direction, tolerance] = [directionOf(object), toleranceOf(object)];
			assertDirection(node.getDirection(), direction, `${name}, by pleach`, tolerance);
			assertDirection(directionOf(light), direction, `${name}, by three.js`, tolerance);
		}
		if (object instanceof DirectionalLight) continue;
		const distance = (light as PointLight).distance;
		assert.ok(Math.abs(distance - object.distance) < 1e-5, `${name}: ${distance}`);
		if (!(object instanceof SpotLight)) continue;
		const { angle, penumbra } = light as SpotLight;
		assert.ok(Math.abs(angle - object.angle) < 1e-6 && Math.abs(penumbra - object.penumbra) < 1e-5, name);
	}
	copy.dispose();
	assert.deepEqual(Buffer.from(model.document.save().bytes), Buffer.from(bytes), 'saving twice has one result');
	return bytes;
}

test('lights that three.js adds are saved, and shine to their targets', async () => {
	const model = await load();
	const sun = new DirectionalLight(0xff8040, 2);
	sun.position.set(3, 4, 1);
	const spot = new SpotLight(0x4080ff, 50, 12, 0.4, 0);
	spot.position.set(-2, 5, 1);
	const wide = new SpotLight(0xffffff, 5, 0, Math.PI / 2, 1);
	const target = new Object3D();
	target.position.set(4, -1, 2);
	wide.target = target;
	const point = new PointLight(0x112233, 7, 3);
	const names = ['added-sun', 'added-spot', 'added-wide', 'added-point'];
	[sun, spot, wide, point].forEach((light, i) => {
		light.name = names[i] as string;
	});
	// Turned, and scaled by different numbers.
	const shelf = new Group();
	shelf.position.set(1, 2, 3);
	shelf.rotation.set(0.3, 1.2, -0.4);
	shelf.scale.set(2, 0.5, 3);
	shelf.add(spot, wide, point, target);
	model.get('group').add(sun, shelf);
	const before = [sun, spot, wide].map((light) => light.quaternion.clone());
	const bytes = await assertSaved(model, [...names, 'sun', 'lamp']);
	const after = [sun, spot, wide].map((light) => light.quaternion);
	assert.ok(before.every((each, i) => each.equals(after[i] as Quaternion)));
	// Each is the light of its own node.
	const copy = await loadDocument(bytes, { up: 'y' });
	for (const name of names) assert.ok(copy.scene.find(name)?.has('light'), name);
	copy.dispose();
	model.document.dispose();
});

test('objects below a light, and lights with matrices, do not turn with it', async () => {
	const model = await load();
	const sun = new DirectionalLight();
	sun.name = 'carrier';
	sun.position.set(3, 4, 1);
	sun.userData.kept = true;
	const below = new Group();
	below.name = 'below';
	below.position.set(1, 2, 3);
	sun.add(sun.target, below);
	sun.target.position.set(5, 1, 0);
	const lamp = new SpotLight();
	lamp.name = 'matrix';
	lamp.matrixAutoUpdate = false;
	lamp.matrix
		.makeRotationX(0.5)
		.scale(new Vector3(1, 2, 3))
		.setPosition(2, 3, 4);
	lamp.updateMatrixWorld(true);
	model.get('group').add(sun, lamp);
	const bytes = await assertSaved(model, ['carrier', 'matrix']);
	const copy = await loadDocument(bytes, { up: 'y' });
	const node = copy.scene.find('below');
	assert.deepEqual([...(node?.getWorldPosition() ?? [])], [4, 6, 4]);
	assert.deepEqual(copy.extras(copy.scene.find('carrier') as Light), { kept: true });
	copy.dispose();
	model.document.dispose();
});

test('lights of the file that three.js edits are saved', async () => {
	const model = await load();
	const [sun, lamp] = [model.get('sun') as DirectionalLight, model.get('lamp') as SpotLight];
	const unedited = model.document.save().bytes;
	sun.color.setRGB(0.5, 0.25, 0.125);
	sun.intensity = 9;
	lamp.angle = 0.75;
	lamp.penumbra = 0;
	lamp.distance = 0;
	await assertSaved(model, ['sun', 'lamp']);
	// They turn with their objects, until their targets are moved or replaced.
	sun.rotation.set(0.5, 0.25, 0);
	lamp.position.set(5, 5, 5);
	model.bridge.update();
	await assertSaved(model, ['sun', 'lamp']);
	sun.target.position.set(1, -7, 3);
	sun.target.updateMatrixWorld();
	lamp.target = model.get('group');
	const aim = directionOf(sun);
	await assertSaved(model, ['sun', 'lamp']);
	sun.rotation.set(1, 2, 3);
	model.bridge.update();
	assertDirection(directionOf(sun), aim, 'a target that was moved stays');
	await assertSaved(model, ['sun', 'lamp']);
	assert.notDeepEqual(Buffer.from(model.document.save().bytes), Buffer.from(unedited));
	model.document.dispose();
});

test('a model below a turned group saves directions of its own space', async () => {
	const model = await load();
	const world = new ThreeScene();
	const place = new Group();
	place.rotation.set(1, 0.5, 0.25);
	place.position.set(7, 8, 9);
	world.add(place);
	place.add(model.root);
	const light = new DirectionalLight();
	light.name = 'added';
	light.position.set(0, 3, 0);
	const target = new Group();
	target.position.set(3, 3, 0);
	light.target = target;
	model.get('group').add(light, target);
	world.updateMatrixWorld();
	const copy = await loadDocument(model.document.save().bytes, { up: 'y' });
	const node = copy.scene.find('added') as Light;
	assertDirection(node.getDirection(), new Vector3(1, 0, 0), 'in the space of the file');
	copy.dispose();
	model.document.dispose();
});

test('what lights have that glTF has not is in the report, and they are saved as they were', async () => {
	const model = await load();
	const [sun, lamp] = [model.get('sun') as DirectionalLight, model.get('lamp') as SpotLight];
	sun.target = new Object3D();
	sun.target.position.copy(sun.getWorldPosition(new Vector3()));
	sun.target.updateMatrixWorld();
	lamp.angle = 2;
	lamp.intensity = 4;
	const slow = new PointLight(0xffffff, 1, 0, 1);
	slow.name = 'slow';
	model.get('group').add(slow);
	const { bytes, report } = model.document.save();
	const messages = report.map(({ message }) => message).sort();
	assert.match(messages[0] ?? '', /^'lamp': the light is saved as it was: its angle is 2/);
	assert.match(messages[1] ?? '', /^'slow': its decay is 1, and is saved as 2/);
	assert.match(messages[2] ?? '', /^'sun': it has no direction/);
	const copy = await loadDocument(bytes, { up: 'y' });
	assert.equal((copy.scene.find('lamp') as Light).intensity, 1);
	copy.dispose();
	model.document.dispose();
});

test('directions are right for random hierarchies', async () => {
	const start = seed();
	console.log(`seed ${start}`);
	const generator = new Random(start);
	const random = () => generator.next();
	const number = () => generator.between(-2, 2);
	for (let round = 0; round < 20; round++) {
		const model = await load();
		const names: string[] = [];
		const objects: Object3D[] = [model.get('group'), model.get('sun')];
		for (let i = 0; i < 12; i++) {
			const object = random() < 0.4 ? new Group() : random() < 0.5 ? new DirectionalLight() : new SpotLight();
			object.name = `n${i}`;
			object.position.set(number(), number(), number());
			object.rotation.set(number(), number(), number());
			const size = () => (random() < 0.2 ? -1 : 1) * (1 + random());
			object.scale.set(size(), size(), size());
			if (!(object instanceof Group)) {
				names.push(object.name);
				// The loader of three.js turns clones of a light that several nodes share to other targets.
				object.intensity = i + 10;
				if (random() < 0.5) object.target = objects[generator.below(objects.length)] as Object3D;
				else object.target.position.set(number(), number(), number());
				if (object.target.parent === null && random() < 0.3) object.add(object.target);
				object.target.updateMatrixWorld();
			}
			(objects[generator.below(objects.length)] as Object3D).add(object);
			objects.push(object);
		}
		await assertSaved(model, names);
		model.document.dispose();
	}
});
