/** Images that three.js brings are in the saved file. */
import './setup.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	BoxGeometry,
	type BufferGeometry,
	DataTexture,
	FloatType,
	Mesh,
	MeshPhysicalMaterial,
	MeshStandardMaterial,
	MirroredRepeatWrapping,
	NearestFilter,
	Texture,
} from 'three';
import {
	box,
	createMaterial,
	createScene,
	loadGltf as loadDocument,
	type Mesh as MeshNode,
	saveGltf,
	TextureImage,
} from '../src/entries/index.js';
import { type LoadedModel, loadGltf } from '../src/three/index.js';
import { encodePng } from '../src/three/png.js';
import { decodePng } from './png.js';
import { Random, seed } from './random.js';

/** Two rows: red and green, blue and half transparent white. */
const PIXELS = [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 128];
const TURNED = [...PIXELS.slice(8), ...PIXELS.slice(0, 8)];

function texture(pixels: readonly number[] = PIXELS): DataTexture {
	const made = new DataTexture(Uint8Array.from(pixels), 2, 2);
	made.needsUpdate = true;
	return made;
}

/** Loads two crates with materials of their own. */
async function load() {
	const scene = createScene({ up: 'y' });
	const image = TextureImage.fromEncoded('image/png', encodePng(1, 1, Uint8Array.of(1, 2, 3, 4)));
	for (const name of ['wood', 'stone']) {
		const material = createMaterial({ name });
		material.colorTexture = { image };
		scene.createMesh({ geometry: box(), material, name });
	}
	const model = await loadGltf(saveGltf(scene).bytes);
	scene.dispose();
	const materialOf = (name: string) =>
		(model.root.getObjectByName(name) as Mesh<BufferGeometry, MeshStandardMaterial>).material;
	return { ...model, materialOf };
}

async function saved({ document }: LoadedModel) {
	const { bytes, report } = document.save();
	const copy = await loadDocument(bytes, { up: 'y' });
	const materialOf = (name: string) => (copy.scene.find(name) as MeshNode).material;
	return { copy, bytes, materialOf, messages: report.map(({ message }) => message) };
}

test('PNG files have all pixels, also of more than one block', () => {
	const random = new Random(seed());
	for (const [width, height] of [
		[1, 1],
		[3, 5],
		[129, 128],
		[4000, 9],
	] as const) {
		const pixels = Uint8Array.from({ length: width * height * 4 }, () => random.below(256));
		assert.deepEqual(decodePng(encodePng(width, height, pixels)), { width, height, pixels: [...pixels] });
	}
});

test('pixels are saved with their sampler, in materials of the file and of added meshes', async () => {
	const model = await load();
	const map = texture();
	map.name = 'paint';
	map.wrapS = MirroredRepeatWrapping;
	map.magFilter = NearestFilter;
	map.repeat.set(3, 2);
	model.materialOf('wood').map = map;
	const flipped = texture();
	flipped.flipY = true;
	const physical = new MeshPhysicalMaterial({ normalMap: map, clearcoat: 1, clearcoatMap: flipped });
	const added = new Mesh(new BoxGeometry(), physical);
	added.name = 'added';
	model.root.getObjectByName('wood')?.add(added);
	// It is encoded as it is when the file is saved.
	(map.image.data as Uint8Array)[0] = 254;
	map.needsUpdate = true;
	const { copy, materialOf, messages } = await saved(model);
	assert.deepEqual(messages, []);
	const color = materialOf('wood').colorTexture;
	assert.equal(color?.image.name, 'paint');
	assert.deepEqual(decodePng(color?.image.bytes as Uint8Array).pixels, [254, ...PIXELS.slice(1)]);
	assert.deepEqual([color?.wrapU, color?.wrapV, color?.magFilter], ['mirrored-repeat', 'clamp-to-edge', 'nearest']);
	assert.deepEqual(color?.transform?.scale, [3, 2]);
	const { normalTexture, clearcoatTexture } = materialOf('added');
	assert.equal(normalTexture?.image, color?.image, 'there is one image for one texture');
	assert.deepEqual(decodePng(clearcoatTexture?.image.bytes as Uint8Array).pixels, TURNED);
	assert.equal(materialOf('stone').colorTexture?.image.bytes.length, encodePng(1, 1, new Uint8Array(4)).length);
	copy.dispose();
	model.document.dispose();
});

test('an image is encoded again after it was edited, and not otherwise', async () => {
	const model = await load();
	const map = texture();
	model.materialOf('wood').map = map;
	const first = model.document.save().bytes;
	const { material } = model.bridge.nodeOf(model.root.getObjectByName('wood') as Mesh) as MeshNode;
	const image = material.colorTexture?.image;
	assert.deepEqual(Buffer.from(model.document.save().bytes), Buffer.from(first));
	assert.equal(material.colorTexture?.image, image);
	map.image.data = Uint8Array.from(TURNED);
	map.needsUpdate = true;
	const { copy, materialOf } = await saved(model);
	assert.deepEqual(decodePng(materialOf('wood').colorTexture?.image.bytes as Uint8Array).pixels, TURNED);
	copy.dispose();
	// A texture of the file with another image.
	const stone = model.materialOf('stone').map as Texture;
	stone.image = texture().image;
	stone.needsUpdate = true;
	const again = await saved(model);
	assert.deepEqual(again.messages, []);
	assert.deepEqual(decodePng(again.materialOf('stone').colorTexture?.image.bytes as Uint8Array).pixels, PIXELS);
	again.copy.dispose();
	model.document.dispose();
});

