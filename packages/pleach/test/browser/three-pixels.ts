/** The page of scripts/three-pixels.mjs: the same scene rendered by three.js alone, with a bridge, and flat; and models. */
import {
	AmbientLight,
	Bone,
	Box3,
	BoxGeometry,
	CanvasTexture,
	CylinderGeometry,
	DataTexture,
	DirectionalLight,
	Float32BufferAttribute,
	Group,
	HemisphereLight,
	InstancedMesh,
	LOD,
	Matrix4,
	Mesh,
	MeshStandardMaterial,
	type Object3D,
	PerspectiveCamera,
	Points,
	PointsMaterial,
	Scene,
	Skeleton,
	SkinnedMesh,
	Sphere,
	SphereGeometry,
	SpotLight,
	Sprite,
	SpriteMaterial,
	SRGBColorSpace,
	Texture,
	Uint16BufferAttribute,
	Vector3,
	WebGLRenderer,
} from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import {
	createGeometry,
	createMaterial,
	createScene,
	type Geometry,
	init,
	type MaterialOptions,
	saveGltf,
	sphere,
	TextureImage,
} from '../../src/entries/index.js';
import { attach, loadGltf } from '../../src/three/index.js';

interface Made {
	scene: Scene;
	camera: PerspectiveCamera;
	/** Moves everything to a frame. */
	pose(frame: number): void;
}

function make(): Made {
	const scene = new Scene();
	const camera = new PerspectiveCamera(60, 1.5, 0.1, 100);
	const rig = new Group();
	rig.add(camera);
	scene.add(rig, new AmbientLight(0xffffff, 0.4));
	const sun = new DirectionalLight(0xffffff, 2);
	sun.position.set(8, 14, 6);
	sun.castShadow = true;
	sun.shadow.camera.left = sun.shadow.camera.bottom = -20;
	sun.shadow.camera.right = sun.shadow.camera.top = 20;
	scene.add(sun);
	const material = (color: number) => new MeshStandardMaterial({ color });
	const floor = new Mesh(new BoxGeometry(40, 0.2, 40), material(0x888888));
	floor.position.y = -3;
	floor.receiveShadow = true;
	scene.add(floor);
	const arms: Mesh[] = [];
	let parent: Group | Mesh = new Group();
	scene.add(parent);
	for (let i = 0; i < 8; i++) {
		const arm = new Mesh(new BoxGeometry(1, 0.6, 0.6), material(0xcc4422));
		arm.position.x = 1.1;
		arm.castShadow = true;
		parent.add(arm);
		arms.push(arm);
		parent = arm;
	}
	const geometry = new CylinderGeometry(0.4, 0.4, 4, 8, 8);
	const { position } = geometry.attributes;
	const [indices, weights]: [number[], number[]] = [[], []];
	for (let i = 0; i < (position?.count ?? 0); i++) {
		const t = Math.min(1, Math.max(0, ((position?.getY(i) ?? 0) + 2) / 4));
		indices.push(0, 1, 0, 0);
		weights.push(1 - t, t, 0, 0);
	}
	geometry.setAttribute('skinIndex', new Uint16BufferAttribute(indices, 4));
	geometry.setAttribute('skinWeight', new Float32BufferAttribute(weights, 4));
	const [low, high] = [new Bone(), new Bone()];
	low.position.y = -2;
	high.position.y = 2;
	low.add(high);
	const worm = new SkinnedMesh(geometry, material(0x22aa44));
	worm.add(low);
	worm.bind(new Skeleton([low, high]));
	worm.position.set(-4, 0, 0);
	worm.castShadow = true;
	worm.frustumCulled = false;
	scene.add(worm);
	const cloud = new InstancedMesh(new SphereGeometry(0.25), material(0x3355ff), 60);
	for (let i = 0; i < 60; i++) {
		cloud.setMatrixAt(i, new Matrix4().makeTranslation(Math.cos(i) * 6, Math.sin(i * 3) * 2, Math.sin(i) * 6));
	}
	scene.add(cloud);
	const stars = new Points(new SphereGeometry(9, 12, 8), new PointsMaterial({ size: 0.2 }));
	const sprite = new Sprite(new SpriteMaterial({ color: 0xffff00 }));
	sprite.position.set(2, 3, 0);
	const lod = new LOD();
	lod.addLevel(new Mesh(new SphereGeometry(1, 16, 12), material(0xff00ff)), 0);
	lod.addLevel(new Mesh(new BoxGeometry(1.5, 1.5, 1.5), material(0x00ffff)), 11);
	lod.position.set(4, 0, 3);
	scene.add(stars, sprite, lod);
	return {
		scene,
		camera,
		pose(frame) {
			rig.rotation.y = frame * 0.4;
			camera.position.set(0, 3, 11);
			camera.lookAt(0, 0, 0);
			for (const arm of arms) arm.rotation.z = Math.sin(frame) * 0.3;
			high.rotation.z = Math.sin(frame * 1.3);
			cloud.position.y = Math.cos(frame);
			sprite.visible = frame % 3 !== 0;
			lod.rotation.y = frame;
		},
	};
}

