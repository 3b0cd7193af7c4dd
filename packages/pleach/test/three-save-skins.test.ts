/** Skinned meshes that three.js adds are in the saved file with their skins: for three's own loader, and for pleach. */
import './setup.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	Bone,
	BoxGeometry,
	Float32BufferAttribute,
	Group,
	Matrix4,
	Mesh,
	MeshStandardMaterial,
	type Object3D,
	Skeleton,
	SkinnedMesh,
	Uint16BufferAttribute,
	Vector3,
} from 'three';
import {
	createGeometry,
	createMaterial,
	createScene,
	loadGltf as loadDocument,
	type Mesh as MeshNode,
	type SkinnedMesh as SkinnedNode,
	saveGltf,
} from '../src/entries/index.js';
import { type LoadedModel, loadGltf } from '../src/three/index.js';
import { loadWithThree } from './three-loader.js';

/** Loads a group with a skinned mesh of one joint. */
async function load(): Promise<LoadedModel> {
	const scene = createScene({ up: 'y' });
	const parent = scene.createGroup({ name: 'group' });
	const joint = scene.createGroup({ name: 'joint', parent, position: [0, 1, 0] });
	const geometry = createGeometry({
		positions: [0, 0, 0, 1, 0, 0, 0, 1, 0],
		joints: new Uint16Array(12),
		weights: new Float32Array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]),
	});
	const skin = scene.createSkin({ joints: [joint] });
	scene.createSkinnedMesh({ geometry, material: createMaterial(), skin, parent, name: 'own' });
	const model = await loadGltf(saveGltf(scene).bytes);
	scene.dispose();
	return model;
}

/** Creates a bar of two bones, with weights between them. */
function bar(name: string): { mesh: SkinnedMesh; bones: Bone[] } {
	const geometry = new BoxGeometry(1, 4, 1, 1, 4, 1);
	const { position } = geometry.attributes;
	const [indices, weights]: [number[], number[]] = [[], []];
	for (let i = 0; i < (position?.count ?? 0); i++) {
		const share = ((position?.getY(i) ?? 0) + 2) / 4;
		indices.push(0, 1, 0, 0);
		weights.push(1 - share, share, 0, 0);
	}
	geometry.setAttribute('skinIndex', new Uint16BufferAttribute(indices, 4));
	geometry.setAttribute('skinWeight', new Float32BufferAttribute(weights, 4));
	const mesh = new SkinnedMesh(geometry, new MeshStandardMaterial());
	mesh.name = name;
	const bones = [new Bone(), new Bone()];
	bones.forEach((bone, i) => {
		bone.name = `${name}-${i}`;
	});
	bones[0]?.position.set(0, -2, 0);
	bones[1]?.position.set(0, 2, 0);
	bones[0]?.add(bones[1] as Bone);
	return { mesh, bones };
}

/** Returns where three.js draws the vertices of a mesh. */
function verticesOf(mesh: SkinnedMesh): Vector3[] {
	mesh.updateWorldMatrix(true, true);
	for (const bone of mesh.skeleton.bones) bone.updateWorldMatrix(true, false);
	const count = mesh.geometry.attributes.position?.count ?? 0;
	return Array.from({ length: count }, (_, i) =>
		mesh.getVertexPosition(i, new Vector3()).applyMatrix4(mesh.matrixWorld),
	);
}

function assertVertices(actual: readonly Vector3[], expected: readonly Vector3[], what: string): void {
	assert.equal(actual.length, expected.length, what);
	actual.forEach((vertex, i) => {
		const other = expected[i] as Vector3;
		assert.ok(vertex.distanceTo(other) < 1e-4, `${what}, vertex ${i}: ${vertex.toArray()}, not ${other.toArray()}`);
	});
}

/** Returns where pleach draws the vertices of a mesh. */
function verticesOfNode(node: SkinnedNode): Vector3[] {
	const { positions, joints, weights } = node.geometry;
	const matrices = node.skin.matrices.slice();
	return Array.from({ length: positions.length / 3 }, (_, i) => {
		const sum = new Vector3();
		for (let k = 0; k < 4; k++) {
			const matrix = new Matrix4().fromArray(matrices, (joints[i * 4 + k] as number) * 16);
			sum.addScaledVector(new Vector3().fromArray(positions, i * 3).applyMatrix4(matrix), weights[i * 4 + k] as number);
		}
		return sum;
	});
}

/** Saves, and asserts that both loaders draw the meshes where three.js draws them. */
async function assertSaved(model: LoadedModel, names: readonly string[]): Promise<void> {
	const { bytes, report } = model.document.save();
	assert.deepEqual(report, []);
	const [copy, gltf] = [await loadDocument(bytes, { up: 'y' }), await loadWithThree(bytes)];
	for (const name of names) {
		const expected = verticesOf(model.root.getObjectByName(name) as SkinnedMesh);
		const found = gltf.scene.getObjectByName(name) as SkinnedMesh;
		assert.ok(found.isSkinnedMesh, name);
		assertVertices(verticesOf(found), expected, `${name}, by three.js`);
		const node = copy.scene.find(name) as SkinnedNode;
		assert.equal(node.type, 'SkinnedMesh');
		assertVertices(verticesOfNode(node), expected, `${name}, by pleach`);
	}
	copy.dispose();
	assert.deepEqual(Buffer.from(model.document.save().bytes), Buffer.from(bytes), 'saving twice has one result');
}

