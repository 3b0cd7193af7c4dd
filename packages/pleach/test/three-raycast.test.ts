/** `Bridge.raycast` and `Bridge.cull` against three.js itself, on twins. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
	Bone,
	Box3,
	BoxGeometry,
	type BufferAttribute,
	type BufferGeometry,
	type Camera,
	CylinderGeometry,
	DoubleSide,
	Float32BufferAttribute,
	Frustum,
	Group,
	InstancedMesh,
	type Intersection,
	Light,
	Line,
	LineBasicMaterial,
	LOD,
	Matrix4,
	Mesh,
	MeshBasicMaterial,
	type Object3D,
	PerspectiveCamera,
	PointLight,
	Points,
	PointsMaterial,
	Raycaster,
	Skeleton,
	SkinnedMesh,
	type Sphere,
	SphereGeometry,
	Sprite,
	Scene as ThreeScene,
	Uint16BufferAttribute,
	Vector3,
} from 'three';
import { initSync } from '../src/entries/core.js';
import { attach } from '../src/three/index.js';
import { Random, seed as seedOfRun } from './random.js';

initSync(readFileSync(new URL('../../generated/core_bg.wasm', import.meta.url)));

const seed = seedOfRun();
console.log(`seed ${seed}`);

function randomFrom(state: number): () => number {
	const random = new Random(state);
	return () => random.next();
}

const single = new MeshBasicMaterial();
const double = new MeshBasicMaterial({ side: DoubleSide });

/** A tree bent by three bones. */
function skinned(): { mesh: SkinnedMesh; bones: Bone[] } {
	const geometry = new CylinderGeometry(0.5, 0.5, 6, 8, 12);
	const indices: number[] = [];
	const weights: number[] = [];
	const { position } = geometry.attributes;
	for (let i = 0; i < (position?.count ?? 0); i++) {
		const y = ((position?.getY(i) ?? 0) + 3) / 2;
		const bone = Math.min(2, Math.floor(y));
		indices.push(bone, Math.min(2, bone + 1), 0, 0);
		weights.push(1 - (y - bone) / 2, (y - bone) / 2, 0, 0);
	}
	geometry.setAttribute('skinIndex', new Uint16BufferAttribute(indices, 4));
	geometry.setAttribute('skinWeight', new Float32BufferAttribute(weights, 4));
	const bones = [new Bone(), new Bone(), new Bone()];
	bones.forEach((bone, i) => {
		bone.position.y = i === 0 ? -3 : 2;
		if (i > 0) bones[i - 1]?.add(bone);
	});
	const mesh = new SkinnedMesh(geometry, single);
	mesh.add(bones[0] as Bone);
	mesh.bind(new Skeleton(bones));
	return { mesh, bones };
}

interface Made {
	scene: ThreeScene;
	objects: Object3D[];
	bones: Bone[];
	skins: SkinnedMesh[];
	instanced: InstancedMesh;
	shared: BufferGeometry;
}

function make(state: number, count: number): Made {
	const random = randomFrom(state);
	const scene = new ThreeScene();
	const shared = new BoxGeometry(1, 2, 1);
	const sphere = new SphereGeometry(0.8, 10, 8);
	const objects: Object3D[] = [scene];
	const bones: Bone[] = [];
	const skins: SkinnedMesh[] = [];
	const put = (object: Object3D) => {
		object.position.set(random() * 20 - 10, random() * 20 - 10, random() * 20 - 10);
		object.rotation.set(random() * 6, random() * 6, random() * 6);
		object.scale.set(0.7 + random(), 0.7 + random(), 0.7 + random());
		(random() < 0.3 ? (objects[Math.floor(random() * objects.length)] as Object3D) : scene).add(object);
		objects.push(object);
	};
	for (let i = 0; i < count; i++) {
		const kind = Math.floor(random() * 12);
		if (kind === 0) put(new Group());
		else if (kind === 1) put(new Points(sphere, new PointsMaterial()));
		else if (kind === 2) put(new Line(sphere, new LineBasicMaterial()));
		else if (kind === 3) {
			const { mesh, bones: own } = skinned();
			bones.push(...own);
			skins.push(mesh);
			put(mesh);
		} else put(new Mesh(kind % 2 === 0 ? shared : sphere, kind % 3 === 0 ? double : single));
		if (kind === 5) objects.at(-1)?.layers.set(1);
		if (kind === 6) (objects.at(-1) as Object3D).visible = false;
	}
	const lod = new LOD();
	lod.addLevel(new Mesh(sphere, single), 0);
	lod.addLevel(new Mesh(shared, single), 12);
	put(lod);
	put(new Sprite());
	const instanced = new InstancedMesh(shared, double, 60);
	const matrix = new Matrix4();
	for (let i = 0; i < 60; i++) {
		matrix.makeRotationY(random() * 6).setPosition(random() * 20 - 10, random() * 20 - 10, random() * 20 - 10);
		instanced.setMatrixAt(i, matrix);
	}
	put(instanced);
	return { scene, objects, bones, skins, instanced, shared };
}

