/** Saving what was edited through three.js: names, visibility, data, materials, geometries, and objects that were added. */
import './setup.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	BackSide,
	BoxGeometry,
	BufferAttribute,
	BufferGeometry,
	DoubleSide,
	Group,
	HemisphereLight,
	InstancedMesh,
	LineBasicMaterial,
	LineSegments,
	Matrix4,
	Mesh,
	MeshBasicMaterial,
	MeshPhongMaterial,
	MeshPhysicalMaterial,
	MeshStandardMaterial,
	type Object3D,
	PerspectiveCamera,
	PointLight,
	Raycaster,
	SpotLight,
	Texture,
	Vector3,
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

interface Json {
	nodes: { name?: string; extras?: unknown; extensions?: Record<string, unknown>; mesh?: number; camera?: number }[];
	meshes: { primitives: { attributes: Record<string, number>; material: number; mode?: number }[] }[];
	materials: (Record<string, unknown> & { name?: string; pbrMetallicRoughness?: Record<string, unknown> })[];
}

async function load(
	bytes: Uint8Array<ArrayBuffer>,
): Promise<LoadedModel & { json(): Json; get(name: string): Object3D }> {
	const model = await loadGltf(bytes, {
		resolve: async () => {
			throw new Error('there are no files');
		},
	});
	return {
		...model,
		json: () => JSON.parse(new TextDecoder().decode(model.document.save({ format: 'gltf' }).bytes)) as Json,
		get: (name) => model.root.getObjectByName(name) as Object3D,
	};
}

const TEXT = `{ "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [1, 0]}],
	"nodes": [{"name": "a", "extras": {"price": 12.50, "big": 12345678901234567890}}, {"children":[2], "name":"b"},
	{"extras": 5, "name": "c \\"nodes\\" }"}, {"name":"unused"}],
	"extras": {"nodes": [{"extras": 1}], "kept": 1.0} }`;

async function loadText(text = TEXT): ReturnType<typeof load> {
	return load(new TextEncoder().encode(text));
}

/** Loads two crates of one material below a group. */
async function loadBinary(): ReturnType<typeof load> {
	const scene = createScene({ up: 'y' });
	const group = scene.createGroup({ name: 'stack' });
	const material = createMaterial({ name: 'wood', color: [0.5, 0.25, 0.125], roughness: 0.75 });
	const geometry = box();
	scene.createMesh({ geometry, material, parent: group, name: 'lower' });
	scene.createMesh({ geometry, material, parent: group, name: 'upper', position: [0, 1, 0] });
	const { bytes } = saveGltf(scene);
	scene.dispose();
	return load(bytes);
}

/** Saves as one file, and loads it with pleach alone. */
async function saved({ document }: LoadedModel) {
	const { bytes, report } = document.save();
	const copy = await loadDocument(bytes, { up: 'y' });
	return { copy, report, node: (name: string) => copy.scene.find(name) as MeshNode };
}

test('names, visibility and data that three.js changed are in the file, and nothing else changes', async () => {
	const model = await loadText();
	assert.equal(new TextDecoder().decode(model.document.save({ format: 'gltf' }).bytes), TEXT);
	const a = model.get('a');
	a.userData.price = 13;
	const text = new TextDecoder().decode(model.document.save({ format: 'gltf' }).bytes);
	assert.equal(
		text,
		TEXT.replace('{"price": 12.50, "big": 12345678901234567890}', '{"price":13,"big":12345678901234567000}'),
	);
	a.userData = {};
	assert.ok(!('extras' in (model.json().nodes[0] as object)));
	const b = model.get('b');
	b.name = 'box';
	b.userData.owner = 'me';
	model.get('c "nodes" }').visible = false;
	const { nodes } = model.json();
	assert.equal(nodes[1]?.name, 'box');
	assert.deepEqual(nodes[1]?.extras, { owner: 'me' });
	assert.deepEqual(nodes[2]?.extensions?.KHR_node_visibility, { visible: false });
	assert.equal(nodes[2]?.extras, 5);
	const { copy, report } = await saved(model);
	assert.deepEqual(copy.extras(copy.scene.find('box') as MeshNode), { owner: 'me' });
	assert.deepEqual(report, []);
	const loop: Record<string, unknown> = {};
	loop.itself = loop;
	b.userData.loop = loop;
	assert.match(
		model.document
			.save()
			.report.map(({ message }) => message)
			.join(),
		/^'box': its userData are not saved/,
	);
	copy.dispose();
	model.document.dispose();
});

