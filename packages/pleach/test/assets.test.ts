/** Materials, geometries and images: shared, edited in place, counted. */
import './setup.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
	box,
	capsule,
	cone,
	createGeometry,
	createMaterial,
	createScene,
	cylinder,
	Material,
	plane,
	sphere,
	TextureImage,
	torus,
} from '../src/entries/index.js';
import { glue } from '../src/runtime.js';
import { assertNear, fault } from './fault.js';

test('every number of a material is kept', () => {
	const material = createMaterial({ name: 'paint', color: [0.5, 0.25, 0.125], alphaMode: 'mask' });
	assert.deepEqual([material.name, material.alphaMode, material.metallic], ['paint', 'mask', 0]);
	const names = Object.entries(Object.getOwnPropertyDescriptors(Material.prototype))
		.filter(([, descriptor]) => descriptor.set !== undefined)
		.map(([name]) => name as Exclude<keyof Material, symbol>);
	assert.ok(names.length > 50);
	const image = TextureImage.fromPixels(1, 1, new Uint8Array([1, 2, 3, 4]));
	let value = 1;
	for (const name of names) {
		const before = material[name];
		value += 1;
		const next =
			typeof before === 'number'
				? value / 64
				: typeof before === 'boolean'
					? !before
					: typeof before === 'string'
						? name === 'alphaMode'
							? 'blend'
							: 'x'
						: name.endsWith('Texture')
							? { image, wrapU: 'clamp-to-edge' }
							: [value / 64, 0.5, 0.25];
		const version = material.version;
		Reflect.set(material, name, next);
		assert.equal(material.version, version + 1, name);
		if (name.endsWith('Texture')) {
			const texture = material[name] as { image: TextureImage; wrapU: string; transform: null };
			assert.deepEqual([texture.image, texture.wrapU, texture.transform], [image, 'clamp-to-edge', null]);
			Reflect.set(material, name, null);
			assert.equal(material[name], null);
		} else {
			assert.deepEqual(material[name], next, name);
		}
	}
});

test('a texture with everything', () => {
	const image = TextureImage.fromEncoded('image/png', new Uint8Array([1, 2, 3]));
	image.name = 'wall';
	assert.deepEqual(
		[image.name, image.mimeType, [...image.bytes], image.size, image.uri],
		['wall', 'image/png', [1, 2, 3], null, ''],
	);
	const texture = {
		image,
		uvSet: 1,
		magFilter: 'nearest',
		minFilter: 'linear-mipmap-nearest',
		wrapU: 'mirrored-repeat',
		wrapV: 'repeat',
		transform: { offset: [0.5, 0.25], rotation: 1, scale: [2, 3] },
	} as const;
	const material = createMaterial({ normalTexture: texture });
	assert.deepEqual(material.normalTexture, texture);
	assert.equal(TextureImage.fromUri('a.png').uri, 'a.png');
});

test('an edit shows wherever the asset is used', () => {
	using scene = createScene();
	const [geometry, material] = [box(), createMaterial()];
	const [a, b] = [
		scene.createMesh({ geometry, material }),
		scene.createMesh({ geometry, material, position: [5, 0, 0] }),
	];
	a.material.color = [0, 1, 0];
	assert.deepEqual(b.material.color, [0, 1, 0]);
	assert.equal(a.material, b.material);
	const { id, version } = geometry;
	const positions = geometry.positions.map((value) => value * 4);
	geometry.positions = positions;
	assert.deepEqual([geometry.id, geometry.version], [id, version + 1]);
	assert.deepEqual([...(b.getWorldBounds() ?? [])], [3, -2, -2, 7, 2, 2]);
	assert.equal(scene.pick({ origin: [5, 0, 10], direction: [0, 0, -1] })?.distance, 8);
	const copy = material.clone();
	copy.color = [1, 0, 0];
	assert.deepEqual(a.material.color, [0, 1, 0]);
	a.material = copy;
	assert.deepEqual([a.material, b.material], [copy, material]);
});

test('assets live while they are used', () => {
	using scene = createScene();
	const held = glue.assets_held();
	let material: Material | null = createMaterial({ name: 'paint' });
	const { id } = material;
	const mesh = scene.createMesh({ geometry: box(), material });
	material.dispose();
	fault('disposed', () => (material as Material).color);
	material = null;
	assert.equal(mesh.material.name, 'paint');
	assert.equal(mesh.material.id, id);
	mesh.material.dispose();
	assert.deepEqual(scene.drainUnused(), []);
	mesh.material = createMaterial();
	assert.deepEqual(scene.drainUnused(), [{ kind: 'material', id }]);
	assert.deepEqual(scene.drainUnused(), []);
	assert.ok(glue.assets_held() > held);
});

