/** glTF: loading, instances, and saving without loss. */
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
	type GltfDocument,
	type LoadOptions,
	loadGltf,
	type Progress,
	type SceneNode,
	type SkinnedMesh,
	saveGltf,
	TextureImage,
} from '../src/entries/index.js';
import { assertNear, fault, rejection } from './fault.js';

/** The sample models are beside the repository. The bundled test is in packages/pleach/build/test. */
const assets = process.env.PLEACH_ASSETS ?? fileURLToPath(new URL('../../../../../shared/assets', import.meta.url));
const read = (path: string) => new Uint8Array(readFileSync(join(assets, path)));

/** Loads a sample with the files beside it. */
function sample(path: string, options: LoadOptions = {}): Promise<GltfDocument> {
	const folder = path.slice(0, path.lastIndexOf('/'));
	const resolve = (uri: string) => Promise.resolve(read(`${folder}/${decodeURIComponent(uri)}`));
	return loadGltf(read(path), { resolve, ...options });
}

const text = (json: object) => new TextEncoder().encode(JSON.stringify(json));
const ASSET = { version: '2.0' };

test('a model is a scene with clips', async () => {
	using document = await sample('Fox/Fox.glb');
	const { scene, clips } = document;
	assert.deepEqual(
		clips.map(({ name }) => name),
		['Survey', 'Walk', 'Run'],
	);
	const fox = scene.list('skin')[0] as SkinnedMesh;
	assert.ok(fox.skin.joints.length > 20);
	const joint = fox.skin.joints.find(({ name }) => name.includes('Neck')) ?? fox.skin.joints[10]!;
	const before = joint.getWorldPosition();
	const mixer = scene.createMixer();
	mixer.play(document.clip('Walk'));
	mixer.update(0.4);
	assert.notDeepEqual(joint.getWorldPosition(), before);
	const bounds = scene.root.getSubtreeBounds() as Float32Array;
	assert.ok((bounds[5] as number) > 50, 'Z is up');
	fault('out-of-range', () => document.clip('Fly'));
	assert.equal(document.materials[0]?.name, 'fox_material');
	const texture = document.materials[0]?.colorTexture;
	assert.equal(texture?.image, document.images[0]);
	assert.match(texture?.image.mimeType ?? '', /^image\//);
	assert.ok((texture?.image.bytes.length ?? 0) > 1000);
});

test('Y stays up on demand', async () => {
	using document = await sample('Fox/Fox.glb', { up: 'y' });
	const bounds = document.scene.root.getSubtreeBounds() as Float32Array;
	assert.ok((bounds[4] as number) > 50);
	assert.equal(document.scene.up, 'y');
});

test('what was not edited is saved byte for byte', async () => {
	for (const path of [
		'Fox/Fox.glb',
		'Box/Box.glb',
		'SimpleMeshes/SimpleMeshes.gltf',
		'MultipleScenes/MultipleScenes.gltf',
	]) {
		using document = await sample(path);
		const format = path.endsWith('.glb') ? 'glb' : 'gltf';
		const saved = document.save({ format });
		assert.deepEqual(Buffer.from(saved.bytes).equals(Buffer.from(read(path))), true, path);
		for (const [name, bytes] of saved.files) {
			const folder = path.slice(0, path.lastIndexOf('/'));
			assert.ok(Buffer.from(bytes).equals(Buffer.from(read(`${folder}/${name}`))), name);
		}
		assert.deepEqual(saved.report, []);
	}
});

test('edits are saved', async () => {
	using document = await sample('Box/Box.glb');
	const mesh = document.scene.list('mesh')[0]!;
	const index = document.indexOf(mesh);
	assert.notEqual(index, null);
	mesh.material.color = [0, 1, 0];
	mesh.name = 'crate';
	mesh.position.set(1, 2, 3);
	const added = document.scene.createMesh({
		geometry: box(),
		material: createMaterial({ name: 'wood' }),
		name: 'added',
	});
	assert.equal(document.indexOf(added), null);
	const { bytes } = document.save();
	using again = await loadGltf(bytes);
	const crate = again.scene.find('crate')!;
	assert.ok(crate.has('mesh'));
	assert.deepEqual(crate.material.color, [0, 1, 0]);
	assertNear([...crate.position], [1, 2, 3]);
	assert.ok(again.scene.find('added')?.has('mesh'));
	assert.equal(again.indexOf(crate), index);
});

test('several scenes', async () => {
	using document = await sample('MultipleScenes/MultipleScenes.gltf');
	assert.ok(document.scenes.length >= 2);
	const [first, second] = document.scenes;
	assert.notEqual(first, second);
	assert.ok(document.scenes.includes(document.scene));
	const node = second!.list('mesh')[0]!;
	assert.notEqual(document.indexOf(node), null);
	using other = createScene();
	fault('foreign-node', () => document.indexOf(other.root));
});

test('instances have clips of their own', async () => {
	using document = await sample('SimpleSkin/SimpleSkin.gltf');
	using scene = createScene();
	const [a, b] = [scene.instantiate(document), scene.instantiate(document, { parent: scene.createGroup() })];
	assert.notEqual(a.root, b.root);
	const skinned = scene.list('skin');
	assert.equal(skinned.length, 2);
	const joint = (index: number) => skinned[index]!.skin.joints[1]!;
	const mixer = scene.createMixer();
	mixer.play(a.clips[0]!);
	mixer.update(1);
	assert.notDeepEqual([...joint(0).rotation], [...joint(1).rotation]);
	fault('foreign-node', () => mixer.play(document.clips[0]!));
	fault('out-of-range', () => a.clip('no such clip'));
	using flipped = createScene({ up: 'y' });
	const copy = flipped.instantiate(scene.root);
	const [up, expected] = [copy.root.getSubtreeBounds()!, a.root.getSubtreeBounds()!];
	scene.root.getSubtreeBounds(expected);
	assertNear([up[1] as number, up[4] as number], [expected[2] as number, expected[5] as number], 1e-4);
	fault('foreign-node', () => scene.instantiate(document, { parent: flipped.root }));
	fault('wrong-type', () => scene.instantiate('fox.glb' as never));
});

test('extras and raw JSON', async () => {
	const file = text({
		asset: ASSET,
		scenes: [{ nodes: [0] }],
		nodes: [{ name: 'a', extras: { hp: 3 } }, { name: 'b' }],
	});
	using document = await loadGltf(file);
	const a = document.scene.find('a')!;
	assert.deepEqual(document.extras(a), { hp: 3 });
	assert.equal(document.extras(document.scene.createGroup()), undefined);
	assert.equal(document.raw('/nodes/0/name'), '"a"');
	assert.equal(document.raw('/nodes/7'), undefined);
	assert.equal(document.unreferencedNodes?.find('b')?.name, 'b');
});

test('a scene that was built in code is saved', async () => {
	for (const up of ['z', 'y'] as const) {
		using scene = createScene({ up, name: 'level' });
		const parent = scene.createGroup({ name: 'tower', position: [1, 2, 3] });
		scene.createMesh({
			geometry: box({ size: [1, 2, 4] }),
			material: createMaterial({ color: [1, 0, 0] }),
			parent,
			name: 'crate',
		});
		const { bytes } = saveGltf(scene);
		using document = await loadGltf(bytes, { up });
		const crate = document.scene.find('crate')!;
		assertNear(crate.getWorldBounds()!, scene.find('crate')!.getWorldBounds()!, 1e-5);
		assert.equal(crate.parent?.name, 'tower');
		const json = JSON.parse(new TextDecoder().decode(saveGltf(scene, { format: 'gltf' }).bytes));
		assert.equal(json.nodes.length, up === 'z' ? 3 : 2);
	}
});

test('progress and cancellation', async () => {
	const seen: Progress[] = [];
	using document = await sample('SimpleSkin/SimpleSkin.gltf', { onProgress: (progress) => seen.push(progress) });
	assert.ok(document.scene.list('skin').length > 0);
	assert.deepEqual(seen.at(-1), { stage: 'load', done: 1, total: 1 });
	assert.ok(seen.some(({ stage, done, total }) => stage === 'files' && done === total && total === 4));
	const reason = new Error('enough');
	const path = 'SimpleSkin/SimpleSkin.gltf';
	await assert.rejects(sample(path, { signal: AbortSignal.abort(reason) }), (error) => error === reason);
	const controller = new AbortController();
	const resolve = (uri: string) => {
		controller.abort(reason);
		return Promise.resolve(read(`SimpleSkin/${uri}`));
	};
	await assert.rejects(sample(path, { signal: controller.signal, resolve }), (error) => error === reason);
});

test('faults of files', async () => {
	const glb = read('Box/Box.glb');
	await rejection('gltf-container', loadGltf(glb.slice(0, 100)));
	await rejection('gltf-json', loadGltf(new TextEncoder().encode('{ "asset": ')));
	await rejection('gltf-json', loadGltf(new Uint8Array(0)));
	const missing = await rejection('gltf-reference', loadGltf(text({ asset: ASSET, scenes: [{ nodes: [7] }] })));
	assert.equal(missing.pointer, '/scenes/0/nodes/0');
	await rejection(
		'gltf-extension',
		loadGltf(text({ asset: ASSET, extensionsRequired: ['X_none'], extensionsUsed: ['X_none'] })),
	);
	await rejection('network', loadGltf(read('SimpleMeshes/SimpleMeshes.gltf')));
	await rejection(
		'network',
		sample('SimpleMeshes/SimpleMeshes.gltf', { resolve: () => Promise.reject(new Error('offline')) }),
	);
	await rejection(
		'gltf-data',
		sample('SimpleMeshes/SimpleMeshes.gltf', { resolve: () => Promise.resolve(new ArrayBuffer(4)) }),
	);
	await rejection('wrong-type', loadGltf(42 as never));
	await rejection('out-of-range', loadGltf(glb, { up: 'x' as never }));
});

test('disposed documents', async () => {
	const document = await sample('Box/Box.glb');
	const { scene, clips } = document;
	assert.deepEqual(clips, []);
	document.dispose();
	assert.equal(scene.disposed, true);
	fault('disposed', () => document.save());
	fault('disposed', () => document.materials);
	using target = createScene();
	fault('disposed', () => target.instantiate(document));
	using other = await sample('Box/Box.glb');
	other.scene.dispose();
	fault('disposed', () => other.save());
	using third = await sample('Box/Box.glb');
	fault('out-of-range', () => third.save({ format: 'obj' as never }));
});

test('images are decoded by the browser', async () => {
	using document = await sample('Fox/Fox.glb');
	const texture = document.materials[0]?.colorTexture;
	assert.ok(texture);
	const global = globalThis as { createImageBitmap?: unknown };
	const decoded: Blob[] = [];
	global.createImageBitmap = async (blob: Blob) => {
		decoded.push(blob);
		return { width: 1 };
	};
	try {
		assert.deepEqual(await document.bitmap(texture), { width: 1 });
		assert.equal(decoded[0]?.size, texture.image.bytes.length);
		assert.equal(decoded[0]?.type, texture.image.mimeType);
		const reason = new Error('enough');
		await assert.rejects(document.bitmap(texture, AbortSignal.abort(reason)), (error) => error === reason);
		global.createImageBitmap = () => Promise.reject(new Error('not an image'));
		await rejection('gltf-data', document.bitmap(texture));
		await rejection('network', document.bitmap(TextureImage.fromUri('wall.png')));
	} finally {
		delete global.createImageBitmap;
	}
});

test('the index of a removed node is an error', async () => {
	using document = await loadGltf(text({ asset: ASSET, scenes: [{ nodes: [0] }], nodes: [{ name: 'a' }] }));
	const node = document.scene.find('a') as SceneNode;
	assert.equal(document.indexOf(node), 0);
	assert.equal(document.indexOf(document.scene.createGroup()), null);
	node.dispose();
	assert.equal(fault('dead-node', () => document.indexOf(node)).node, node);
	fault('dead-node', () => document.extras(node));
});
