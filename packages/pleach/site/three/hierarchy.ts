import { BoxGeometry, Group, Mesh, MeshLambertMaterial, PerspectiveCamera } from 'three';
import { FULL, litScene, orbit, type Stage } from './stage.js';

const TOWERS = 6;
const FLOORS = 16;
const ROOMS = 12;

/** Towers with floors, rooms and furniture: 14,000 objects, of which 36 lifts move. */
export function hierarchy(): Stage[] {
	const scene = litScene();
	const camera = new PerspectiveCamera(45, 1, 1, 300);
	const slab = new BoxGeometry(4, 0.25, 4);
	const cabin = new BoxGeometry(0.9, 0.9, 0.9);
	const stone = new MeshLambertMaterial({ color: 0xc9c2b2 });
	const red = new MeshLambertMaterial({ color: 0xc8452d });
	const lifts: Mesh[] = [];
	for (let i = 0; i < TOWERS * TOWERS; i++) {
		const tower = new Group();
		tower.position.set(((i % TOWERS) - 2.5) * 8, 0, (Math.floor(i / TOWERS) - 2.5) * 8);
		scene.add(tower);
		const lift = new Mesh(cabin, red);
		lift.position.x = 2.5;
		lifts.push(lift);
		tower.add(lift);
		for (let level = 0; level < FLOORS; level++) {
			const floor = new Group();
			floor.position.y = level * 0.9;
			floor.rotation.y = level * 0.02;
			floor.add(new Mesh(slab, stone));
			tower.add(floor);
			for (let j = 0; j < ROOMS; j++) {
				const room = new Group();
				room.position.set((j % 4) - 1.5, 0, Math.floor(j / 4) - 1);
				// Places of furniture, which nobody sees from here.
				room.add(new Group());
				floor.add(room);
			}
		}
	}
	return [
		{
			scene,
			camera,
			viewport: FULL,
			animate(time) {
				lifts.forEach((lift, i) => {
					lift.position.y = (0.5 - 0.5 * Math.cos(time * 0.8 + i)) * FLOORS * 0.9;
				});
				orbit(camera, time * 0.1, 52, 34, 4);
			},
		},
	];
}