test('geometries are read as they were written', () => {
	const geometry = createGeometry({
		positions: [0, 0, 0, 1, 0, 0, 0, 1, 0],
		indices: [2, 1, 0],
		normals: [0, 0, 1, 0, 0, 1, 0, 0, 1],
		uvs: [0, 0, 1, 0, 0, 1],
		uvs1: [0, 0, 0.5, 0, 0, 0.5],
		colors: [1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1],
		tangents: [1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1],
		joints: [0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0],
		weights: [0.5, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0.5, 0.5, 0, 0],
		faceMaterials: [1],
		morphTargets: [{ name: 'up', positions: [0, 0, 1, 0, 0, 1, 0, 0, 1] }],
	});
	assert.deepEqual([...geometry.positions], [0, 0, 0, 1, 0, 0, 0, 1, 0]);
	assert.deepEqual([...(geometry.indices ?? [])], [2, 1, 0]);
	assert.deepEqual([...geometry.uvs1], [0, 0, 0.5, 0, 0, 0.5]);
	assert.deepEqual([...geometry.colors.slice(4, 8)], [0, 1, 0, 1]);
	assert.deepEqual([...geometry.tangents.slice(0, 4)], [1, 0, 0, 1]);
	assert.deepEqual([...geometry.joints.slice(0, 4)], [0, 1, 0, 0]);
	assert.deepEqual([...geometry.weights.slice(0, 4)], [0.5, 0.5, 0, 0]);
	assert.deepEqual([...geometry.faceMaterials], [1]);
	assert.deepEqual(geometry.morphTargets, ['up']);
	assert.equal(geometry.topology, 'triangles');
	const copy = geometry.clone();
	copy.indices = null;
	copy.faceMaterials = [0];
	assert.equal(copy.indices, null);
	assert.equal(geometry.indices?.length, 3);
	assert.equal(box().joints.length, 0);
	assert.equal(box().faceMaterials.length, 0);
});

test('shapes', () => {
	assertNear(box({ size: [1, 2, 3] }).bounds, [-0.5, -1, -1.5, 0.5, 1, 1.5]);
	assertNear(sphere().bounds, [-0.5, -0.5, -0.5, 0.5, 0.5, 0.5]);
	assertNear(plane({ up: 'y', width: 4, depth: 2 }).bounds, [-2, 0, -1, 2, 0, 1]);
	assertNear(cylinder({ height: 3 }).bounds, [-0.5, -0.5, -1.5, 0.5, 0.5, 1.5]);
	assertNear(cone({ height: 3, up: 'y' }).bounds, [-0.5, -1.5, -0.5, 0.5, 1.5, 0.5]);
	assertNear(capsule({ radius: 1, length: 2 }).bounds, [-1, -1, -2, 1, 1, 2]);
	assertNear(torus({ radius: 1, tubeRadius: 0.5 }).bounds, [-1.5, -1.5, -0.5, 1.5, 1.5, 0.5]);
	assert.match(fault('out-of-range', () => sphere({ radius: -1 })).message, /radius is -1/);
	fault('out-of-range', () => cylinder({ segments: 1 }));
});

test('bad values change nothing', () => {
	const material = createMaterial({ roughness: 0.5 });
	fault('not-finite', () => {
		material.roughness = Number.NaN;
	});
	fault('not-finite', () => {
		material.color = [1, Infinity, 0];
	});
	fault('wrong-type', () => {
		material.color = [1, 0] as never;
	});
	fault('wrong-type', () => {
		material.roughness = '0.5' as never;
	});
	fault('out-of-range', () => {
		material.alphaMode = 'glass' as never;
	});
	fault('out-of-range', () => createMaterial({ colour: [1, 0, 0] } as never));
	fault('wrong-type', () => {
		material.colorTexture = {} as never;
	});
	assert.equal(material.roughness, 0.5);
	assert.equal(material.version, createMaterial({ roughness: 0.5 }).version);
	fault('wrong-length', () => createGeometry({ positions: [1, 2] }));
	fault('wrong-type', () => createGeometry({} as never));
	assert.equal(fault('not-finite', () => createGeometry({ positions: [0, 0, 0, Number.NaN, 0, 0] })).index, 1);
	assert.equal(fault('geometry', () => createGeometry({ positions: [0, 0, 0], indices: [0, 1, 0] })).index, 1);
	fault('geometry', () => createGeometry({ positions: [0, 0, 0], normals: [0, 0, 1, 0, 0, 1] }));
	fault('geometry', () => createGeometry({ positions: [0, 0, 0], joints: [0, 0, 0, 0] }));
	fault('out-of-range', () => createGeometry({ positions: [0, 0, 0], topology: 'quads' as never }));
	const geometry = createGeometry({ positions: [0, 0, 0, 1, 0, 0, 0, 1, 0] });
	fault('out-of-range', () => geometry.setPositions(new Float32Array(6), 2));
	fault('not-finite', () => geometry.setPositions(new Float32Array([Number.NaN, 0, 0]), 0));
	fault('geometry', () => {
		geometry.positions = [0, 0, 0];
		geometry.indices = [1];
	});
	fault('wrong-length', () => TextureImage.fromPixels(2, 2, new Uint8Array(3)));
});

test('objects that are no longer reachable release their assets', async () => {
	setFlagsFromString('--expose-gc');
	const gc = runInNewContext('gc') as () => void;
	using scene = createScene();
	const mesh = scene.createMesh({ geometry: box(), material: createMaterial({ name: 'kept' }) });
	const before = glue.assets_held();
	const ids = new Set<number>();
	for (let i = 0; i < 100; i++) ids.add(createMaterial().id);
	assert.equal(ids.size, 100);
	assert.ok(glue.assets_held() >= before + 50);
	for (let i = 0; i < 20 && glue.assets_held() > before; i++) {
		gc();
		await setTimeout(1);
		// The object is created again while the finalizer of the one before may still wait.
		assert.equal(mesh.material.name, 'kept');
	}
	assert.ok(glue.assets_held() <= before + 2, `${glue.assets_held()} assets are held; there were ${before}`);
	assert.equal(mesh.material.name, 'kept');
});
