/** A crowd of skinned figures: clips that are blended by one mixer, and picking of posed skins. */
import { createMaterial, createScene, degrees, type Layer, plane, type SceneNode, srgb } from 'pleach';
import { createFigure, type Figure, figureGeometry } from './figure.js';
import { Clock, element, everyFrame, fit, Mean, milliseconds, Orbit, show, start } from './page.js';
import { Renderer } from './renderer.js';

interface Walker extends Figure {
	readonly radius: number;
	readonly speed: number;
	angle: number;
	gait: Layer | null;
	wave: Layer | null;
}

let seed = 11;
function random(): number {
	seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
	return seed / 4294967296;
}

void start(() => {
	const canvas = element<HTMLCanvasElement>('canvas');
	const scene = createScene();
	scene.createMesh({
		name: 'ground',
		geometry: plane({ width: 400, depth: 400 }),
		material: createMaterial({ color: srgb(0xa3ad97) }),
	});
	const geometry = figureGeometry();
	const materials = [0xc8553d, 0x588b8b, 0xf2b35d, 0x5b6c9d, 0x93b48b, 0xd9c6b0].map((color) => {
		return createMaterial({ color: srgb(color) });
	});
	const originals = materials.map((material) => createFigure(scene, geometry, material));
	for (const { root } of originals) root.detach();
	const mixer = scene.createMixer();
	const walkers: Walker[] = [];
	const walkerOf = new Map<SceneNode, Walker>();
	let isRunning = false;

	/** A copy of a figure with clips of its own. The skin is that of the copied joints. */
	const add = () => {
		const number = walkers.length;
		const original = originals[number % originals.length]!;
		const { root, get } = original.root.clone({ parent: scene.root });
		root.name = `figure ${number + 1}`;
		const clips = {
			walk: original.clips.walk.remapped(get),
			run: original.clips.run.remapped(get),
			wave: original.clips.wave.remapped(get),
		};
		const radius = 2 + 0.62 * Math.sqrt(number) * 1.6;
		const walker: Walker = {
			root,
			clips,
			radius,
			speed: 0.9 + 0.4 * random(),
			angle: number * 2.399963,
			gait: null,
			wave: null,
		};
		const clip = isRunning ? clips.run : clips.walk;
		walker.gait = mixer.play(clip, { at: random() * clip.duration, speed: walker.speed });
		walkers.push(walker);
		walkerOf.set(root, walker);
	};
	const remove = () => {
		const walker = walkers.pop();
		if (walker === undefined) return;
		walker.gait?.stop();
		walker.wave?.stop();
		walkerOf.delete(walker.root);
		walker.root.dispose();
		for (const clip of Object.values(walker.clips)) clip.dispose();
	};
	const resize = (count: number) => {
		while (walkers.length < count) add();
		while (walkers.length > count) remove();
		orbit.distance = 7 + 1.05 * Math.sqrt(count);
		show('figures', walkers.length);
		show('joints', (walkers.length * 13).toLocaleString('en'));
	};
	const wave = (walker: Walker) => {
		// A greater priority: the arm follows this clip alone while it waves.
		walker.wave?.stop();
		walker.wave = mixer.play(walker.clips.wave, { loop: 3, fadeIn: 0.25, priority: 1 });
	};

	const camera = scene.createCamera({ fov: degrees(40), near: 0.2, far: 400, clip: 'negative-one-to-one' });
	const orbit = new Orbit(canvas, camera, 22, 0.5, 0.27);
	orbit.target = [0, 0, 0.8];
	const renderer = new Renderer(canvas);
	const clock = new Clock('pause');
	const means = { pose: new Mean(), update: new Mean() };

	const select = element<HTMLSelectElement>('count');
	select.addEventListener('change', () => resize(Number(select.value)));
	element('wave').addEventListener('click', () => walkers.forEach(wave));
	element('run').addEventListener('click', (event) => {
		isRunning = !isRunning;
		(event.currentTarget as HTMLButtonElement).textContent = isRunning ? 'Walk' : 'Run';
		for (const walker of walkers) {
			walker.gait?.fadeOut(0.4);
			const clip = isRunning ? walker.clips.run : walker.clips.walk;
			walker.gait = mixer.play(clip, { fadeIn: 0.4, speed: walker.speed, at: random() * clip.duration });
		}
	});
	canvas.addEventListener('click', (event) => {
		if (orbit.wasDragged) return;
		const hit = scene.pickPixel(camera, ...orbit.pixel(event), canvas);
		const walker = hit?.node.parent ? walkerOf.get(hit.node.parent) : undefined;
		show('name', walker?.root.name ?? 'nobody');
		if (walker !== undefined) wave(walker);
	});
	resize(Number(select.value));

	let frames = 0;
	const frame = (passed: number) => {
		const seconds = clock.advance(passed);
		let began = performance.now();
		mixer.update(seconds);
		means.pose.add(performance.now() - began);
		began = performance.now();
		for (const walker of walkers) {
			walker.angle += (seconds * walker.speed * (isRunning ? 3.2 : 1.35)) / walker.radius;
			const { root, angle, radius } = walker;
			root.position.set(radius * Math.cos(angle), radius * Math.sin(angle), 0);
			// The figure faces −Y; it walks along its circle.
			root.rotation.setEuler(0, 0, angle + Math.PI);
		}
		scene.update();
		means.update.add(performance.now() - began);
		scene.clearChanges();
		orbit.elevation = Math.max(0.05, orbit.elevation);
		orbit.apply();
		const report = renderer.draw(scene, camera, fit(canvas), {
			light: [0.5, -0.6, 1, 0],
			ambient: 0.35,
			background: [0.56, 0.68, 0.78],
		});
		if (frames++ % 15 > 0) return;
		show('visible', Math.max(0, report.nodes - 1));
		show('draws', report.draws);
		show('pose', milliseconds(means.pose.value));
		show('update', milliseconds(means.update.value));
	};
	frame(0);
	everyFrame(frame);
});