function pixels(renderer: WebGLRenderer): Uint8Array {
	const context = renderer.getContext();
	const { width, height } = renderer.domElement;
	const out = new Uint8Array(width * height * 4);
	context.readPixels(0, 0, width, height, context.RGBA, context.UNSIGNED_BYTE, out);
	return out;
}

/** How many pixels differ by more than the rounding of matrices explains. */
function difference(a: Uint8Array, b: Uint8Array): number {
	let count = 0;
	for (let i = 0; i < a.length; i += 4) {
		const differs = [0, 1, 2].some((k) => Math.abs((a[i + k] as number) - (b[i + k] as number)) > 6);
		if (differs) count++;
	}
	return count;
}

const results: { frame: number; tree: number; flat: number; lit: number; flatDraws: number; draws: number }[] = [];
await init('/pleach.wasm');
const renderer = new WebGLRenderer({ antialias: false, preserveDrawingBuffer: true });
renderer.setSize(360, 240, false);
renderer.shadowMap.enabled = true;
document.body.append(renderer.domElement);
const [plain, bridged] = [make(), make()];
const bridge = attach(bridged.scene);
for (let frame = 0; frame < 8; frame++) {
	plain.pose(frame);
	bridged.pose(frame);
	renderer.render(plain.scene, plain.camera);
	const expected = pixels(renderer);
	const draws = renderer.info.render.calls;
	renderer.render(bridged.scene, bridged.camera);
	const tree = pixels(renderer);
	bridge.render(renderer, bridged.camera);
	const flat = pixels(renderer);
	const lit = expected.reduce((sum, value, i) => sum + (i % 4 < 3 && value > 20 ? 1 : 0), 0);
	results.push({
		frame,
		tree: difference(expected, tree),
		flat: difference(expected, flat),
		lit,
		draws,
		flatDraws: renderer.info.render.calls,
	});
}
(globalThis as { results?: unknown }).results = results;

// Models.

/** A picture of waves as a map of normals. */
async function waves(): Promise<TextureImage> {
	const canvas = new OffscreenCanvas(64, 64);
	const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
	const image = context.createImageData(64, 64);
	for (let i = 0; i < 64 * 64; i++) {
		const [x, y] = [Math.sin((i % 64) * 0.6) * 0.5, Math.cos(Math.floor(i / 64) * 0.4) * 0.6];
		const z = Math.sqrt(1 - x * x - y * y);
		image.data.set([x * 127 + 128, y * 127 + 128, z * 127 + 128, 255], i * 4);
	}
	context.putImageData(image, 0, 0);
	const blob = await canvas.convertToBlob({ type: 'image/png' });
	return TextureImage.fromEncoded('image/png', new Uint8Array(await blob.arrayBuffer()));
}

/** A file with one mesh. */
function file(geometry: Geometry, options: MaterialOptions, image?: TextureImage): Uint8Array<ArrayBuffer> {
	const made = createScene({ up: 'y' });
	const material = createMaterial(options);
	if (image !== undefined) {
		material.normalTexture = { image };
		material.clearcoatNormalTexture = { image };
	}
	made.createMesh({ geometry, material, name: 'mesh' });
	const { bytes } = saveGltf(made);
	made.dispose();
	return bytes;
}

/** Renders an object in light from one side. */
function picture(object: Object3D, { center, radius }: Sphere): Uint8Array {
	const scene = new Scene();
	const sun = new DirectionalLight(0xffffff, 2.5);
	sun.position.set(3, 4, 2);
	object.traverse((each) => {
		if (each instanceof Mesh) each.morphTargetInfluences?.fill(0.4);
	});
	scene.add(new HemisphereLight(0xffffff, 0x333344, 0.7), sun, object);
	const camera = new PerspectiveCamera(40, 1.5, radius / 50, radius * 20);
	camera.position.set(center.x + radius * 0.9, center.y + radius * 1.1, center.z + radius * 2.4);
	camera.lookAt(center);
	camera.updateMatrixWorld();
	renderer.render(scene, camera);
	const result = pixels(renderer);
	scene.remove(object);
	return result;
}

const models: { name: string; different: number; lit: number }[] = [];

async function compare(name: string, source: string | Uint8Array<ArrayBuffer>): Promise<void> {
	const loader = new GLTFLoader();
	const gltf = await (typeof source === 'string'
		? loader.loadAsync(source)
		: loader.parseAsync(source.slice().buffer, ''));
	// Of one of the two: morph targets have different boxes.
	const sphere = new Box3().setFromObject(gltf.scene).getBoundingSphere(new Sphere());
	const expected = picture(gltf.scene, sphere);
	const { root, document, bridge } = await loadGltf(source);
	const actual = picture(root, sphere);
	const lit = expected.reduce((sum, value, i) => sum + (i % 4 < 3 && value > 20 ? 1 : 0), 0);
	models.push({ name, different: difference(expected, actual), lit });
	bridge.dispose();
	document.dispose();
}

