/** Whatever is passed to a method or assigned to a property: what is thrown is a `PleachError`, and the module goes on. */
import './setup.js';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as pleach from '../src/entries/index.js';

const { box, createGeometry, createMaterial, createScene, Frustum, PleachError, quat, Scene, TextureImage } = pleach;

const VALUES: readonly unknown[] = [
	...[undefined, null, true, 'x', 5, -1, 0.5, Number.NaN, Infinity, 1e300],
	...[{}, [], [null], [1, 2, 3], { x: 1, y: 2, z: 3 }, () => {}],
	...[new Float32Array(3), new Uint32Array(1), new Float64Array(1), new Uint8Array(3)],
];

/** The members that are private, protected or internal, as 'Class.member'. */
const hidden = new Set<string>();
const source = fileURLToPath(new URL('../../src', import.meta.url));
for (const file of readdirSync(source).filter((name) => name.endsWith('.ts'))) {
	const text = readFileSync(join(source, file), 'utf8');
	for (const [, name, body] of text.matchAll(/^export (?:abstract )?class (\w+)[^{]*\{\n([\s\S]*?)^\}/gm)) {
		const members = (body as string).matchAll(
			/^\t(?:(?:private|protected) (?:static |override |readonly |abstract )*(\w+)|(?:static |override |readonly |get |set )*(\w+))/gm,
		);
		for (const { 1: marked, 2: plain, index } of members) {
			const isInternal =
				(body as string).slice(0, index).endsWith('*/\n') &&
				/@internal[^/]*\*\/\n$/.test((body as string).slice(0, index));
			if (marked !== undefined || isInternal) hidden.add(`${name}.${marked ?? plain}`);
		}
	}
}

/** What has methods and properties, with the name that messages have. */
async function objects(): Promise<Record<string, object>> {
	const scene = createScene();
	const mesh = scene.createMesh({ geometry: box(), material: createMaterial() });
	const joint = scene.createGroup();
	const skin = scene.createSkin({ joints: [joint] });
	const geometry = createGeometry({ positions: [0, 0, 0], joints: [0, 0, 0, 0], weights: [1, 0, 0, 0] });
	const skinned = scene.createSkinnedMesh({ geometry, material: createMaterial(), skin });
	const camera = scene.createCamera({ aspect: 1 });
	const light = scene.createLight({ type: 'spot' });
	const clip = scene.createClip('c', [{ node: joint, property: 'position', times: [0], values: [0, 0, 1] }]);
	const mixer = scene.createMixer();
	const view = scene.view(camera);
	const nodes = {
		mesh,
		skinned,
		camera,
		light,
		joint,
		position: joint.position,
		rotation: joint.rotation,
		scale: joint.scale,
	};
	const assets = { geometry, material: mesh.material, image: TextureImage.fromPixels(1, 1, new Uint8Array(4)) };
	const players = { clip, mixer, layer: mixer.play(clip), history: scene.createHistory() };
	const readers = { reader: scene.createChangeReader(), view, list: scene.renderList(camera), frustum: view.frustum };
	const document = await pleach.loadGltf(pleach.saveGltf(scene).bytes);
	const classes = { Scene, Frustum, TextureImage, GltfDocument: pleach.GltfDocument };
	return {
		scene,
		...nodes,
		...assets,
		...players,
		...readers,
		skin,
		document,
		quat,
		...classes,
		functions: { ...pleach },
	};
}

/** Returns the public methods and setters of an object, by name. */
function members(object: object): Map<string, (...args: unknown[]) => unknown> {
	const found = new Map<string, (...args: unknown[]) => unknown>();
	const seen = new Set<string>(['constructor', 'dispose']);
	for (let at: object | null = object; at !== null; at = Object.getPrototypeOf(at)) {
		if (at === Object.prototype || at === Function.prototype) break;
		const name = (typeof at === 'function' ? (at as { name: string }).name : at.constructor.name).replace(/^_/, '');
		for (const [key, { value, set }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
			if (seen.has(key)) continue;
			seen.add(key);
			const call = set ?? (typeof value === 'function' && !/^class\b/.test(String(value)) ? value : undefined);
			if (call !== undefined && !hidden.has(`${name}.${key}`)) found.set(key, call);
		}
	}
	return found;
}

test('what is private is known', () => {
	for (const name of ['Graph.input', 'Graph.wrap', 'SceneNode.fail', 'Material.write', 'RenderList.build']) {
		assert.ok(hidden.has(name), name);
	}
	assert.ok(!hidden.has('Scene.view') && !hidden.has('Graph.nodesAt'));
});

test('any argument', async () => {
	const problems = new Map<string, string>();
	let calls = 0;
	const isPromise = (value: unknown): value is Promise<unknown> => value instanceof Promise;
	for (const [name, object] of Object.entries(await objects())) {
		for (const [key, call] of members(object)) {
			// These load a module, which a program does once.
			if (key === 'init' || key === 'initSync') continue;
			for (const a of VALUES) {
				for (const b of VALUES) {
					calls++;
					try {
						const result = call.call(object, a, b);
						if (isPromise(result)) await result;
					} catch (error) {
						const isExpected = error instanceof PleachError && !['panicked', 'internal'].includes(error.code);
						if (!isExpected) problems.set(`${name}.${key}`, `(${JSON.stringify(a)}, ${JSON.stringify(b)}): ${error}`);
					}
				}
			}
		}
	}
	assert.deepEqual([...problems], []);
	assert.ok(calls > 20_000, `${calls} calls`);
	assert.equal(createScene().update(), 1);
});

type Call = (options: object) => unknown;

/** Calls with one option, and the valid ones beside it. */
function calls(): Record<string, [call: Call, valid: object, names: string]> {
	const scene = createScene();
	const [geometry, material] = [box(), createMaterial()];
	const mesh = scene.createMesh({ geometry, material });
	const joint = scene.createGroup();
	const camera = scene.createCamera({ aspect: 1 });
	const light = scene.createLight({ type: 'spot' });
	const channel = { node: joint, property: 'position', times: [0], values: [0, 0, 1] };
	const clip = scene.createClip('c', [channel as never]);
	const mixer = scene.createMixer();
	const image = TextureImage.fromPixels(1, 1, new Uint8Array(4));
	const ray = { origin: [0, 0, 9], direction: [0, 0, -1] };
	const node = 'name parent position rotation scale visible userData';
	const shape = 'up size radius segments rings width depth cells height length tubeRadius tubeSegments';
	const vertex =
		'positions indices normals uvs uvs1 colors tangents joints weights faceMaterials morphTargets topology';
	const textures = Object.keys(Object.getOwnPropertyDescriptors(pleach.Material.prototype)).join(' ');
	const query = 'layers hidden filter maxDistance clip out';
	const made = 'castShadow receiveShadow isStatic transparent palette instances weights layers geometry material skin';
	const lens = 'projection fov near far aspect height zoom clip seesLayers';
	const shine = 'type color intensity range innerAngle outerAngle shadow layers';
	const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
	const { sphere, plane, cylinder, cone, capsule, torus } = pleach;
	const shapes = { box, sphere, plane, cylinder, cone, capsule, torus };
	return {
		...Object.fromEntries(Object.entries(shapes).map(([name, create]) => [name, [create as Call, {}, shape]])),
		createScene: [createScene, {}, 'up name capacity'],
		createGeometry: [(o) => createGeometry(o as never), { positions: [0, 0, 0] }, vertex],
		morphTargets: [
			(o) => geometry.addMorphTarget(o as never),
			{ positions: geometry.positions.slice() },
			'name positions normals',
		],
		createMaterial: [(o) => createMaterial(o), {}, textures],
		texture: [
			(o) => Object.assign(material, { colorTexture: o }),
			{ image },
			'image uvSet magFilter minFilter wrapU wrapV transform',
		],
		transform: [
			(o) => Object.assign(material, { colorTexture: { image, transform: o } }),
			{ offset: [0, 0], rotation: 0, scale: [1, 1] },
			'offset rotation scale',
		],
		createGroup: [(o) => scene.createGroup(o), {}, node],
		createMesh: [(o) => scene.createMesh(o as never), { geometry, material }, `${node} ${made}`],
		createSkinnedMesh: [(o) => scene.createSkinnedMesh(o as never), { geometry, material }, `${node} ${made}`],
		createSkin: [(o) => scene.createSkin(o as never), { joints: [joint] }, 'joints inverseBinds bindMatrix'],
		createCamera: [(o) => scene.createCamera(o), {}, `${node} ${lens}`],
		createLight: [(o) => scene.createLight(o as never), { type: 'spot' }, `${node} ${shine}`],
		shadow: [(o) => Object.assign(light, { shadow: o }), {}, 'enabled mapSize bias normalBias near far bounds'],
		constraint: [
			(o) => Object.assign(mesh, { constraint: o }),
			{ type: 'aim', target: joint },
			'type target up front top',
		],
		lod: [(o) => Object.assign(mesh, { lod: [o] }), { node: joint, minScreenSize: 0 }, 'node minScreenSize'],
		parts: [(o) => Object.assign(mesh, { parts: [o] }), { geometry, material }, 'geometry material'],
		ambientLight: [
			(o) => Object.assign(scene, { ambientLight: o }),
			{ color: [1, 1, 1], intensity: 1 },
			'color intensity',
		],
		fog: [(o) => Object.assign(scene, { fog: o }), { color: [1, 1, 1], near: 1, far: 2 }, 'color near far'],
		channel: [(o) => scene.createClip('c', [o as never]), channel, 'node property times values interpolation'],
		play: [(o) => mixer.play(clip, o), {}, 'loop speed weight fadeIn mask additive priority at'],
		pick: [(o) => scene.pick(ray as never, o), {}, query],
		pickAll: [(o) => scene.pickAll(ray as never, o), {}, query],
		pickPixel: [(o) => scene.pickPixel(camera, 1, 1, { width: 2, height: 2 }, o), {}, query],
		ray: [(o) => scene.pick(o as never), ray, 'origin direction maxDistance'],
		pickMany: [(o) => scene.pickMany(new Float32Array([0, 0, 9, 0, 0, -1, 99]), o), {}, query],
		queryBox: [(o) => scene.queryBox([0, 0, 0, 1, 1, 1], o), {}, query],
		querySphere: [(o) => scene.querySphere([0, 0, 0, 1], o), {}, query],
		nearest: [(o) => scene.nearest([0, 0, 0], 1, o), {}, query],
		cull: [(o) => scene.cull(identity, o), {}, query],
		viewport: [(o) => scene.renderList(camera, o as never), { width: 9, height: 9 }, 'width height'],
		attach: [(o) => mesh.attach(joint, o), {}, 'keepWorld index'],
		detach: [(o) => mesh.detach(o), {}, 'keepWorld'],
		clone: [(o) => joint.clone(o), {}, 'parent'],
		traverse: [(o) => scene.traverse(() => {}, o), {}, 'shown'],
		instantiate: [(o) => scene.instantiate(joint, o), {}, 'parent'],
		transact: [(o) => scene.transact('a', () => {}, o), {}, 'merge'],
		createHistory: [(o) => scene.createHistory(o).dispose(), {}, 'bytes'],
		saveGltf: [(o) => pleach.saveGltf(createScene(), o), {}, 'format'],
		loadGltf: [(o) => pleach.loadGltf(new Uint8Array(4), o), {}, 'resolve signal onProgress up strict trust'],
	};
}

test('any option', async () => {
	const problems = new Map<string, string>();
	for (const [name, [call, valid, names]] of Object.entries(calls())) {
		for (const option of names.split(' ')) {
			for (const value of VALUES) {
				try {
					await call({ ...valid, [option]: value });
				} catch (error) {
					const isExpected = error instanceof PleachError && !['panicked', 'internal'].includes(error.code);
					if (!isExpected) problems.set(`${name}.${option}`, `${JSON.stringify(value)}: ${error}`);
				}
			}
		}
	}
	assert.deepEqual([...problems], []);
	assert.equal(createScene().update(), 1);
});