function summary(made: Made, hits: Intersection[]): string[] {
	return hits.map((hit) => {
		const at = made.objects.indexOf(hit.object);
		const path = at >= 0 ? `${at}` : `${hit.object.type} of ${made.objects.indexOf(hit.object.parent as Object3D)}`;
		return `${path} face ${hit.faceIndex} instance ${hit.instanceId} index ${hit.index}`;
	});
}

/** Texture coordinates, sorted: hits nearer to each other than rounding may change places. */
function coordinates(hits: Intersection[]): number[] {
	return hits.map((hit) => hit.uv?.x ?? 0).sort((a, b) => a - b);
}

const camera = new PerspectiveCamera();

function compare(a: Made, b: Made, bridge: ReturnType<typeof attach>, random: () => number, rays: number): number {
	b.scene.updateMatrixWorld();
	// Three.js keeps the spheres of earlier poses; the bridge does not need them.
	for (const mesh of b.skins) mesh.computeBoundingSphere();
	b.instanced.computeBoundingSphere();
	// The union of the spheres of instances that three.js computes may leave out one of them.
	(b.instanced.boundingSphere as Sphere).radius *= 100;
	let total = 0;
	const raycaster = new Raycaster();
	raycaster.camera = camera;
	for (let i = 0; i < rays; i++) {
		raycaster.ray.origin.set(random() * 40 - 20, random() * 40 - 20, random() * 40 - 20);
		raycaster.ray.direction
			.set(random() * 16 - 8, random() * 16 - 8, random() * 16 - 8)
			.sub(raycaster.ray.origin)
			.normalize();
		raycaster.near = i % 4 === 0 ? 3 : 0;
		raycaster.far = i % 3 === 0 ? 20 : Number.POSITIVE_INFINITY;
		raycaster.layers.set(i % 5 === 0 ? 1 : 0);
		const expected = raycaster.intersectObject(b.scene);
		const actual = bridge.raycast(raycaster);
		total += expected.length;
		// Hits nearer to each other than rounding may change places.
		assert.deepEqual(summary(a, actual).sort(), summary(b, expected).sort(), `ray ${i} (seed ${seed})`);
		const [ours, theirs] = [coordinates(actual), coordinates(expected)];
		ours.forEach((u, k) => {
			assert.ok(Math.abs(u - (theirs[k] as number)) < 1e-2, `ray ${i}, texture coordinate ${k} (seed ${seed})`);
		});
		actual.forEach((hit, k) => {
			const other = expected[k] as Intersection;
			assert.ok(Math.abs(hit.distance - other.distance) < 1e-3, `ray ${i}, hit ${k} (seed ${seed})`);
			assert.ok(hit.point.distanceTo(other.point) < 2e-3 || hit.object.type !== other.object.type);
		});
	}
	return total;
}

test('rays hit what they hit in three.js: meshes, poses, instances, points, lines, sprites', () => {
	for (let round = 0; round < 3; round++) {
		const random = randomFrom(seed + 1000 + round);
		const [a, b] = [make(seed + round, 120), make(seed + round, 120)];
		const bridge = attach(a.scene);
		assert.ok(compare(a, b, bridge, random, 60) > 0);
		for (let frame = 0; frame < 3; frame++) {
			const state = seed + 50 * round + frame;
			for (const made of [a, b]) {
				const edit = randomFrom(state);
				for (const object of made.objects) {
					if (edit() < 0.2) object.position.x += edit() * 4 - 2;
					if (edit() < 0.1) object.rotation.z += edit();
				}
				for (const bone of made.bones) bone.rotation.x = edit() * 2 - 1;
				made.instanced.setMatrixAt(3, new Matrix4().makeTranslation(edit() * 30, 0, 0));
				made.instanced.instanceMatrix.needsUpdate = true;
			}
			assert.ok(compare(a, b, bridge, random, 40) > 0);
		}
		bridge.dispose();
	}
});