const bumps = { color: [0.8, 0.6, 0.4], roughness: 0.4, clearcoat: 0.6, clearcoatRoughness: 0.2 } as const;
await compare('normal maps without tangents', file(sphere({ up: 'y' }), bumps, await waves()));
const ball = sphere({ up: 'y', segments: 12, rings: 8 });
const facets = createGeometry({
	positions: ball.positions.slice(),
	indices: (ball.indices ?? new Uint32Array()).slice(),
});
await compare('without normals', file(facets, { color: [0.5, 0.7, 0.9], roughness: 0.5 }));
const paths = (await (await fetch('/models.json')).json()) as string[];
for (const path of paths) await compare(path, path);

// What three.js adds to a model, and its saved file.

/** Draws a picture that is another one if it is turned over. */
function painted(canvas: HTMLCanvasElement, color: string): HTMLCanvasElement {
	canvas.width = canvas.height = 64;
	const context = canvas.getContext('2d') as CanvasRenderingContext2D;
	context.fillStyle = color;
	context.fillRect(0, 0, 64, 64);
	context.fillStyle = 'white';
	context.fillRect(4, 4, 40, 12);
	context.fillRect(4, 4, 12, 30);
	return canvas;
}

async function saved(): Promise<void> {
	const { root, document: model } = await loadGltf(file(ball, { color: [0.5, 0.7, 0.9], roughness: 0.5 }));
	const canvas = () => document.createElement('canvas');
	const image = new Image();
	image.src = painted(canvas(), 'green').toDataURL('image/png');
	await image.decode();
	const bitmap = await createImageBitmap(painted(canvas(), 'purple'));
	const offscreen = new OffscreenCanvas(64, 64);
	offscreen.getContext('2d')?.drawImage(painted(canvas(), 'red'), 0, 0);
	const texels = Uint8Array.from({ length: 64 }, (_, i) => (i % 4 === 3 ? 255 : i * 4));
	const maps = [
		new CanvasTexture(painted(canvas(), 'blue')),
		new Texture(image),
		new Texture(bitmap),
		new Texture(offscreen as unknown as HTMLCanvasElement),
		new DataTexture(texels, 4, 4),
	];
	maps.forEach((map, i) => {
		map.colorSpace = SRGBColorSpace;
		map.needsUpdate = true;
		const mesh = new Mesh(new BoxGeometry(0.7, 0.7, 0.7), new MeshStandardMaterial({ map }));
		mesh.position.set(i - 2, 1.2, 0);
		mesh.rotation.y = 0.4;
		root.add(mesh);
	});
	const bones = [new Bone(), new Bone()];
	bones[0]?.add(bones[1] as Bone);
	const bar = new CylinderGeometry(0.2, 0.2, 3, 8, 12);
	const { position } = bar.attributes;
	const shares = Array.from({ length: position?.count ?? 0 }, (_, i) => Math.max(0, (position?.getY(i) ?? 0) / 1.5));
	bar.setAttribute(
		'skinIndex',
		new Uint16BufferAttribute(
			shares.flatMap(() => [0, 1, 0, 0]),
			4,
		),
	);
	bar.setAttribute(
		'skinWeight',
		new Float32BufferAttribute(
			shares.flatMap((share) => [1 - share, share, 0, 0]),
			4,
		),
	);
	const skinned = new SkinnedMesh(bar, new MeshStandardMaterial({ color: 0xffaa00 }));
	skinned.add(bones[0] as Bone);
	skinned.position.set(1.6, -0.5, 0.3);
	skinned.updateMatrixWorld(true);
	skinned.bind(new Skeleton(bones));
	(bones[1] as Bone).rotation.z = 0.9;
	const spot = new SpotLight(0xff4444, 40, 0, 0.3, 0.5);
	spot.position.set(-3, 3, 3);
	const target = new Group();
	target.position.set(-0.3, 0.4, 0);
	spot.target = target;
	const sun = new DirectionalLight(0x4466ff, 1.5);
	sun.position.set(-2, 1, 4);
	root.add(skinned, spot, target, sun);
	root.updateMatrixWorld(true);
	const sphere = new Sphere(new Vector3(0, 0.4, 0), 2.6);
	const expected = picture(root, sphere);
	const lit = expected.reduce((sum, value, i) => sum + (i % 4 < 3 && value > 20 ? 1 : 0), 0);
	const { bytes, report } = model.save();
	const gltf = await new GLTFLoader().parseAsync(bytes.slice().buffer, '');
	const again = await loadGltf(bytes);
	const missing = report.length === 0 ? '' : `: ${report.map(({ message }) => message).join()}`;
	const theirs = difference(expected, picture(gltf.scene, sphere));
	models.push({ name: `saved, by GLTFLoader${missing}`, different: report.length > 0 ? 1e6 : theirs, lit });
	models.push({ name: 'saved, by pleach', different: difference(expected, picture(again.root, sphere)), lit });
	again.document.dispose();
	// The last picture of the page.
	picture(root, sphere);
	model.dispose();
}

await saved();
(globalThis as { models?: unknown }).models = models;
