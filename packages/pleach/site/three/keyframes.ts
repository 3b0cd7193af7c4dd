import {
	AnimationClip,
	AnimationMixer,
	BoxGeometry,
	CylinderGeometry,
	Group,
	Mesh,
	MeshLambertMaterial,
	NumberKeyframeTrack,
	PerspectiveCamera,
	Quaternion,
	QuaternionKeyframeTrack,
	Vector3,
	VectorKeyframeTrack,
} from 'three';
import { FULL, litScene, orbit, type Stage } from './stage.js';

const COUNT = 100;

/** Returns a track that turns a node to angles in radians. */
function turn(name: string, axis: Vector3, times: number[], angles: number[]): QuaternionKeyframeTrack {
	const values = angles.flatMap((angle) => new Quaternion().setFromAxisAngle(axis, angle).toArray());
	return new QuaternionKeyframeTrack(`${name}.quaternion`, times, values);
}

/** A hundred windmills, each with a mixer: heads follow the wind, rotors turn, and a lift goes up and down. */
export function keyframes(): Stage[] {
	const scene = litScene();
	const camera = new PerspectiveCamera(45, 1, 1, 300);
	const mast = new CylinderGeometry(0.25, 0.5, 5, 8).translate(0, 2.5, 0);
	const hub = new BoxGeometry(0.6, 0.6, 1);
	const blade = new BoxGeometry(0.3, 2.2, 0.06).translate(0, 1.2, 0);
	const cabin = new BoxGeometry(0.5, 0.5, 0.5);
	const white = new MeshLambertMaterial({ color: 0xf4f1ea });
	const blue = new MeshLambertMaterial({ color: 0x3d6f99 });
	const red = new MeshLambertMaterial({ color: 0xc8452d });
	const clip = new AnimationClip('wind', 4, [
		turn('head', new Vector3(0, 1, 0), [0, 1, 3, 4], [0, 0.6, -0.6, 0]),
		turn(
			'rotor',
			new Vector3(0, 0, 1),
			[0, 1, 2, 3, 4],
			[0, 1, 2, 3, 4].map((quarter) => (quarter * Math.PI) / 2),
		),
		new VectorKeyframeTrack('lift.position', [0, 2, 4], [0.6, 0.3, 0, 0.6, 4, 0, 0.6, 0.3, 0]),
		new NumberKeyframeTrack('lift.scale[y]', [0, 1, 2, 3, 4], [1, 1.6, 1, 1.6, 1]),
	]);
	const mixers: AnimationMixer[] = [];
	for (let i = 0; i < COUNT; i++) {
		const mill = new Group();
		mill.position.set(((i % 10) - 4.5) * 5, 0, (Math.floor(i / 10) - 4.5) * 5);
		const head = new Group();
		head.name = 'head';
		head.position.y = 5.2;
		const rotor = new Group();
		rotor.name = 'rotor';
		rotor.position.z = 0.6;
		for (let j = 0; j < 3; j++) {
			const arm = new Mesh(blade, blue);
			arm.rotation.z = (j * Math.PI * 2) / 3;
			rotor.add(arm);
		}
		head.add(new Mesh(hub, white), rotor);
		const lift = new Mesh(cabin, red);
		lift.name = 'lift';
		mill.add(new Mesh(mast, white), head, lift);
		scene.add(mill);
		const mixer = new AnimationMixer(mill);
		mixer.clipAction(clip).play();
		mixers.push(mixer);
	}
	return [
		{
			scene,
			camera,
			viewport: FULL,
			animate(time) {
				mixers.forEach((mixer, i) => {
					mixer.setTime(time + i * 0.13);
				});
				orbit(camera, 0.4 + time * 0.05, 38, 20, 1);
			},
		},
	];
}