test('rays of three.js that are cast at the root get the hits of the bridge', () => {
	const [a, b] = [make(seed, 80), make(seed, 80)];
	const bridge = attach(a.scene);
	const random = randomFrom(seed + 7);
	b.scene.updateMatrixWorld();
	const raycaster = new Raycaster();
	raycaster.camera = camera;
	let total = 0;
	for (let i = 0; i < 40; i++) {
		raycaster.ray.origin.set(random() * 40 - 20, random() * 40 - 20, random() * 40 - 20);
		raycaster.ray.direction.set(-raycaster.ray.origin.x, -raycaster.ray.origin.y, -raycaster.ray.origin.z).normalize();
		raycaster.layers.set(i % 5 === 0 ? 1 : 0);
		const hits = raycaster.intersectObject(a.scene);
		assert.deepEqual(summary(a, hits), summary(a, bridge.raycast(raycaster)));
		total += hits.length;
	}
	assert.ok(total > 0);
	bridge.dispose();
	assert.equal(a.scene.raycast, Group.prototype.raycast);
	// A root that is drawn: a call that is not recursive gets its own hits.
	const top = new Mesh(new BoxGeometry(), single);
	top.add(new Mesh(new BoxGeometry(3, 3, 3), single));
	const second = attach(top);
	raycaster.layers.set(0);
	raycaster.set(new Vector3(0, 0, 9), new Vector3(0.01, 0.02, -1).normalize());
	assert.equal(raycaster.intersectObject(top, false).length, 1);
	assert.equal(raycaster.intersectObject(top).length, 2);
	assert.equal(second.raycast(raycaster).length, 2);
	second.dispose();
});

test('changed geometry is hit where it is', () => {
	const scene = new ThreeScene();
	const mesh = new Mesh<BufferGeometry>(new BoxGeometry(1, 1, 1), single);
	scene.add(mesh);
	const bridge = attach(scene);
	const ray = new Raycaster(new Vector3(5, 0, 10), new Vector3(0, 0, -1));
	assert.equal(bridge.raycast(ray).length, 0);
	mesh.geometry.translate(5, 0, 0);
	mesh.geometry.computeBoundingSphere();
	assert.equal(bridge.raycast(ray)[0]?.object, mesh);
	mesh.geometry = new SphereGeometry(1);
	bridge.touch(mesh);
	assert.equal(bridge.raycast(ray).length, 0);
	mesh.position.x = 5;
	assert.equal(bridge.raycast(ray)[0]?.distance, 9);
	assert.equal(mesh.geometry.boundingBox, null);
	assert.equal(bridge.raycast(ray, { filter: (object) => object !== mesh }).length, 0);
	mesh.visible = false;
	assert.equal(bridge.raycast(ray).length, 1);
	assert.equal(bridge.raycast(ray, { visibleOnly: true }).length, 0);
	bridge.dispose();
});

test('a raycast that returns false hides what is below', () => {
	const scene = new ThreeScene();
	const gate = new Group();
	const mesh = new Mesh(new BoxGeometry(1, 1, 1), single);
	gate.raycast = () => false as unknown as undefined;
	gate.add(mesh);
	scene.add(gate);
	const bridge = attach(scene);
	const ray = new Raycaster(new Vector3(0, 0, 10), new Vector3(0, 0, -1));
	assert.equal(ray.intersectObjects(scene.children).length, 0);
	assert.equal(bridge.raycast(ray).length, 0);
	bridge.dispose();
});

