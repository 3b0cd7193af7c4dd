/** The start page runs the three lines that it shows. */
import { box, createMaterial, createScene } from 'pleach';
import { show, start } from './page.js';

void start(() => {
	const scene = createScene();
	const crate = scene.createMesh({ geometry: box(), material: createMaterial() });
	show('node', String(crate));
	show('distance', scene.pick({ origin: [0, 0, 10], direction: [0, 0, -1] })?.distance ?? 'no');
});
