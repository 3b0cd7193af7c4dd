/** Draws a scene, or a model that the visitor chooses, with the renderer of `pleach/webgpu`. */
import {
	box,
	type Camera,
	createMaterial,
	createScene,
	degrees,
	init,
	loadGltf,
	plane,
	Renderer,
	type Scene,
	sphere,
	TextureImage,
	torus,
} from 'pleach/webgpu';

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const show = (id: string, text: string | number) => {
	byId(id).textContent = String(text);
};

/** Spheres of all kinds of materials on a chequered floor, around a red box, in the light of a spot light and a lamp. */
function materialScene(): Scene {
	const scene = createScene();
	const texels = Uint8Array.from({ length: 8 * 8 * 4 }, (_, i) => {
		const [x, y] = [(i >> 2) % 8, i >> 5];
		return i % 4 === 3 ? 255 : (x + y) % 2 === 0 ? 210 : 90;
	});
	const chequered = createMaterial({ roughness: 0.8 });
	chequered.colorTexture = { image: TextureImage.fromPixels(8, 8, texels), magFilter: 'nearest' };
	scene.createMesh({ geometry: plane({ width: 12, depth: 12 }), material: chequered });
	const red = createMaterial({ color: [0.7, 0.02, 0.02], roughness: 0.6 });
	const angles = new Float32Array(48);
	for (let i = 0; i < 3; i++) {
		const [c, s] = [Math.cos(i / 3), Math.sin(i / 3)];
		angles.set([c, s, 0, 0, -s, c, 0, 0, 0, 0, 1, 0, 0, 0, 0.5 * i, 1], i * 16);
	}
	const stack = box({ size: [1.2, 1.2, 0.5] });
	scene.createMesh({ name: 'stack', geometry: stack, material: red, position: [0, 0, 0.25], instances: angles });
	const kinds = [
		{ color: [0.9, 0.9, 1], transmission: 1, roughness: 0, thickness: 0.6, ior: 1.4 },
		{ color: [0.1, 0.3, 0.1], clearcoat: 1, clearcoatRoughness: 0.05, roughness: 0.7 },
		{ color: [0.2, 0.05, 0.3], sheenColor: [0.9, 0.6, 0.9], sheenRoughness: 0.4, roughness: 1 },
		{ color: [0.05, 0.05, 0.05], iridescence: 1, iridescenceIor: 1.8, roughness: 0.1 },
		{ color: [0.9, 0.7, 0.4], metallic: 1, roughness: 0.35, anisotropy: 0.8 },
		{ color: [0.2, 0.4, 0.9], alphaMode: 'blend', opacity: 0.4, roughness: 0.3 },
		{ color: [0, 0, 0], emissive: [0.2, 0.8, 0.3], roughness: 1 },
		{ color: [0.8, 0.5, 0.1], unlit: true },
	] as const;
	const [ball, ring] = [sphere({ radius: 0.6 }), torus({ radius: 0.45, tubeRadius: 0.15 })];
	kinds.forEach((kind, i) => {
		const angle = (i / kinds.length) * 2 * Math.PI;
		const position = [3 * Math.cos(angle), 3 * Math.sin(angle), 0.6] as const;
		scene.createMesh({ geometry: i % 3 === 1 ? ring : ball, material: createMaterial(kind), position });
	});
	const spot = scene.createLight({
		type: 'spot',
		intensity: 60,
		outerAngle: 0.6,
		innerAngle: 0.3,
		position: [3, -3, 7],
	});
	spot.shadow = { enabled: true, mapSize: 1024 };
	spot.lookAt([0, 0, 0]);
	scene.createLight({ type: 'point', color: [0.4, 0.6, 1], intensity: 12, position: [-4, 2, 3] });
	scene.ambientLight = { color: [1, 1, 1], intensity: 0.2 };
	return scene;
}

/** Spheres from rough to smooth on a floor, with a red box in the middle. */
function exampleScene(): Scene {
	const scene = createScene();
	const grey = createMaterial({ color: [0.5, 0.5, 0.5], metallic: 0, roughness: 0.9 });
	scene.createMesh({ geometry: plane({ width: 30, depth: 30 }), material: grey });
	const red = createMaterial({ color: [0.7, 0.02, 0.02], metallic: 0, roughness: 0.6 });
	scene.createMesh({ name: 'box', geometry: box({ size: [1.6, 1.6, 1.6] }), material: red, position: [0, 0, 0.8] });
	const ball = sphere({ radius: 0.6 });
	for (let i = 0; i < 8; i++) {
		const angle = (i / 8) * 2 * Math.PI;
		const material = createMaterial({ color: [0.9, 0.7, 0.3], metallic: i % 2, roughness: 0.1 + i / 10 });
		const position = [3 * Math.cos(angle), 3 * Math.sin(angle), 0.6] as const;
		scene.createMesh({ geometry: ball, material, position });
	}
	const sun = scene.createLight({ type: 'directional', color: [1, 1, 1], intensity: 0.7, position: [4, -6, 8] });
	sun.shadow = { enabled: true, mapSize: 1024, bias: 0.001, normalBias: 0.02, near: 0.1, far: 30, bounds: 8 };
	sun.lookAt([0, 0, 0]);
	scene.ambientLight = { color: [1, 1, 1], intensity: 0.15 };
	return scene;
}

