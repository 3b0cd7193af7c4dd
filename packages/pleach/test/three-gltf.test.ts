/** `loadGltf` of `pleach/three` against three's own GLTFLoader, and saving of what was edited through three.js. */
import './setup.js';
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
	type AnimationClip,
	AnimationMixer,
	type BufferGeometry,
	InstancedMesh,
	Matrix4,
	Mesh,
	MeshPhysicalMaterial,
	MeshStandardMaterial,
	type Object3D,
	Raycaster,
	SkinnedMesh,
	Scene as ThreeScene,
	Vector3,
} from 'three';
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import {
	box,
	type Clip,
	createMaterial,
	createScene,
	loadGltf as loadDocument,
	type Mesh as MeshNode,
	saveGltf,
	TextureImage,
} from '../src/entries/index.js';
import { attach, loadGltf } from '../src/three/index.js';

const assets = process.env.PLEACH_ASSETS ?? fileURLToPath(new URL('../../../../../shared/assets', import.meta.url));
const names = existsSync(assets) ? readdirSync(assets).filter((name) => modelIn(name) !== undefined) : [];

// Three's FileLoader needs it, and node 20 has none.
(globalThis as { ProgressEvent?: unknown }).ProgressEvent ??= Event;

function modelIn(name: string): string | undefined {
	const directory = join(assets, name);
	try {
		const files = readdirSync(directory);
		const file = files.find((each) => each.endsWith('.glb')) ?? files.find((each) => each.endsWith('.gltf'));
		return file === undefined ? undefined : join(directory, file);
	} catch {
		return undefined;
	}
}

/** Loads a model with three.js; `null` if it cannot without a browser. */
async function loadWithThree(path: string): Promise<GLTF | null> {
	const bytes = readFileSync(path);
	const isText = path.endsWith('.gltf');
	if (isText) {
		const json = JSON.parse(bytes.toString()) as { images?: unknown; buffers?: { uri?: string }[]; textures?: unknown };
		delete json.images;
		for (const buffer of json.buffers ?? []) {
			if (buffer.uri === undefined || buffer.uri.startsWith('data:')) continue;
			const content = readFileSync(join(path, '..', decodeURIComponent(buffer.uri)));
			buffer.uri = `data:application/octet-stream;base64,${content.toString('base64')}`;
		}
		if (json.textures !== undefined) return null;
		return new GLTFLoader().parseAsync(JSON.stringify(json), '').catch(() => null);
	}
	const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
	const jsonLength = new DataView(data).getUint32(12, true);
	const json = JSON.parse(bytes.subarray(20, 20 + jsonLength).toString()) as { textures?: unknown };
	if (json.textures !== undefined) return null;
	return new GLTFLoader().parseAsync(data, '').catch(() => null);
}

function load(path: string) {
	return loadGltf(new Uint8Array(readFileSync(path)), {
		resolve: async (uri) => new Uint8Array(readFileSync(join(path, '..', decodeURIComponent(uri)))),
	});
}

function assertClose(actual: ArrayLike<number>, expected: ArrayLike<number>, what: string): void {
	let largest = 1;
	for (let i = 0; i < expected.length; i++) largest = Math.max(largest, Math.abs(expected[i] as number));
	for (let i = 0; i < expected.length; i++) {
		const difference = Math.abs((actual[i] as number) - (expected[i] as number));
		assert.ok(difference <= largest * 2e-5, `${what}, number ${i}: ${actual[i]} instead of ${expected[i]}`);
	}
}