test('data of added, moved and removed objects are at their nodes', async () => {
	const model = await loadText();
	const added = new Group();
	added.name = 'added';
	added.userData.mine = [1, { '"': 2 }];
	model.get('b').add(added);
	model.get('a').removeFromParent();
	added.add(model.get('c "nodes" }'));
	model.get('c "nodes" }').userData.moved = true;
	const { copy, report } = await saved(model);
	const extras = (name: string) => copy.extras(copy.scene.find(name) as MeshNode);
	assert.deepEqual(extras('added'), { mine: [1, { '"': 2 }] });
	assert.deepEqual(extras('c "nodes" }'), { moved: true });
	assert.equal(copy.scene.find('a'), null);
	assert.deepEqual(report, []);
	copy.dispose();
	model.document.dispose();
});

test('materials that three.js changed are in the file', async () => {
	const model = await loadBinary();
	const before = model.document.save().bytes;
	const { material } = model.get('lower') as Mesh<BufferGeometry, MeshStandardMaterial>;
	material.color.setRGB(1, 0.5, 0.25);
	material.roughness = 0.5;
	material.metalness = 0.25;
	material.emissive.setRGB(0, 1, 0);
	material.side = DoubleSide;
	material.transparent = true;
	material.opacity = 0.5;
	const { copy, report, node } = await saved(model);
	const wood = node('upper').material;
	assert.deepEqual(
		[wood.color, wood.roughness, wood.metallic, wood.emissive, wood.doubleSided, wood.alphaMode, wood.opacity],
		[[1, 0.5, 0.25], 0.5, 0.25, [0, 1, 0], true, 'blend', 0.5],
	);
	assert.equal(wood.name, 'wood');
	assert.deepEqual(report, []);
	copy.dispose();
	material.transparent = false;
	material.opacity = 1;
	material.alphaTest = 0.25;
	const again = await saved(model);
	assert.equal(again.node('lower').material.alphaMode, 'mask');
	assert.equal(again.node('lower').material.alphaCutoff, 0.25);
	again.copy.dispose();
	material.side = BackSide;
	assert.match(model.document.save().report[0]?.message ?? '', /'wood' draws back sides/);
	// Back to what it was.
	material.side = 0;
	material.alphaTest = 0;
	material.color.setRGB(0.5, 0.25, 0.125);
	material.roughness = 0.75;
	material.metalness = 0;
	material.emissive.setRGB(0, 0, 0);
	assert.deepEqual(Buffer.from(model.document.save().bytes), Buffer.from(before));
	model.document.dispose();
});

test('meshes that three.js adds are saved with geometry and material', async () => {
	const model = await loadBinary();
	const geometry = new BoxGeometry(2, 3, 4);
	const glass = new MeshPhysicalMaterial({ name: 'glass', color: 0xff0000, transmission: 0.5, roughness: 0.25 });
	const one = new Mesh(geometry, glass);
	one.name = 'one';
	one.position.set(5, 0, 0);
	const two = new Mesh(geometry, [glass, glass, glass, new MeshBasicMaterial({ name: 'plain' }), glass, glass]);
	two.name = 'two';
	const many = new InstancedMesh(new BoxGeometry(), glass, 3);
	many.name = 'many';
	many.setMatrixAt(1, new Matrix4().makeTranslation(1, 2, 3));
	many.setMatrixAt(0, new Matrix4());
	many.setMatrixAt(2, new Matrix4());
	const lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ name: 'ink' }));
	lines.geometry.setAttribute('position', new BufferAttribute(new Float32Array([0, 0, 0, 1, 1, 1]), 3));
	lines.name = 'lines';
	const eye = new PerspectiveCamera(45, 2, 0.5, 50);
	eye.name = 'eye';
	const lamp = new PointLight(0xffffff, 7, 3);
	lamp.name = 'lamp';
	one.add(two);
	model.get('stack').add(one, many, lines, eye, lamp);
	// Edited after it was added.
	glass.roughness = 0.5;
	geometry.attributes.position?.setX(0, 10);
	(geometry.attributes.position as BufferAttribute).needsUpdate = true;
	const raycaster = new Raycaster(new Vector3(5, 0, 20), new Vector3(0, 0, -1));
	assert.ok(model.bridge.raycast(raycaster).some(({ object }) => object === two));
	const { copy, report, node } = await saved(model);
	assert.deepEqual(report, []);
	assert.deepEqual([...node('one').position], [5, 0, 0]);
	assert.equal(node('one').material.transmission, 0.5);
	assert.equal(node('one').material.roughness, 0.5);
	assert.deepEqual(node('one').material.color, [1, 0, 0]);
	assert.deepEqual([...node('one').geometry.bounds], [-1, -1.5, -2, 10, 1.5, 2]);
	assert.equal(node('one').geometry.indices?.length, 36);
	assert.ok(node('one').geometry.normals.length > 0 && node('one').geometry.uvs.length > 0);
	assert.equal(node('two').parts.length, 6);
	assert.ok(node('two').parts.some((part) => part.material.name === 'plain' && part.material.unlit));
	assert.equal(node('two').parent, node('one'));
	assert.deepEqual([...(node('many').instances ?? [])].slice(28, 31), [1, 2, 3]);
	assert.equal(node('lines').geometry.topology, 'lines');
	const camera = node('eye');
	assert.ok(camera.has('camera') && Math.abs(camera.fov - Math.PI / 4) < 1e-6);
	const light = node('lamp');
	assert.ok(light.has('light') && light.intensity === 7 && light.range === 3);
	copy.dispose();
	model.document.dispose();
});