test('textures of three.js stay when pleach edits their material', async () => {
	const model = await load();
	const [map, pending] = [texture(), new Texture()];
	map.flipY = true;
	const wood = model.materialOf('wood');
	const { material } = model.bridge.nodeOf(model.root.getObjectByName('wood') as Mesh) as MeshNode;
	wood.map = map;
	model.materialOf('stone').map = map;
	wood.normalMap = pending;
	material.roughness = 0.125;
	model.bridge.update();
	assert.deepEqual([wood.roughness, wood.map, wood.normalMap], [0.125, map, pending]);
	model.document.save();
	material.roughness = 0.25;
	model.bridge.update();
	assert.equal(wood.roughness, 0.25);
	assert.equal(wood.normalMap, pending);
	assert.equal(wood.map?.source, map.source);
	// Another class of three.js shows the same pixels.
	material.clearcoat = 0.5;
	model.bridge.update();
	const physical = model.materialOf('wood');
	assert.ok(physical instanceof MeshPhysicalMaterial);
	assert.deepEqual([physical.map?.source, physical.map?.flipY], [map.source, true]);
	model.document.save();
	const { material: other } = model.bridge.nodeOf(model.root.getObjectByName('stone') as Mesh) as MeshNode;
	assert.equal(other.colorTexture?.image, material.colorTexture?.image, 'the pixels are encoded once');
	const { copy, materialOf } = await saved(model);
	assert.deepEqual(decodePng(materialOf('wood').colorTexture?.image.bytes as Uint8Array).pixels, TURNED);
	copy.dispose();
	model.document.dispose();
});

test('images that cannot be read are in each report, with the reason', async () => {
	const model = await load();
	const added = new Mesh(new BoxGeometry(), new MeshStandardMaterial({ name: 'glow', emissiveMap: new Texture() }));
	added.name = 'added';
	model.root.getObjectByName('wood')?.add(added);
	// Something that only a canvas can read.
	model.materialOf('wood').map = new Texture({ width: 2, height: 2 } as unknown as HTMLImageElement);
	model.materialOf('stone').map = new DataTexture(new Float32Array(16), 2, 2, undefined, FloatType);
	for (let i = 0; i < 2; i++) {
		const { copy, materialOf, messages } = await saved(model);
		const text = messages.join('\n');
		assert.match(text, /'added': the emissiveTexture of the material 'glow'.*not loaded/);
		assert.match(text, /'wood': the colorTexture of the material 'wood'.*there is no canvas/);
		assert.match(text, /'stone': the colorTexture of the material 'stone'.*8 bits/);
		assert.equal(messages.length, 3);
		// What the file has stays.
		assert.equal(materialOf('wood').colorTexture?.image.mimeType, 'image/png');
		copy.dispose();
	}
	// It is loaded now.
	const { emissiveMap } = added.material;
	(emissiveMap as Texture).image = texture().image;
	(emissiveMap as Texture).needsUpdate = true;
	const { copy, materialOf, messages } = await saved(model);
	assert.equal(messages.length, 2);
	assert.deepEqual(decodePng(materialOf('added').emissiveTexture?.image.bytes as Uint8Array).pixels, TURNED);
	copy.dispose();
	model.document.dispose();
});

test('a canvas reads what it can draw, turned over as three.js uploads it', async () => {
	const model = await load();
	const drawn: unknown[] = [];
	class Canvas {
		constructor(
			readonly width: number,
			readonly height: number,
		) {}
		getContext() {
			return {
				setTransform: (...values: number[]) => drawn.push(values),
				drawImage: (image: unknown) => drawn.push(image),
				getImageData: () => ({ data: Uint8ClampedArray.from(PIXELS) }),
			};
		}
	}
	const platform = globalThis as { OffscreenCanvas?: unknown };
	const before = platform.OffscreenCanvas;
	platform.OffscreenCanvas = Canvas;
	try {
		const image = new Canvas(2, 2);
		model.materialOf('wood').map = new Texture(image as unknown as HTMLCanvasElement);
		const { copy, materialOf, messages } = await saved(model);
		assert.deepEqual(messages, []);
		assert.deepEqual(drawn, [[1, 0, 0, -1, 0, 2], image]);
		assert.deepEqual(decodePng(materialOf('wood').colorTexture?.image.bytes as Uint8Array).pixels, PIXELS);
		copy.dispose();
	} finally {
		platform.OffscreenCanvas = before;
	}
	model.document.dispose();
});