let compared = 0;
let morphed = 0;
for (const name of names) {
	test(`${name}: matrices, vertices and rays are those of three's loader`, async () => {
		const path = modelIn(name) as string;
		let model: Awaited<ReturnType<typeof load>>;
		try {
			model = await load(path);
		} catch (error) {
			// Files with faults are the matter of the other tests.
			assert.match(String((error as { code?: string }).code), /^gltf-|^network/);
			return;
		}
		const { root, document, bridge } = model;
		bridge.update();
		// What was not edited is saved as it was.
		if (path.endsWith('.gltf')) {
			const { bytes, report } = document.save({ format: 'gltf' });
			assert.deepEqual(Buffer.from(bytes), readFileSync(path), basename(path));
			assert.deepEqual(report, []);
		} else {
			const alone = await loadDocument(new Uint8Array(readFileSync(path)), { up: 'y' });
			assert.deepEqual(Buffer.from(document.save().bytes), Buffer.from(alone.save().bytes), basename(path));
			assert.deepEqual(document.save().report, alone.save().report);
			alone.dispose();
		}
		const gltf = await loadWithThree(path);
		const scene = gltf?.scene;
		if (gltf !== null && scene !== undefined) {
			compared++;
			scene.updateMatrixWorld();
			const theirs = new Map<number, Object3D>();
			scene.traverse((object) => {
				const at = gltf.parser.associations.get(object) as { nodes?: number } | undefined;
				if (at?.nodes !== undefined && !theirs.has(at.nodes)) theirs.set(at.nodes, object);
			});
			let count = 0;
			document.scene.traverse((node) => {
				const index = node === document.scene.root ? null : document.indexOf(node);
				const object = bridge.objectOf(node);
				assert.ok(object !== null);
				if (index === null) return;
				const other = theirs.get(index);
				if (other === undefined) return;
				count++;
				assertClose(object.matrixWorld.elements, other.matrixWorld.elements, `${name}, node ${index}`);
				if (object instanceof Mesh && other instanceof Mesh && !(object instanceof InstancedMesh)) {
					const [a, b] = [object as Mesh<BufferGeometry>, other as Mesh<BufferGeometry>];
					const influences = a.morphTargetInfluences ?? [];
					assertClose(influences, b.morphTargetInfluences ?? [], `${name}, node ${index}, weights`);
					assert.equal(influences.length, b.morphTargetInfluences?.length ?? 0);
					assert.deepEqual(Object.keys(a.morphTargetDictionary ?? {}), Object.keys(b.morphTargetDictionary ?? {}));
					morphed += influences.length;
					influences.forEach((_, i) => {
						influences[i] = 0.25 + i / 4;
						(b.morphTargetInfluences as number[])[i] = 0.25 + i / 4;
					});
					const [ours, theirs] = [a, b].map((each) => [each.material].flat()[0] as MeshStandardMaterial);
					assert.equal(ours?.type, theirs?.type);
					assert.equal(ours?.flatShading, theirs?.flatShading, `${name}, node ${index}, flat shading`);
					assert.deepEqual(ours?.normalScale, theirs?.normalScale, `${name}, node ${index}, normal scale`);
					assert.equal(ours?.side, theirs?.side);
					const corners = Math.min(30, b.geometry.index?.count ?? b.geometry.attributes.position?.count ?? 0);
					for (let i = 0; i < corners; i++) {
						const vertex = (mesh: Mesh<BufferGeometry>) => {
							const at = mesh.geometry.index?.getX(i) ?? i;
							return mesh.localToWorld(mesh.getVertexPosition(at, new Vector3())).toArray();
						};
						assertClose(vertex(a), vertex(b), `${name}, node ${index}, corner ${i}`);
					}
				}
			});
			assert.equal(count, theirs.size);
		}
		document.dispose();
		assert.ok(root !== null);
	});
}

test('models were compared', { skip: names.length === 0 && 'no sample models here' }, () => {
	console.log(`${compared} of ${names.length} models compared with GLTFLoader`);
	assert.ok(compared > 10 && morphed > 3);
});

const TEXT = JSON.stringify({
	asset: { version: '2.0' },
	extensionsUsed: ['VENDOR_unknown'],
	scenes: [{ nodes: [0] }],
	nodes: [
		{ name: 'house', children: [1], extensions: { VENDOR_unknown: { kept: true } } },
		{ name: 'door', translation: [1, 0, 0], extras: { locked: true } },
	],
});

test('what is edited through three.js is saved, and nothing else changes', async () => {
	const { root, document, bridge } = await loadGltf(new TextEncoder().encode(TEXT));
	const scene = new ThreeScene();
	scene.position.y = 5;
	const outer = attach(scene);
	scene.add(root);
	const door = root.getObjectByName('door') as Object3D;
	assert.deepEqual(door.userData, { locked: true });
	assert.equal(new TextDecoder().decode(document.save({ format: 'gltf' }).bytes), TEXT);
	door.position.y = 2;
	outer.update();
	assert.deepEqual(door.matrixWorld.elements.slice(12, 15), [1, 7, 0]);
	assert.deepEqual(door.getWorldPosition(new Vector3()).toArray(), [1, 7, 0]);
	const text = new TextDecoder().decode(document.save({ format: 'gltf' }).bytes);
	const saved = JSON.parse(text) as { nodes: { translation?: number[]; extensions?: object; extras?: object }[] };
	assert.deepEqual(saved.nodes[1]?.translation, [1, 2, 0]);
	assert.deepEqual(saved.nodes[0]?.extensions, { VENDOR_unknown: { kept: true } });
	assert.deepEqual(saved.nodes[1]?.extras, { locked: true });
	// The turning node of files does not exist here.
	const again = await loadDocument(new TextEncoder().encode(text), { up: 'y' });
	assert.deepEqual(again.scene.find('door')?.getWorldPosition(), [1, 2, 0]);
	assert.equal(outer.nodeOf(door), bridge.nodeOf(door));
	again.dispose();
	outer.dispose();
	bridge.dispose();
	document.dispose();
});

