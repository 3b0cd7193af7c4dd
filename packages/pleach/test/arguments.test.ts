/** Arguments that TypeScript refuses: JavaScript gets an error with a code, and nothing is changed. */
import './setup.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	box,
	createGeometry,
	createMaterial,
	createScene,
	type GltfDocument,
	loadGltf,
	type MaterialOptions,
	type PleachErrorCode,
	plane,
	Scene,
	sphere,
	TextureImage,
} from '../src/entries/index.js';
import { fault, rejection } from './fault.js';

const text = '{ "asset": { "version": "2.0" }, "scenes": [{ "nodes": [0] }], "nodes": [{ "name": "a" }] }';
const loaded = (): Promise<GltfDocument> => loadGltf(new TextEncoder().encode(text));
const never = <T>(value: T) => value as never;

/** Returns an array whose buffer was transferred. */
function transferred<T extends Float32Array | Uint8Array>(array: T): T {
	structuredClone(array.buffer, { transfer: [array.buffer as ArrayBuffer] });
	return array;
}

function fixture() {
	const scene = createScene();
	const mesh = scene.createMesh({ geometry: box(), material: createMaterial(), name: 'crate' });
	const group = scene.createGroup({ name: 'group', position: [1, 2, 3] });
	const light = scene.createLight({ type: 'spot' });
	const camera = scene.createCamera({ aspect: 1 });
	const image = TextureImage.fromPixels(1, 1, new Uint8Array(4));
	return { scene, mesh, group, light, camera, image, clip: scene.createClip('c', []), material: mesh.material };
}
type Fixture = ReturnType<typeof fixture>;

/** What a call could have changed. */
function state({ scene, mesh, group, light, camera, material }: Fixture): unknown {
	const { geometry, parts, palette, weights, instances, layers, lod, constraint } = mesh;
	return {
		scene: [scene.nodeCount, scene.ambientLight, scene.fog, scene.detached().length],
		nodes: [group, mesh].map((node) => [node.name, node.parent?.slot, [...node.localMatrix], node.localBounds]),
		mesh: [[...geometry.positions], parts.length, palette, weights, instances, layers, lod, constraint],
		others: [light.shadow, camera.seesLayers, camera.projection, material.name, material.colorTexture],
	};
}