test('geometry and material that three.js replaces are saved, also of meshes of the file', async () => {
	const model = await loadBinary();
	const [lower, upper] = [model.get('lower') as Mesh, model.get('upper') as Mesh];
	lower.geometry = new BoxGeometry(4, 4, 4);
	upper.material = new MeshStandardMaterial({ name: 'steel', metalness: 1 });
	const { copy, report, node } = await saved(model);
	assert.deepEqual(report, []);
	assert.deepEqual([...node('lower').geometry.bounds], [-2, -2, -2, 2, 2, 2]);
	assert.equal(node('lower').material.name, 'wood');
	assert.deepEqual([...node('upper').geometry.bounds], [-0.5, -0.5, -0.5, 0.5, 0.5, 0.5]);
	assert.equal(node('upper').material.metallic, 1);
	copy.dispose();
	model.document.dispose();
});

/** One red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

test('maps of the file are saved where three.js puts them, others are reported', async () => {
	const scene = createScene({ up: 'y' });
	const image = TextureImage.fromEncoded('image/png', new Uint8Array(Buffer.from(PNG, 'base64')));
	const [wood, stone] = [createMaterial({ name: 'wood' }), createMaterial({ name: 'stone' })];
	wood.colorTexture = { image };
	scene.createMesh({ geometry: box(), material: wood, name: 'crate' });
	scene.createMesh({ geometry: box(), material: stone, name: 'block' });
	const model = await load(saveGltf(scene).bytes);
	const material = (name: string) => (model.get(name) as Mesh<BufferGeometry, MeshStandardMaterial>).material;
	const map = material('crate').map as Texture;
	map.repeat.set(2, 3);
	material('block').emissiveMap = map;
	const { copy, report, node } = await saved(model);
	assert.deepEqual(report, []);
	assert.deepEqual(node('crate').material.colorTexture?.transform?.scale, [2, 3]);
	assert.deepEqual(node('block').material.emissiveTexture?.transform?.scale, [2, 3]);
	assert.equal(node('block').material.emissiveTexture?.image.mimeType, 'image/png');
	copy.dispose();
	material('crate').map = null;
	material('block').map = new Texture();
	const without = await saved(model);
	assert.equal(without.node('crate').material.colorTexture, null);
	const message = without.report[0]?.message ?? '';
	assert.match(message, /'block'.*colorTexture of the material 'stone' has an image that the file does not have/);
	without.copy.dispose();
	assert.deepEqual(
		model.document.save().report.map(({ message }) => message),
		[message],
		'it is missing in the next file, too',
	);
	model.document.dispose();
	scene.dispose();
});

test('what cannot be saved is in the report, with its name', async () => {
	const model = await loadBinary();
	const empty = new Mesh(new BufferGeometry(), new MeshBasicMaterial());
	empty.name = 'empty';
	const sky = new HemisphereLight();
	sky.name = 'sky';
	const dark = new SpotLight(0xffffff, -1);
	dark.name = 'dark';
	const shiny = new Mesh(new BoxGeometry(), new MeshPhongMaterial({ color: 0x00ff00, name: 'gloss' }));
	shiny.name = 'shiny';
	model.get('stack').add(empty, sky, dark, shiny);
	const { copy, report, node } = await saved(model);
	const messages = report.map(({ message }) => message);
	assert.ok(messages.some((message) => message.startsWith("'empty': the Mesh is saved as an empty node")));
	assert.ok(messages.some((message) => message.startsWith("'sky': a HemisphereLight")));
	assert.ok(messages.some((message) => /^'dark': the SpotLight is saved as an empty node.*-1/.test(message)));
	assert.ok(messages.some((message) => message.startsWith("'shiny': the material 'gloss' is a MeshPhongMaterial")));
	assert.deepEqual(node('shiny').material.color, [0, 1, 0]);
	assert.ok(node('empty') !== null && !node('empty').has('mesh'));
	copy.dispose();
	model.bridge.dispose();
	// Without the bridge, the document saves the scene as it is.
	assert.deepEqual(model.document.save().report, []);
	model.document.dispose();
});
