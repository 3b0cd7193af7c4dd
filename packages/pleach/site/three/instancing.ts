import {
	Color,
	Group,
	IcosahedronGeometry,
	InstancedMesh,
	Matrix4,
	MeshLambertMaterial,
	PerspectiveCamera,
} from 'three';
import { FULL, litScene, orbit, type Stage } from './stage.js';

const SIDE = 9;
const CLUSTERS = 4;

/** Four `InstancedMesh`es of 729 instances each, in groups that turn; the instance below the pointer gets a colour. */
export function instancing(): Stage[] {
	const scene = litScene();
	const camera = new PerspectiveCamera(45, 1, 0.5, 200);
	const geometry = new IcosahedronGeometry(0.38);
	const material = new MeshLambertMaterial({ flatShading: true });
	const plain = new Color(0xe8e2d2);
	const marked = new Color(0xc8452d);
	const matrix = new Matrix4();
	const groups = Array.from({ length: CLUSTERS }, (_, cluster) => {
		const group = new Group();
		const angle = (cluster / CLUSTERS) * Math.PI * 2;
		group.position.set(8 * Math.sin(angle), 0, 8 * Math.cos(angle));
		const mesh = new InstancedMesh(geometry, material, SIDE ** 3);
		mesh.name = `cluster ${cluster + 1}`;
		for (let i = 0; i < SIDE ** 3; i++) {
			const [x, y, z] = [i % SIDE, Math.floor(i / SIDE) % SIDE, Math.floor(i / SIDE ** 2)];
			const half = (SIDE - 1) / 2;
			mesh.setMatrixAt(i, matrix.makeTranslation(x - half, y - half, z - half));
			mesh.setColorAt(i, plain);
		}
		group.add(mesh);
		scene.add(group);
		return group;
	});
	let selected: InstancedMesh | null = null;
	let instance = 0;
	const paint = (color: Color) => {
		selected?.setColorAt(instance, color);
		if (selected?.instanceColor) selected.instanceColor.needsUpdate = true;
	};
	return [
		{
			scene,
			camera,
			viewport: FULL,
			animate(time) {
				groups.forEach((group, i) => {
					group.rotation.set(time * 0.1, time * 0.15 + i, 0);
				});
				orbit(camera, time * 0.05, 28, 12);
			},
			select(hit) {
				paint(plain);
				selected = hit?.object instanceof InstancedMesh ? hit.object : null;
				instance = hit?.instanceId ?? 0;
				paint(marked);
			},
		},
	];
}