/** Each call, as it reads, and the code of its error. */
const calls: [string, PleachErrorCode, (it: Fixture) => unknown][] = [
	['node.name = 5', 'wrong-type', ({ group }) => Object.assign(group, { name: 5 })],
	['createGroup({ name: 1 })', 'wrong-type', ({ scene }) => scene.createGroup({ name: never(1) })],
	['createScene({ name: 1 })', 'wrong-type', () => createScene({ name: never(1) })],
	['find(5)', 'wrong-type', ({ scene }) => scene.find(never(5))],
	['findAll(5)', 'wrong-type', ({ scene }) => scene.findAll(never(5))],
	['findPath(null)', 'wrong-type', ({ scene }) => scene.findPath(never(null))],
	['node.find(undefined)', 'wrong-type', ({ group }) => group.find(never(undefined))],
	['material.name = 7', 'wrong-type', ({ material }) => Object.assign(material, { name: 7 })],
	['image.name = 7', 'wrong-type', ({ image }) => Object.assign(image, { name: 7 })],
	['fromEncoded(5)', 'wrong-type', () => TextureImage.fromEncoded(never(5), new Uint8Array(1))],
	['fromEncoded(…, [1])', 'wrong-type', () => TextureImage.fromEncoded('image/png', never([1]))],
	['fromPixels(NaN)', 'out-of-range', () => TextureImage.fromPixels(Number.NaN, 1, new Uint8Array(4))],
	['fromUri(5)', 'wrong-type', () => TextureImage.fromUri(never(5))],
	['transact(undefined)', 'wrong-type', ({ scene }) => scene.transact(never(undefined), () => {})],
	['transact(5)', 'wrong-type', ({ scene }) => scene.transact(never(5), () => {})],
	['transact({ merge: 5 })', 'wrong-type', ({ scene }) => scene.transact('a', () => {}, { merge: never(5) })],
	['transact without a function', 'wrong-type', ({ scene }) => scene.transact('a', never(5))],
	['record(…, 5)', 'wrong-type', ({ scene }) => scene.record(() => {}, never(5))],
	['localMatrix = null', 'wrong-type', ({ group }) => Object.assign(group, { localMatrix: null })],
	['localBounds = 5', 'wrong-type', ({ group }) => Object.assign(group, { localBounds: 5 })],
	['setWorldMatrix(null)', 'wrong-type', ({ group }) => group.setWorldMatrix(never(null))],
	['fromArray(null)', 'wrong-type', ({ group }) => group.position.fromArray(never(null))],
	['attach({ index: NaN })', 'out-of-range', ({ mesh, group }) => mesh.attach(group, { index: Number.NaN })],
	['attach({ index: -1 })', 'out-of-range', ({ mesh, group }) => mesh.attach(group, { index: -1 })],
	['traverse(null)', 'wrong-type', ({ scene }) => scene.traverse(never(null))],
	['pick(null)', 'wrong-type', ({ scene }) => scene.pick(never(null))],
	['pick({})', 'wrong-type', ({ scene }) => scene.pick(never({}))],
	[
		'pickMany with a filter',
		'wrong-type',
		({ scene }) => scene.pickMany(new Float32Array(0), never({ filter: () => true })),
	],
	[
		'pickMany, maxDistance',
		'wrong-type',
		({ scene }) => scene.pickMany(new Float32Array(0), never({ maxDistance: 1 })),
	],
	['queryBox, maxDistance', 'wrong-type', ({ scene }) => scene.queryBox([0, 0, 0, 1, 1, 1], never({ maxDistance: 1 }))],
	['querySphere, maxDistance', 'wrong-type', ({ scene }) => scene.querySphere([0, 0, 0, 1], never({ maxDistance: 1 }))],
	['nearest, maxDistance', 'wrong-type', ({ scene }) => scene.nearest([0, 0, 0], 1, never({ maxDistance: 1 }))],
	['pickMany, transferred', 'wrong-length', ({ scene }) => scene.pickMany(transferred(new Float32Array(7)))],
	[
		'setLocals, transferred',
		'wrong-length',
		({ scene, group }) => scene.setLocals(new Float64Array([group.id]), transferred(new Float32Array(10))),
	],
	['nodesAt([0])', 'wrong-type', ({ scene }) => scene.nodesAt(never([0]))],
	[
		'cull({ out: [] })',
		'wrong-type',
		({ scene }) => scene.cull([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], { out: never([]) }),
	],
	['parts = null', 'wrong-type', ({ mesh }) => Object.assign(mesh, { parts: null })],
	['parts = [null]', 'wrong-type', ({ mesh }) => Object.assign(mesh, { parts: [null] })],
	['palette = 5', 'wrong-type', ({ mesh }) => Object.assign(mesh, { palette: 5 })],
	['weights = 5', 'wrong-type', ({ mesh }) => Object.assign(mesh, { weights: 5 })],
	['instances = []', 'wrong-type', ({ mesh }) => Object.assign(mesh, { instances: [] })],
	['lod = 5', 'wrong-type', ({ mesh }) => Object.assign(mesh, { lod: 5 })],
	['lod = [null]', 'wrong-type', ({ mesh }) => Object.assign(mesh, { lod: [null] })],
	['constraint = 5', 'wrong-type', ({ mesh }) => Object.assign(mesh, { constraint: 5 })],
	['createSkin({})', 'wrong-type', ({ scene }) => scene.createSkin(never({}))],
	[
		'createSkin, bindMatrix: 5',
		'wrong-type',
		({ scene }) => scene.createSkin({ joints: [scene.root], bindMatrix: never(5) }),
	],
	['createClip(5)', 'wrong-type', ({ scene }) => scene.createClip(never(5), [])],
	['createClip, null', 'wrong-type', ({ scene }) => scene.createClip('a', never(null))],
	['createClip, [null]', 'wrong-type', ({ scene }) => scene.createClip('a', never([null]))],
	['ambientLight = null', 'wrong-type', ({ scene }) => Object.assign(scene, { ambientLight: null })],
	['fog = 5', 'wrong-type', ({ scene }) => Object.assign(scene, { fog: 5 })],
	['view(…, "wide")', 'wrong-type', ({ scene, camera }) => scene.view(camera, never('wide'))],
	['setProjectionMatrix(null)', 'wrong-length', ({ camera }) => camera.setProjectionMatrix(never(null))],
	['seesLayers = NaN', 'out-of-range', ({ camera }) => Object.assign(camera, { seesLayers: Number.NaN })],
	['seesLayers = 2^32', 'out-of-range', ({ camera }) => Object.assign(camera, { seesLayers: 2 ** 32 })],
	['layers = 0.5', 'out-of-range', ({ mesh }) => Object.assign(mesh, { layers: 0.5 })],
	[
		'pick, layers: NaN',
		'out-of-range',
		({ scene }) => scene.pick({ origin: [0, 0, 0], direction: [0, 0, 1] }, { layers: Number.NaN }),
	],
	['shadow, mapSize: NaN', 'out-of-range', ({ light }) => Object.assign(light, { shadow: { mapSize: Number.NaN } })],
	['shadow, mapSize: -5', 'out-of-range', ({ light }) => Object.assign(light, { shadow: { mapSize: -5 } })],
	['shadow, near > far', 'out-of-range', ({ light }) => Object.assign(light, { shadow: { near: 5, far: 1 } })],
	['shadow = 5', 'wrong-type', ({ light }) => Object.assign(light, { shadow: 5 })],
	[
		'wrapU: "foo"',
		'out-of-range',
		({ material, image }) => Object.assign(material, { colorTexture: { image, wrapU: 'foo' } }),
	],
	[
		'magFilter: "foo"',
		'out-of-range',
		({ material, image }) => Object.assign(material, { colorTexture: { image, magFilter: 'foo' } }),
	],
	[
		'uvSet: -3',
		'out-of-range',
		({ material, image }) => Object.assign(material, { colorTexture: { image, uvSet: -3 } }),
	],
	['colorTexture = 5', 'wrong-type', ({ material }) => Object.assign(material, { colorTexture: 5 })],
	['createMaterial(5)', 'wrong-type', () => createMaterial(never(5))],
	['createMaterial({ foo: 1 })', 'out-of-range', () => createMaterial(never({ foo: 1 }))],
	['createMaterial({ clone: … })', 'out-of-range', () => createMaterial(never({ clone: () => {} }))],
	['setPositions(…, NaN)', 'out-of-range', ({ mesh }) => mesh.geometry.setPositions(new Float32Array(3), Number.NaN)],
	['positions = 5', 'wrong-type', ({ mesh }) => Object.assign(mesh.geometry, { positions: 5 })],
	['createGeometry()', 'wrong-type', () => createGeometry(never(undefined))],
	[
		'joints: [70000]',
		'out-of-range',
		() => createGeometry({ positions: [0, 0, 0], joints: [70000, 0, 0, 0], weights: [1, 0, 0, 0] }),
	],
	['indices: [0.7]', 'out-of-range', () => createGeometry({ positions: [0, 0, 0], indices: [0.7, 0, 0] })],
	['indices: [NaN]', 'out-of-range', () => createGeometry({ positions: [0, 0, 0], indices: [Number.NaN, 0, 0] })],
	['sphere({ segments: 8.5 })', 'out-of-range', () => sphere({ segments: 8.5 })],
	['plane({ cells: [NaN, 1] })', 'out-of-range', () => plane({ cells: [Number.NaN, 1] })],
	[
		'play({ priority: NaN })',
		'out-of-range',
		({ scene, clip }) => scene.createMixer().play(clip, { priority: Number.NaN }),
	],
	['apply("a")', 'wrong-type', ({ scene }) => scene.apply(never('a'))],
	['restore, transferred', 'wrong-length', () => Scene.restore(transferred(new Uint8Array(9)))],
	['instantiate(null)', 'wrong-type', ({ scene }) => scene.instantiate(never(null))],
];