test('clips of pleach pose bones of three.js, and rays meet the pose', { skip: names.length === 0 }, async () => {
	const path = modelIn('Fox');
	if (path === undefined) return;
	const { root, document, bridge, clips } = await load(path);
	const scene = new ThreeScene();
	const outer = attach(scene);
	scene.add(root);
	let skinned: SkinnedMesh | null = null;
	root.traverse((object) => {
		if (object instanceof SkinnedMesh) skinned = object;
	});
	const mesh = skinned as SkinnedMesh | null;
	assert.ok(mesh !== null && mesh.material instanceof MeshStandardMaterial);
	assert.ok(clips.length > 0);
	const mixer = document.scene.createMixer();
	mixer.play(clips[1] ?? (clips[0] as (typeof clips)[number]));
	const bone = mesh.skeleton.bones[5] as Object3D;
	const before = bone.quaternion.clone();
	mixer.update(0.3);
	outer.update();
	assert.ok(bone.quaternion.angleTo(before) > 1e-4);
	const box = mesh.clone();
	assert.ok(box instanceof SkinnedMesh);
	const raycaster = new Raycaster(new Vector3(0, 40, 300), new Vector3(0, 0, -1));
	mesh.computeBoundingSphere();
	const expected = raycaster.intersectObjects(scene.children);
	const actual = outer.raycast(raycaster);
	assert.ok(expected.length > 0);
	assert.deepEqual(
		actual.map(({ faceIndex, object }) => [faceIndex, object.id]),
		expected.map(({ faceIndex, object }) => [faceIndex, object.id]),
	);
	outer.dispose();
	bridge.dispose();
	document.dispose();
});

test('clips of pleach set the weights of morph targets, and programs may', { skip: names.length === 0 }, async () => {
	const path = modelIn('SimpleMorph');
	if (path === undefined) return;
	const [model, gltf] = [await load(path), await loadWithThree(path)];
	const { root, document, bridge } = model;
	let found: Mesh | null = null;
	root.traverse((object) => {
		if (object instanceof Mesh) found = object;
	});
	const mesh = found as Mesh | null;
	const node = mesh && (bridge.nodeOf(mesh) as MeshNode | null);
	assert.ok(mesh?.morphTargetInfluences !== undefined && node !== null && gltf !== null);
	assert.equal(mesh.geometry.morphAttributes.position?.length, 2);
	const mixer = document.scene.createMixer();
	mixer.play(model.clips[0] as Clip);
	const theirs = new AnimationMixer(gltf.scene);
	theirs.clipAction(gltf.animations[0] as AnimationClip).play();
	let other: Mesh | null = null;
	gltf.scene.traverse((object) => {
		if (object instanceof Mesh) other = object;
	});
	const seen = new Set<number>();
	for (let i = 0; i < 8; i++) {
		mixer.update(0.4);
		theirs.update(0.4);
		bridge.update();
		assertClose(mesh.morphTargetInfluences, (other as Mesh | null)?.morphTargetInfluences ?? [], `frame ${i}`);
		seen.add(mesh.morphTargetInfluences[0] as number);
	}
	assert.ok(seen.size > 3);
	mixer.dispose();
	mesh.morphTargetInfluences[1] = 0.75;
	bridge.update();
	assert.equal(node.weights?.[1], 0.75);
	assert.equal(mesh.morphTargetInfluences[1], 0.75);
	node.weights = new Float32Array([0.5, 0.25]);
	bridge.update();
	assert.deepEqual([...mesh.morphTargetInfluences], [0.5, 0.25]);
	document.dispose();
	// Nothing throws after that.
	root.updateMatrixWorld();
	bridge.update();
});

