/** What TypeScript accepts and refuses. The compiler checks this file; nothing of it is called. */
import { test } from 'node:test';
import {
	box,
	type Camera,
	createMaterial,
	createScene,
	type Mesh,
	type NodeId,
	type NodeType,
	type SceneNode,
} from '../src/entries/index.js';

/** @public */
export function accepted(): void {
	using scene = createScene({ up: 'y' });
	const mesh: Mesh = scene.createMesh({ geometry: box(), material: createMaterial({ color: [1, 0, 0] }) });
	const node: SceneNode | null = scene.find('a');
	if (node?.has('camera')) {
		const camera: Camera = node;
		camera.fov = 1;
		camera.lookAt(mesh.getWorldPosition());
	}
	if (node?.has('mesh')) node.material.color = [1, 0, 0];
	mesh.position = [1, 2, 3];
	mesh.position = { x: 1, y: 2, z: 3 };
	mesh.position.x += 1;
	const type: NodeType = mesh.type;
	const id: NodeId = mesh.id;
	scene.node(id)?.lookAt(mesh.getWorldPosition(new Float32Array(3)));
	mesh.constraint = type === 'Mesh' ? { type: 'look-at', target: scene.root } : null;
	mesh.parent?.add(mesh);
}

/** @public */
export function refused(): void {
	const scene = createScene();
	const mesh = scene.createMesh({ geometry: box(), material: createMaterial() });
	// @ts-expect-error a plain number is not an id
	const id: NodeId = 3;
	// @ts-expect-error a group has no material before `has`
	void scene.createGroup().material;
	// @ts-expect-error components of rotations are read only
	mesh.rotation.y += 1;
	// @ts-expect-error colours have three components
	mesh.material.color = [1, 0];
	// @ts-expect-error a material is needed
	scene.createMesh({ geometry: box() });
	// @ts-expect-error there is no such kind
	scene.list('meshes');
	// @ts-expect-error nor such a light
	scene.createLight({ type: 'sun' });
	// @ts-expect-error the version of a material cannot be set
	createMaterial({ version: 1 });
	// @ts-expect-error only rays have a maximum distance
	scene.queryBox([0, 0, 0, 1, 1, 1], { maxDistance: 1 });
	// @ts-expect-error there is no filter for many rays
	scene.pickMany(new Float32Array(7), { filter: () => true });
	// @ts-expect-error a texture needs an image
	createMaterial({ colorTexture: { uvSet: 1 } });
	void id;
}

test('types are checked by the compiler', () => {});