for (const [name, code, call] of calls) {
	test(`${name} is '${code}'`, () => {
		const it = fixture();
		const before = state(it);
		fault(code, () => call(it));
		assert.deepEqual(state(it), before);
		// Inside of a transaction that stayed open it is 'busy'.
		it.scene.snapshot();
		it.scene.dispose();
	});
}

test('the position of an element that is out of range is in the error', () => {
	const joints = [0, 1, 2, 70_000];
	const error = fault('out-of-range', () => createGeometry({ positions: [0, 0, 0], joints, weights: [1, 0, 0, 0] }));
	assert.equal(error.index, 3);
});

test('a document checks its arguments', async () => {
	using document = await loaded();
	fault('wrong-type', () => document.raw(never(5)));
	fault('wrong-type', () => document.indexOf(never(null)));
	await rejection('wrong-length', loadGltf(transferred(new TextEncoder().encode(text))));
});

test('a transaction that is refused does not stay open', () => {
	using scene = createScene();
	fault('wrong-type', () => scene.transact(never(undefined), () => scene.createGroup()));
	fault('wrong-type', () => scene.record(() => scene.createGroup(), never(5)));
	assert.equal(scene.nodeCount, 1);
	// A snapshot inside of a transaction is 'busy'.
	scene.snapshot();
});

test('layers are 32 bits, with or without a sign', () => {
	using scene = createScene();
	const camera = scene.createCamera({ seesLayers: ~0 });
	const mesh = scene.createMesh({ geometry: box(), material: createMaterial(), layers: 1 << 31 });
	assert.deepEqual([camera.seesLayers, mesh.layers], [0xffffffff, 0x80000000]);
	const ray = { origin: [0, 0, 5], direction: [0, 0, -1] } as const;
	assert.equal(scene.pick(ray, { layers: 1 << 31 })?.node, mesh);
	assert.equal(scene.pick(ray, { layers: 1 }), null);
	assert.deepEqual([...scene.queryBox([-1, -1, -1, 1, 1, 1], { layers: ~1 })], [mesh.slot]);
});

test('a material that is spread is refused, and stays as it is', () => {
	const other = createMaterial({ color: [1, 0, 0] });
	const { id } = other;
	assert.match(fault('out-of-range', () => createMaterial({ ...other, roughness: 1 })).message, /clone/);
	assert.deepEqual([other.id, other.color, other.disposed], [id, [1, 0, 0], false]);
	const image = TextureImage.fromPixels(1, 1, new Uint8Array(4));
	const options: MaterialOptions = { colorTexture: { image }, name: 'wood', alphaMode: 'mask' };
	assert.equal(createMaterial(options).colorTexture?.image, image);
});