const get = (model: LoadedModel, name: string) => model.root.getObjectByName(name) as Object3D;

test('skinned meshes that three.js adds are saved with their skins', async () => {
	const model = await load();
	// Bones below the mesh.
	const one = bar('one');
	one.mesh.add(one.bones[0] as Bone);
	one.mesh.position.set(1, 2, 3);
	one.mesh.rotation.set(0.25, 0.5, 0);
	one.mesh.updateMatrixWorld(true);
	one.mesh.bind(new Skeleton(one.bones));
	// Bones elsewhere, which are added later; the mesh was bound where it does not stand now.
	const two = bar('two');
	two.mesh.position.set(-3, 0, 1);
	two.mesh.scale.set(1, 2, 1);
	two.mesh.updateMatrixWorld(true);
	const rig = new Group();
	rig.rotation.set(0, 0, 0.5);
	rig.add(two.bones[0] as Bone);
	rig.updateMatrixWorld(true);
	two.mesh.bind(new Skeleton(two.bones));
	get(model, 'group').add(one.mesh, two.mesh);
	model.bridge.update();
	get(model, 'group').add(rig);
	// A second mesh with the geometry of the first, and without a skin.
	const plain = new Mesh(one.mesh.geometry, new MeshStandardMaterial());
	plain.name = 'plain';
	get(model, 'group').add(plain);
	get(model, 'group').position.set(0, 5, 0);
	for (const { bones } of [one, two]) {
		bones[0]?.rotation.set(0.1, 0.2, 0.3);
		bones[1]?.rotation.set(0, 0, -1);
	}
	await assertSaved(model, ['one', 'two', 'own']);
	// Posed, and bound in another way.
	one.bones[1]?.rotation.set(1, 0, 0);
	two.mesh.bind(new Skeleton([two.bones[1] as Bone, two.bones[0] as Bone]), new Matrix4());
	await assertSaved(model, ['one', 'two', 'own']);
	const copy = await loadDocument(model.document.save().bytes, { up: 'y' });
	const unskinned = copy.scene.find('plain') as MeshNode;
	assert.deepEqual([unskinned.type, unskinned.geometry.joints.length], ['Mesh', 0]);
	assert.deepEqual(
		(copy.scene.find('one') as SkinnedNode).skin.joints.map(({ name }) => name),
		['one-0', 'one-1'],
	);
	copy.dispose();
	model.document.dispose();
});

test('a skinned mesh of the file that three.js binds to other bones is saved with them', async () => {
	const model = await load();
	const unedited = model.document.save().bytes;
	const own = get(model, 'own') as SkinnedMesh;
	get(model, 'joint').position.set(4, 5, 6);
	await assertSaved(model, ['own']);
	const bone = new Bone();
	bone.name = 'other';
	bone.position.set(1, 0, 0);
	get(model, 'group').add(bone);
	model.root.updateMatrixWorld(true);
	own.bind(new Skeleton([bone]));
	bone.rotation.set(0, 0, 1);
	await assertSaved(model, ['own']);
	assert.notDeepEqual(Buffer.from(model.document.save().bytes), Buffer.from(unedited));
	model.document.dispose();
});

test('skins that cannot be saved are in the report, with the reason', async () => {
	const model = await load();
	const outside = bar('outside');
	outside.mesh.bind(new Skeleton(outside.bones));
	const unbound = bar('unbound');
	const wrong = bar('wrong');
	wrong.mesh.geometry.attributes.skinIndex?.setX(3, 7);
	wrong.mesh.add(wrong.bones[0] as Bone);
	wrong.mesh.bind(new Skeleton(wrong.bones));
	const bare = bar('bare');
	bare.mesh.geometry.deleteAttribute('skinWeight');
	bare.mesh.add(bare.bones[0] as Bone);
	bare.mesh.bind(new Skeleton(bare.bones));
	const own = get(model, 'own') as SkinnedMesh;
	own.bind(new Skeleton(outside.bones));
	get(model, 'group').add(outside.mesh, unbound.mesh, wrong.mesh, bare.mesh);
	const { bytes, report } = model.document.save();
	const messages = report.map(({ message }) => message).sort();
	assert.match(messages[0] ?? '', /^'bare': it is saved without its skin: its geometry has no skinIndex or skinWeight/);
	assert.match(messages[1] ?? '', /^'outside': it is saved without its skin: the bone 'outside-0' is not in the model/);
	assert.match(messages[2] ?? '', /^'own': it is saved with the skin that it had: the bone 'outside-0'/);
	assert.match(messages[3] ?? '', /^'unbound': it is saved without its skin: it is not bound/);
	assert.match(messages[4] ?? '', /^'wrong': it is saved without its skin: vertex 3 refers to bone 7/);
	const copy = await loadDocument(bytes, { up: 'y' });
	for (const name of ['outside', 'unbound', 'wrong', 'bare']) assert.equal(copy.scene.find(name)?.type, 'Mesh', name);
	const node = copy.scene.find('own') as SkinnedNode;
	assert.deepEqual(
		node.skin.joints.map(({ name }) => name),
		['joint'],
	);
	copy.dispose();
	model.document.dispose();
});
