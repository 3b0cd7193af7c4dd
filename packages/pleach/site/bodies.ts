/** A solar system of 10,000 bodies: array writes, instanced draws from a render list, and picking. */
import { createMaterial, createScene, degrees, type Mesh, sphere, srgb } from 'pleach';
import { Clock, element, everyFrame, fit, Mean, milliseconds, Orbit, show, start } from './page.js';
import { Renderer } from './renderer.js';

const COUNT = 10_000;
const PLANETS: readonly [name: string, radius: number, orbit: number, color: number, moons: number][] = [
	['Mercury', 0.5, 9, 0x9a8f86, 0],
	['Venus', 0.9, 13, 0xd9b36c, 0],
	['Earth', 1, 18, 0x4f86c6, 1],
	['Mars', 0.7, 23, 0xc4623f, 2],
	['Jupiter', 2.6, 40, 0xc9a27e, 95],
	['Saturn', 2.2, 54, 0xd8c48f, 146],
	['Uranus', 1.6, 66, 0x8fc7cf, 28],
	['Neptune', 1.5, 77, 0x4a69bd, 16],
];

/** Numbers from 0 to 1, the same ones each time. */
let seed = 7;
function random(): number {
	seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
	return seed / 4294967296;
}

void start(() => {
	const canvas = element<HTMLCanvasElement>('canvas');
	const scene = createScene({ capacity: COUNT + 16 });
	const round = sphere({ radius: 1, segments: 24, rings: 12 });
	const rough = sphere({ radius: 1, segments: 5, rings: 3 });
	const rock = [0x8d8478, 0x75706a, 0xa39684].map((color) => createMaterial({ color: srgb(color) }));
	const ice = createMaterial({ color: srgb(0xb9c4cc) });

	const bodies: Mesh[] = [];
	const radii: number[] = [];
	const speeds: number[] = [];
	const phases: number[] = [];
	const heights: number[] = [];
	/** Adds a body on an orbit around its parent, whose scale is 1. */
	const add = (body: Mesh, orbit: number, tilt: number) => {
		bodies.push(body);
		radii.push(orbit);
		speeds.push(orbit === 0 ? 0 : 12 / orbit ** 1.5);
		phases.push(random() * Math.PI * 2);
		heights.push(tilt);
	};

	const star = createMaterial({ color: [0, 0, 0], emissive: srgb(0xffdf9e), unlit: true });
	add(scene.createMesh({ name: 'Sun', geometry: round, material: star, scale: [5, 5, 5] }), 0, 0);
	const planets: Mesh[] = [];
	for (const [name, radius, orbit, color, moons] of PLANETS) {
		// A group carries the planet and its moons, so that moons are not scaled with the planet.
		const geometry = sphere({ radius, segments: 24, rings: 12 });
		const planet = scene.createMesh({ name, geometry, material: createMaterial({ color: srgb(color) }) });
		planets.push(planet);
		add(planet, orbit, 0);
		for (let i = 0; i < moons; i++) {
			const size = 0.07 + random() * 0.1;
			const moon = scene.createMesh({
				name: `${name} ${i + 1}`,
				parent: planet,
				geometry: rough,
				material: ice,
				scale: [size, size, size],
			});
			add(moon, radius * (1.5 + random() * 1.6), (random() - 0.5) * 0.2);
		}
	}
	for (let i = 1; bodies.length < COUNT; i++) {
		const size = 0.06 + 0.24 * random() ** 3;
		const isInner = i % 3 !== 0;
		const body = scene.createMesh({
			name: isInner ? `asteroid ${i}` : `Kuiper object ${i}`,
			geometry: rough,
			material: isInner ? rock[i % rock.length]! : ice,
			scale: [size, size, size * 0.8],
		});
		const spread = random() + random() + random() - 1.5;
		add(body, isInner ? 31 + spread * 3 : 92 + spread * 9, (random() - 0.5) * (isInner ? 1.6 : 5));
	}

	const ids = Float64Array.from(bodies, (body) => body.id);
	const positions = new Float32Array(COUNT * 3);
	const camera = scene.createCamera({ fov: degrees(45), near: 0.5, far: 600, clip: 'negative-one-to-one' });
	const orbit = new Orbit(canvas, camera, 110, 0.4, 0.42);
	const renderer = new Renderer(canvas);
	const clock = new Clock('pause');
	const means = { update: new Mean(), list: new Mean() };
	let time = 40;
	let selected: Mesh | null = null;
	let frames = 0;

	const select = (node: Mesh | null, distance: number | null) => {
		selected = node;
		show('name', node?.name ?? 'nothing');
		show('picked', distance?.toFixed(2) ?? '–');
	};
	canvas.addEventListener('click', (event) => {
		if (orbit.wasDragged) return;
		const began = performance.now();
		const hit = scene.pickPixel(camera, ...orbit.pixel(event), canvas);
		show('pick', milliseconds(performance.now() - began));
		select(hit?.node ?? null, hit?.distance ?? null);
	});
	let planet = -1;
	element('next').addEventListener('click', () => {
		planet = (planet + 1) % planets.length;
		select(planets[planet]!, null);
		orbit.distance = PLANETS[planet]![1] * 12;
	});

	show('bodies', bodies.length.toLocaleString('en'));
	const frame = (seconds: number) => {
		time += clock.advance(seconds);
		const began = performance.now();
		for (let i = 0; i < COUNT; i++) {
			const angle = phases[i]! + speeds[i]! * time;
			positions[i * 3] = radii[i]! * Math.cos(angle);
			positions[i * 3 + 1] = radii[i]! * Math.sin(angle);
			positions[i * 3 + 2] = heights[i]!;
		}
		scene.setPositions(ids, positions);
		scene.update();
		means.update.add(performance.now() - began);
		scene.clearChanges();

		// The camera follows the selected body.
		const target = selected?.getWorldPosition() ?? [0, 0, 0];
		for (const axis of [0, 1, 2] as const)
			orbit.target[axis] += (target[axis] - orbit.target[axis]) * (1 - Math.exp(-8 * seconds));
		const nearest = selected === null ? 1 : 3 * (selected.geometry.bounds[3]! * selected.scale.x);
		orbit.distance = Math.max(nearest, Math.min(400, orbit.distance));
		orbit.apply();
		if (selected !== null) {
			const eye = camera.getWorldPosition();
			show('picked', Math.hypot(eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]).toFixed(2));
		}
		const report = renderer.draw(scene, camera, fit(canvas), {
			light: [0, 0, 0, 1],
			ambient: 0.3,
			background: [0.004, 0.005, 0.009],
		});
		means.list.add(report.list);
		if (frames++ % 15 > 0) return;
		show('visible', report.nodes.toLocaleString('en'));
		show('draws', report.draws);
		show('update', milliseconds(means.update.value));
		show('list', milliseconds(means.list.value));
	};
	frame(0);
	everyFrame(frame);
});
