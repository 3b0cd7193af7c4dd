import { BoxGeometry, Color, Mesh, MeshLambertMaterial, PerspectiveCamera } from 'three';
import { FULL, litScene, randomNumbers, type Stage } from './stage.js';

const BOXES = 5000;

/** Five thousand boxes around the camera, which turns; the box below the pointer is marked. */
export function raycasting(): Stage[] {
	const scene = litScene();
	const camera = new PerspectiveCamera(50, 1, 0.1, 60);
	const geometry = new BoxGeometry();
	const random = randomNumbers(7);
	const materials = Array.from({ length: 12 }, (_, i) => {
		return new MeshLambertMaterial({ color: new Color().setHSL(i / 12, 0.35, 0.6) });
	});
	const marked = new MeshLambertMaterial({ color: 0xffffff, emissive: 0xff2200 });
	for (let i = 0; i < BOXES; i++) {
		const box = new Mesh(geometry, materials[i % materials.length]);
		box.name = `box ${i}`;
		box.position.set(random() * 60 - 30, random() * 60 - 30, random() * 60 - 30);
		box.rotation.set(random() * 6, random() * 6, random() * 6);
		box.scale.set(random() + 0.5, random() + 0.5, random() + 0.5);
		scene.add(box);
	}
	let selected: Mesh | null = null;
	let material = marked;
	return [
		{
			scene,
			camera,
			viewport: FULL,
			animate(time) {
				camera.position.set(8 * Math.sin(time * 0.1), 4 * Math.sin(time * 0.13), 8 * Math.cos(time * 0.1));
				camera.lookAt(30 * Math.sin(time * 0.07), 0, 30 * Math.cos(time * 0.07));
			},
			select(hit) {
				if (selected !== null) selected.material = material;
				selected = hit?.object instanceof Mesh ? hit.object : null;
				if (selected === null) return;
				material = selected.material as MeshLambertMaterial;
				selected.material = marked;
			},
		},
	];
}