test('culling finds all that three.js draws', () => {
	const random = randomFrom(seed + 7);
	const made = make(seed + 7, 200);
	const bridge = attach(made.scene);
	const eye = new PerspectiveCamera(50, 1.5, 0.1, 25);
	let drawn = 0;
	for (let i = 0; i < 30; i++) {
		eye.position.set(random() * 30 - 15, random() * 30 - 15, random() * 30 - 15);
		eye.lookAt(0, 0, 0);
		const visible = new Set(bridge.cull(eye));
		const frustum = new Frustum().setFromProjectionMatrix(
			new Matrix4().multiplyMatrices(eye.projectionMatrix, eye.matrixWorldInverse),
		);
		const center = new Vector3();
		made.scene.traverseVisible((object) => {
			if (!(object instanceof Mesh) || object instanceof InstancedMesh || object instanceof SkinnedMesh) return;
			object.getWorldPosition(center);
			// The centre of the geometry is in view: it must not be left out.
			if (object.layers.test(eye.layers) && frustum.containsPoint(center)) {
				drawn++;
				assert.ok(visible.has(object), `view ${i} (seed ${seed})`);
			}
		});
		for (const object of visible) assert.ok(object.visible && object.layers.test(eye.layers));
	}
	assert.ok(drawn > 0);
	bridge.dispose();
});

/** Walks through a tree as the renderers of three.js do, and notes what they would draw. */
class WalkingRenderer {
	readonly shadowMap = { enabled: false };
	drawn = new Set<Object3D>();
	lights = 0;
	render(scene: Object3D, eye: Camera): void {
		scene.updateMatrixWorld();
		if (eye.parent === null) eye.updateMatrixWorld();
		const frustum = frustumOf(eye);
		this.drawn = new Set();
		this.lights = 0;
		const walk = (object: Object3D) => {
			if (!object.visible) return;
			if (object.layers.test(eye.layers)) {
				if (object instanceof LOD) object.update(eye);
				else if (object instanceof Light) this.lights++;
				else if (object instanceof Sprite) {
					if (frustum.intersectsSprite(object)) this.drawn.add(object);
				} else if (object instanceof Mesh || object instanceof Line || object instanceof Points) {
					if (!object.frustumCulled || frustum.intersectsObject(object)) this.drawn.add(object);
				}
			}
			for (const child of object.children) walk(child);
		};
		walk(scene);
	}
}

function frustumOf(eye: Camera): Frustum {
	return new Frustum().setFromProjectionMatrix(
		new Matrix4().multiplyMatrices(eye.projectionMatrix, eye.matrixWorldInverse),
	);
}

test('flat rendering draws what is in view, and leaves the tree as it was', () => {
	const random = randomFrom(seed + 8);
	const made = make(seed + 8, 200);
	const lamp = new PointLight();
	made.objects[5]?.add(lamp);
	lamp.visible = true;
	made.scene.traverse((object) => {
		if (object === made.objects[9]) object.frustumCulled = false;
	});
	const children = made.scene.children;
	const bridge = attach(made.scene);
	const eye = new PerspectiveCamera(50, 1.5, 0.1, 25);
	for (let i = 0; i < 20; i++) {
		eye.position.set(random() * 30 - 15, random() * 30 - 15, random() * 30 - 15);
		eye.lookAt(0, 0, 0);
		const [tree, flat] = [new WalkingRenderer(), new WalkingRenderer()];
		for (const mesh of made.skins) mesh.computeBoundingSphere();
		tree.render(made.scene, eye);
		bridge.render(flat, eye);
		assert.equal(made.scene.children, children);
		assert.equal(flat.lights, tree.lights);
		for (const object of flat.drawn) assert.ok(tree.drawn.has(object), `view ${i}: ${object.type} (seed ${seed})`);
		const frustum = frustumOf(eye);
		for (const object of tree.drawn) {
			if (flat.drawn.has(object)) continue;
			// Left out by its box, where three.js has a sphere only.
			assert.ok(object instanceof Mesh, `view ${i}: ${object.type} (seed ${seed})`);
			assert.equal(frustum.intersectsBox(boxOf(object)), false, `view ${i}: ${object.type} (seed ${seed})`);
		}
	}
	bridge.dispose();
});

function boxOf(mesh: Mesh): Box3 {
	if (mesh instanceof InstancedMesh) {
		mesh.computeBoundingBox();
		return (mesh.boundingBox as Box3).clone().applyMatrix4(mesh.matrixWorld);
	}
	if (mesh instanceof SkinnedMesh) {
		mesh.computeBoundingBox();
		return mesh.boundingBox.clone().applyMatrix4(mesh.matrixWorld);
	}
	const box = new Box3().setFromBufferAttribute(mesh.geometry.attributes.position as BufferAttribute);
	return box.applyMatrix4(mesh.matrixWorld);
}
