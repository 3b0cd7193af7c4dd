import {
	BoxGeometry,
	ConeGeometry,
	Group,
	LOD,
	Mesh,
	MeshLambertMaterial,
	type Object3D,
	PerspectiveCamera,
	PlaneGeometry,
} from 'three';
import { FULL, litScene, randomNumbers, type Stage } from './stage.js';

const TREES = 500;
const CARTS = 10;
const CRATES = 40;

/** A yard that is edited while it is drawn: carts hand crates over, boards appear and vanish, trees have levels of detail. */
export function editing(): Stage[] {
	const scene = litScene();
	const camera = new PerspectiveCamera(50, 1, 0.5, 160);
	const random = randomNumbers(3);
	const ground = new Mesh(new PlaneGeometry(120, 120), new MeshLambertMaterial({ color: 0xa9b48c }));
	ground.rotation.x = -Math.PI / 2;
	scene.add(ground);
	const green = new MeshLambertMaterial({ color: 0x2f6b43 });
	const levels = [24, 8, 4].map((segments) => new ConeGeometry(1, 3, segments).translate(0, 1.6, 0));
	for (let i = 0; i < TREES; i++) {
		const tree = new LOD();
		levels.forEach((geometry, level) => {
			tree.addLevel(new Mesh(geometry, green), [0, 25, 50][level] as number);
		});
		const angle = random() * Math.PI * 2;
		const radius = 17 + random() * 40;
		tree.position.set(radius * Math.sin(angle), 0, radius * Math.cos(angle));
		tree.scale.setScalar(0.6 + random() * 0.7);
		scene.add(tree);
	}
	const wood = new MeshLambertMaterial({ color: 0xb98a4e });
	const blue = new MeshLambertMaterial({ color: 0x3d6f99 });
	const red = new MeshLambertMaterial({ color: 0xc8452d });
	const bed = new BoxGeometry(3, 0.3, 2);
	const cube = new BoxGeometry(0.8, 0.8, 0.8);
	const carts = Array.from({ length: CARTS }, () => {
		const cart = new Group();
		cart.add(new Mesh(bed, blue));
		scene.add(cart);
		return cart;
	});
	const crates = Array.from({ length: CRATES }, (_, i) => {
		const crate = new Mesh(cube, wood);
		crate.position.set((i % 3) - 1, 0.6 + Math.floor((i % 4) / 2) * 0.85, Math.floor(i / 3) % 2 ? -0.5 : 0.5);
		return crate;
	});
	const boards = Array.from({ length: CARTS }, (_, i) => {
		const board = new Mesh(new BoxGeometry(0.2, 2, 2), red);
		const angle = (i / CARTS) * Math.PI * 2;
		board.position.set(15 * Math.sin(angle), 1, 15 * Math.cos(angle));
		board.rotation.y = angle;
		return board;
	});
	/** Puts an object below a parent, or removes it. */
	const place = (object: Object3D, parent: Object3D | undefined) => {
		if (parent === undefined) object.removeFromParent();
		else if (object.parent !== parent) parent.add(object);
	};
	return [
		{
			scene,
			camera,
			viewport: FULL,
			animate(time) {
				carts.forEach((cart, i) => {
					const angle = (i / CARTS) * Math.PI * 2 + time * 0.2;
					cart.position.set(10 * Math.sin(angle), 0.4, 10 * Math.cos(angle));
					cart.rotation.y = angle;
				});
				// Each crate goes to the next cart every two seconds.
				crates.forEach((crate, i) => {
					place(crate, carts[Math.floor(time / 2 + i * 0.37) % CARTS]);
				});
				boards.forEach((board, i) => {
					place(board, Math.floor(time + i) % 3 === 0 ? undefined : scene);
					board.visible = Math.floor(time * 2 + i) % 5 !== 0;
				});
				const angle = time * 0.08;
				camera.position.set(26 * Math.sin(angle), 12 + 4 * Math.sin(time * 0.2), 26 * Math.cos(angle));
				camera.lookAt(0, 0, 0);
			},
		},
	];
}
