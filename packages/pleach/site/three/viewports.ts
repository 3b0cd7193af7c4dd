import {
	BoxGeometry,
	type BufferGeometry,
	ConeGeometry,
	Group,
	IcosahedronGeometry,
	Mesh,
	MeshLambertMaterial,
	PerspectiveCamera,
	TorusGeometry,
} from 'three';
import { litScene, orbit, type Stage } from './stage.js';

const COUNT = 120;
/** Groups in each branch that nothing is drawn of. */
const PLACES = 12;

/** Where the branch with this index is: one arrangement per scene. */
const arrangements: ((group: Group, i: number) => void)[] = [
	(group, i) => group.position.set(((i % 12) - 5.5) * 0.9, 0, (Math.floor(i / 12) - 4.5) * 0.9),
	(group, i) => group.position.set(4 * Math.sin(i * 0.26), (i / COUNT) * 7 - 3.5, 4 * Math.cos(i * 0.26)),
	(group, i) => {
		const y = 1 - (2 * (i + 0.5)) / COUNT;
		const radius = Math.sqrt(1 - y * y);
		group.position.set(4 * radius * Math.sin(i * 2.4), 4 * y, 4 * radius * Math.cos(i * 2.4));
	},
	(group, i) => {
		const angle = (i / COUNT) * Math.PI * 2;
		group.position.set((4 + Math.cos(angle * 5)) * Math.sin(angle), Math.sin(angle * 5), 4 * Math.cos(angle));
	},
];

/** Four scenes on one canvas, with a camera each. In each of them one branch of 120 moves. */
export function viewports(): Stage[] {
	const shapes: BufferGeometry[] = [
		new BoxGeometry(0.5, 0.5, 0.5),
		new ConeGeometry(0.3, 0.6, 12),
		new IcosahedronGeometry(0.35),
		new TorusGeometry(0.25, 0.1, 8, 12),
	];
	return arrangements.map((arrange, index) => {
		const scene = litScene([0xdfe7ea, 0xe9e2d6, 0xdde6da, 0xe6dee6][index]);
		const camera = new PerspectiveCamera(45, 1, 0.5, 60);
		const material = new MeshLambertMaterial({ color: [0x3d6f99, 0xc8452d, 0x2f6b43, 0xd59a2b][index] as number });
		const branches = Array.from({ length: COUNT }, (_, i) => {
			const branch = new Group();
			arrange(branch, i);
			branch.add(new Mesh(shapes[index], material));
			for (let j = 0; j < PLACES; j++) branch.add(new Group());
			scene.add(branch);
			return branch;
		});
		return {
			scene,
			camera,
			viewport: [(index % 2) / 2, index < 2 ? 0.5 : 0, 0.5, 0.5],
			animate(time) {
				const second = Math.floor(time * 4);
				branches.forEach((branch, i) => {
					if (i === second % COUNT) branch.scale.setScalar(1 + Math.sin((time * 4 - second) * Math.PI));
					else if (branch.scale.x !== 1) branch.scale.setScalar(1);
				});
				orbit(camera, time * (0.1 + index * 0.05), 12, 6);
			},
		};
	});
}
