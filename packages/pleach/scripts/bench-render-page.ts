// The page of bench-render.mjs: 100,000 meshes in a thousand areas, a tenth of them in view.
import * as THREE from 'three';

const FRAMES = 40;
const WARM_UP = 10;

let state = 16;
function random(): number {
	state = (state + 0x6d2b79f5) >>> 0;
	let t = Math.imul(state ^ (state >>> 15), 1 | state);
	t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
	return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const between = (low: number, high: number) => low + (high - low) * random();

const geometries = Array.from({ length: 16 }, (_, i) => {
	const size = 0.5 + i / 32;
	return new THREE.BoxGeometry(size, size, size);
});
const materials = Array.from(
	{ length: 64 },
	(_, i) => new THREE.MeshStandardMaterial({ color: new THREE.Color(i / 64, 0.5, 0.3) }),
);
const scene = new THREE.Scene();
const leaves: THREE.Mesh[] = [];
let count = 0;
function mesh(x: number, y: number): THREE.Mesh {
	count += 1;
	const made = new THREE.Mesh(geometries[count % 16], materials[count % 64]);
	made.position.set(x + between(-2, 2), y + between(-2, 2), between(-2, 2));
	return made;
}
for (let area = 0; area < 1000; area++) {
	const turn = Math.floor(area / 10) / 100;
	// Every tenth area is within 12° of the camera's direction, the others are more than 60° away.
	const degrees = area % 10 === 0 ? 24 * turn - 12 : 60 + (240 * ((area % 10) - 1 + turn)) / 9;
	const angle = ((90 + degrees) * Math.PI) / 180;
	const distance = between(60, 150);
	for (let i = 0; i < 10; i++) {
		const object = mesh(Math.cos(angle) * distance, Math.sin(angle) * distance);
		scene.add(object);
		for (let j = 0; j < 9; j++) {
			const leaf = mesh(0, 0);
			object.add(leaf);
			leaves.push(leaf);
		}
	}
}
const sun = new THREE.DirectionalLight(0xffffff, 3);
scene.add(sun);
const camera = new THREE.PerspectiveCamera((0.6 * 180) / Math.PI, 64 / 36, 0.1, 1000);
camera.up.set(0, 0, 1);
camera.lookAt(0, 1, 0);
const turned = new THREE.Quaternion();
const straight = camera.quaternion.clone();
const axis = new THREE.Vector3(0, 0, 1);
const moved = Array.from({ length: 1000 }, (_, i) => leaves[i * 9 + Math.floor(random() * 9)] as THREE.Mesh);

const canvas = document.createElement('canvas');
canvas.width = 64;
canvas.height = 36;
const renderer = new THREE.WebGLRenderer({ canvas });
const gl = renderer.getContext();
const pixel = new Uint8Array(4);

const edits: [string, (sway: number) => void][] = [
	['nothing changed', () => {}],
	[
		'1 % moved',
		(sway) => {
			for (const node of moved) node.position.z += sway;
		},
	],
	['camera turned', (sway) => camera.quaternion.copy(turned.setFromAxisAngle(axis, sway).multiply(straight))],
];
function measure([frame, edit]: (typeof edits)[number]) {
	const times: number[] = [];
	for (let number = 0; number < WARM_UP + FRAMES; number++) {
		edit(number % 2 === 0 ? 0.01 : -0.01);
		const start = performance.now();
		renderer.render(scene, camera);
		const time = performance.now() - start;
		// Waits until everything is drawn, so that the next frame does not wait for commands of this one.
		gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
		if (number >= WARM_UP) times.push(time * 1000);
	}
	times.sort((a, b) => a - b);
	const [minimum, median] = [times[0] as number, times[FRAMES >> 1] as number];
	return { frame, calls: renderer.info.render.calls, median, minimum };
}
// After the page is loaded, which would take too long otherwise.
setTimeout(() => {
	Object.assign(globalThis, { results: { revision: THREE.REVISION, results: edits.map(measure) } });
}, 0);