test('an image that cannot be decoded is a warning, and its texture is left out', async () => {
	const scene = createScene({ up: 'y' });
	const material = createMaterial({ name: 'wood' });
	material.colorTexture = { image: TextureImage.fromEncoded('image/ktx2', new Uint8Array([1, 2, 3])) };
	material.normalTexture = { image: TextureImage.fromUri('missing.png') };
	scene.createMesh({ geometry: box(), material, name: 'crate' });
	const { bytes } = saveGltf(scene);
	const platform = globalThis as { createImageBitmap?: unknown };
	const before = platform.createImageBitmap;
	platform.createImageBitmap = async () => {
		throw new Error('this is not an image');
	};
	try {
		const { root, document, warnings } = await loadGltf(bytes);
		assert.deepEqual(warnings.map(({ code }) => code).sort(), ['image', 'image']);
		assert.match(warnings.map(({ message }) => message).join(), /'image\/ktx2'.*not an image/);
		const { material } = root.getObjectByName('crate') as Mesh<BufferGeometry, MeshStandardMaterial>;
		assert.equal(material.map, null);
		assert.equal(material.normalMap, null);
		assert.deepEqual(Buffer.from(document.save().bytes), Buffer.from(bytes));
		document.dispose();
		const aborted = new AbortController();
		aborted.abort(new Error('enough'));
		await assert.rejects(loadGltf(bytes, { signal: aborted.signal }), /enough/);
	} finally {
		platform.createImageBitmap = before;
	}
	scene.dispose();
});

test('what pleach edits reaches materials, geometries and instances of three.js, also by undo', async () => {
	const scene = createScene({ up: 'y' });
	const shared = createMaterial({ name: 'wood', color: [1, 0, 0] });
	scene.createMesh({ geometry: box(), material: shared, name: 'crate' });
	const instances = new Float32Array(32);
	instances.set(new Matrix4().toArray(), 0);
	instances.set(new Matrix4().makeTranslation(4, 0, 0).toArray(), 16);
	scene.createMesh({ geometry: box(), material: shared, name: 'crates', instances });
	const { root, document, bridge } = await loadGltf(saveGltf(scene).bytes);
	const history = document.scene.createHistory();
	const crate = root.getObjectByName('crate') as Mesh<BufferGeometry, MeshStandardMaterial>;
	const crates = root.getObjectByName('crates') as InstancedMesh;
	const [node, many] = [bridge.nodeOf(crate) as MeshNode, bridge.nodeOf(crates) as MeshNode];
	crate.material.roughness = 0.125;
	node.material.color = [0, 0.5, 1];
	bridge.update();
	assert.deepEqual(crate.material.color.toArray(), [0, 0.5, 1]);
	assert.equal(crate.material.roughness, 0.125);
	assert.equal(node.material.roughness, 0.125);
	node.material.clearcoat = 0.5;
	bridge.update();
	assert.ok(crate.material instanceof MeshPhysicalMaterial && crate.material.clearcoat === 0.5);
	const { geometry } = crate;
	const ray = () => bridge.raycast(new Raycaster(new Vector3(1.4, 0.1, 9), new Vector3(0, 0, -1))).length;
	assert.equal(ray(), 0);
	const wide = box({ size: [4, 1, 1] });
	document.scene.transact('widen', () => {
		node.geometry = wide;
	});
	assert.equal(ray(), 1);
	assert.notEqual(crate.geometry, geometry);
	wide.setPositions(new Float32Array([9, 9, 9]), 0);
	bridge.update();
	assert.equal(crate.geometry.attributes.position?.getX(0), 9);
	history.undo();
	assert.equal(ray(), 0);
	assert.equal(crate.geometry, geometry);
	document.scene.transact('more', () => {
		const more = new Float32Array(48);
		more.set(instances);
		more.set(new Matrix4().makeTranslation(1.5, 0, 0).toArray(), 32);
		many.instances = more;
	});
	assert.equal(ray(), 1);
	assert.equal(crates.count, 3);
	assert.equal(crates.instanceMatrix.array[44], 1.5);
	history.undo();
	assert.equal(ray(), 0);
	assert.equal(crates.count, 2);
	document.dispose();
	scene.dispose();
});

test('a mixer of three.js drives an adopted hierarchy', async () => {
	const path = modelIn('AnimatedTriangle') ?? modelIn('BoxAnimated');
	if (path === undefined) return;
	const [a, b] = [await loadWithThree(path), await loadWithThree(path)];
	if (a === null || b === null) return;
	const bridge = attach(a.scene);
	const mixers = [a, b].map((gltf) => {
		const mixer = new AnimationMixer(gltf.scene);
		for (const clip of gltf.animations) mixer.clipAction(clip).play();
		return mixer;
	});
	for (let i = 0; i < 10; i++) {
		for (const mixer of mixers) mixer.update(0.13);
		bridge.update();
		b.scene.updateMatrixWorld();
		const theirs: Object3D[] = [];
		b.scene.traverse((object) => theirs.push(object));
		let k = 0;
		a.scene.traverse((object) => {
			const other = theirs[k++] as Object3D;
			assertClose(object.matrixWorld.elements, other.matrixWorld.elements, `frame ${i}`);
		});
	}
	bridge.dispose();
});