async function main(): Promise<void> {
	await init();
	const canvas = byId<HTMLCanvasElement>('canvas');
	const options = new URLSearchParams(location.search);
	canvas.width = Number(options.get('width') ?? canvas.clientWidth);
	canvas.height = canvas.clientHeight;
	const api = options.get('api') === 'webgl' ? 'webgl' : 'auto';
	const samples = options.get('samples') === '1' ? 1 : 4;
	const create = () => Renderer.create(canvas, { api, samples });
	const renderer = await create().catch((error: unknown) => {
		if (canvas.width === canvas.clientWidth) throw error;
		show('status', String(error));
		canvas.width = canvas.clientWidth;
		return create();
	});
	show('api', renderer.api === 'webgpu' ? 'WebGPU' : 'WebGL2');
	let scene = exampleScene();
	let camera: Camera = scene.createCamera({ fov: degrees(40), near: 0.1, far: 1000 });
	let target: [number, number, number] = [0, 0, 0.8];
	const orbit = { yaw: 0.6, pitch: 0.5, distance: 11 };
	let isDrawing = false;
	const probe = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
	let frames = 0;
	const draw = () => {
		isDrawing = false;
		const level = orbit.distance * Math.cos(orbit.pitch);
		camera.position = [
			target[0] + level * Math.sin(orbit.yaw),
			target[1] - level * Math.cos(orbit.yaw),
			target[2] + orbit.distance * Math.sin(orbit.pitch),
		];
		camera.lookAt(target);
		try {
			renderer.render(scene, camera);
		} catch (error) {
			// Too large a canvas, or a lost device: the next picture may be drawn again.
			show('status', error instanceof Error ? error.message : String(error));
			return;
		}
		frames += 1;
		show('frames', frames);
		show('calls', renderer.calls);
		show('warnings', renderer.warnings.length === 0 ? 'none' : renderer.warnings.join('; '));
		// In the same task as the frame: later, the picture belongs to the page.
		probe?.drawImage(canvas, canvas.width / 2, canvas.height / 2, 1, 1, 0, 0, 1, 1);
		show('pixel', Array.from(probe?.getImageData(0, 0, 1, 1).data.slice(0, 3) ?? []).join(', '));
	};
	const request = () => {
		if (!isDrawing) requestAnimationFrame(draw);
		isDrawing = true;
	};
	canvas.addEventListener('pointermove', (event) => {
		if (event.buttons === 0) return;
		orbit.yaw -= event.movementX / 150;
		orbit.pitch = Math.max(-1.5, Math.min(1.5, orbit.pitch + event.movementY / 150));
		request();
	});
	canvas.addEventListener('wheel', (event) => {
		event.preventDefault();
		orbit.distance *= 1.001 ** event.deltaY;
		request();
	});
	byId<HTMLSelectElement>('scene').addEventListener('change', (event) => {
		scene = (event.target as HTMLSelectElement).value === 'materials' ? materialScene() : exampleScene();
		camera = scene.createCamera({ fov: degrees(40), near: 0.1, far: 1000 });
		target = [0, 0, 0.8];
		orbit.distance = 11;
		request();
	});
	byId<HTMLInputElement>('file').addEventListener('change', async (event) => {
		const file = (event.target as HTMLInputElement).files?.[0];
		if (file === undefined) return;
		try {
			const document_ = await loadGltf(file);
			scene = document_.scene;
			camera = scene.createCamera({ fov: degrees(40), near: 0.01, far: 10000 });
			const bounds = scene.root.getSubtreeBounds() ?? new Float32Array([-1, -1, -1, 1, 1, 1]);
			const [x0, y0, z0, x1, y1, z1] = bounds as unknown as [number, number, number, number, number, number];
			target = [(x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2];
			orbit.distance = 2 * Math.hypot(x1 - x0, y1 - y0, z1 - z0);
			show('status', `${file.name} is drawn.`);
			request();
		} catch (error) {
			show('status', error instanceof Error ? error.message : String(error));
		}
	});
	draw();
}

main().then(
	() => {
		document.documentElement.dataset.state = 'ready';
	},
	(error: unknown) => {
		show('status', error instanceof Error ? error.message : String(error));
		document.documentElement.dataset.state = 'failed';
		throw error;
	},
);
