import { BoxGeometry, Float32BufferAttribute, Mesh, MeshLambertMaterial, PerspectiveCamera, Vector3 } from 'three';
import { FULL, litScene, orbit, type Stage } from './stage.js';

const COUNT = 64;

/** A box with two morph targets: a sphere, and a twist. */
function morphGeometry(): BoxGeometry {
	const geometry = new BoxGeometry(1.6, 1.6, 1.6, 8, 8, 8);
	const position = geometry.getAttribute('position');
	const sphere: number[] = [];
	const twist: number[] = [];
	const point = new Vector3();
	const axis = new Vector3(0, 1, 0);
	for (let i = 0; i < position.count; i++) {
		point.fromBufferAttribute(position, i).normalize();
		sphere.push(point.x, point.y, point.z);
		point.fromBufferAttribute(position, i);
		point.applyAxisAngle(axis, point.y);
		twist.push(point.x, point.y, point.z);
	}
	geometry.morphAttributes.position = [new Float32BufferAttribute(sphere, 3), new Float32BufferAttribute(twist, 3)];
	return geometry;
}

/** Sixty-four boxes that become spheres and twist. */
export function morphing(): Stage[] {
	const scene = litScene();
	const camera = new PerspectiveCamera(45, 1, 0.5, 100);
	const geometry = morphGeometry();
	const materials = [0x2f6b43, 0xc8452d, 0x3d6f99, 0xd59a2b].map(
		(color) => new MeshLambertMaterial({ color, flatShading: true }),
	);
	const boxes = Array.from({ length: COUNT }, (_, i) => {
		const mesh = new Mesh(geometry, materials[(i + Math.floor(i / 8)) % 4]);
		mesh.position.set(((i % 8) - 3.5) * 2.6, 0, (Math.floor(i / 8) - 3.5) * 2.6);
		scene.add(mesh);
		return mesh;
	});
	return [
		{
			scene,
			camera,
			viewport: FULL,
			animate(time) {
				boxes.forEach((mesh, i) => {
					const phase = time * 1.4 + mesh.position.x * 0.3 + mesh.position.z * 0.2;
					mesh.morphTargetInfluences = [0.5 - 0.5 * Math.cos(phase), 0.5 + 0.5 * Math.sin(phase * 0.7)];
					mesh.rotation.y = time * 0.4 + i;
				});
				orbit(camera, 0.5 + time * 0.05, 20, 14);
			},
		},
	];
}
