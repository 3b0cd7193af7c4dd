/** Drop a glTF file: its tree, a picture, edits with undo, and a file to download. */
import {
	type Camera,
	createMaterial,
	createScene,
	cylinder,
	degrees,
	type EditHistory,
	type GltfDocument,
	type Layer,
	loadGltf,
	type Mixer,
	PleachError,
	type SavedGltf,
	type SceneNode,
	saveGltf,
	sphere,
	srgb,
} from 'pleach';
import { createFigure, figureGeometry } from './figure.js';
import { Clock, element, everyFrame, fit, milliseconds, Orbit, show, start } from './page.js';
import { Renderer } from './renderer.js';

/** At most so many rows of the tree: the list is made for people. */
const ROWS = 2000;

/** A file that is open. */
interface Open {
	readonly document: GltfDocument;
	readonly name: string;
	readonly camera: Camera;
	readonly history: EditHistory;
	readonly mixer: Mixer;
}

/** Creates a model with a hierarchy and a skin, and saves it. */
function sample(): Uint8Array<ArrayBuffer> {
	using scene = createScene({ name: 'sample', up: 'y' });
	const wood = createMaterial({ name: 'wood', color: srgb(0xa9743f) });
	const stone = createMaterial({ name: 'stone', color: srgb(0x8c8f92) });
	const glow = createMaterial({ name: 'glow', color: srgb(0xffd27f), emissive: srgb(0xffb84d), unlit: true });
	const fountain = scene.createGroup({ name: 'fountain' });
	const disc = (name: string, radius: number, height: number, y: number) =>
		scene.createMesh({
			name,
			parent: fountain,
			geometry: cylinder({ radius, height, up: 'y' }),
			material: stone,
			position: [0, y, 0],
		});
	disc('basin', 1.6, 0.4, 0.2);
	disc('column', 0.25, 1.4, 1);
	disc('bowl', 0.8, 0.2, 1.7);
	const globe = sphere({ radius: 0.14, up: 'y' });
	for (let i = 0; i < 6; i++) {
		const angle = (i / 6) * 2 * Math.PI;
		const position: [number, number, number] = [2.6 * Math.cos(angle), 0, 2.6 * Math.sin(angle)];
		const post = scene.createGroup({ name: `lantern ${i + 1}`, position });
		const geometry = cylinder({ radius: 0.05, height: 1.4, up: 'y' });
		scene.createMesh({ name: 'post', parent: post, geometry, material: wood, position: [0, 0.7, 0] });
		scene.createMesh({ name: 'light', parent: post, geometry: globe, material: glow, position: [0, 1.5, 0] });
	}
	// The figure is built for Z up: a group turns it.
	const turned = scene.createGroup({
		name: 'guard',
		position: [2, 0, 1.9],
		rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2],
	});
	const red = createMaterial({ name: 'red', color: srgb(0xc8553d) });
	const figure = createFigure(scene, figureGeometry(), red);
	turned.add(figure.root);
	return saveGltf(scene).bytes as Uint8Array<ArrayBuffer>;
}

/** Saves a file without what this page added: a pose and a camera. Rolling back returns the camera. */
function saveWithoutPage({ document: file, camera, mixer }: Open): SavedGltf {
	mixer.restore();
	const rollBack = new Error('saved');
	let saved: SavedGltf | undefined;
	try {
		file.scene.transact('save', () => {
			camera.dispose();
			saved = file.save({ format: 'glb' });
			throw rollBack;
		});
	} catch (error) {
		if (error !== rollBack) throw error;
	}
	return saved as SavedGltf;
}

void start(async () => {
	const canvas = element<HTMLCanvasElement>('canvas');
	const tree = element('tree');
	const clock = new Clock('pause');
	let open: Open | null = null;
	let selected: SceneNode | null = null;
	let layer: Layer | null = null;
	let structure = -1;
	const renderer = new Renderer(canvas, (texture) => {
		if (open === null) throw new Error('no file is open');
		return open.document.bitmap(texture);
	});

	const rows = new Map<SceneNode, HTMLElement>();
	const drawTree = () => {
		if (open === null) return;
		rows.clear();
		const { scene } = open.document;
		const items: HTMLElement[] = [];
		const visit = (node: SceneNode, level: number) => {
			if (items.length >= ROWS || node === open?.camera) return;
			const item = document.createElement('div');
			item.setAttribute('role', 'treeitem');
			item.setAttribute('aria-level', String(level + 1));
			item.tabIndex = -1;
			item.style.paddingLeft = `${0.4 + level * 0.9}rem`;
			const kind = document.createElement('span');
			kind.className = 'quiet';
			kind.textContent = ` ${node.type}`;
			item.append(node.name || '(no name)', kind);
			item.addEventListener('click', () => select(node));
			rows.set(node, item);
			items.push(item);
			for (const child of node.children) visit(child, level + 1);
		};
		for (const child of scene.root.children) visit(child, 0);
		tree.replaceChildren(...items);
		if (items[0] !== undefined) items[0].tabIndex = 0;
		structure = scene.structureVersion;
	};
	tree.addEventListener('keydown', (event) => {
		const items = [...tree.children] as HTMLElement[];
		const at = items.indexOf(document.activeElement as HTMLElement);
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
		if (to === undefined) return;
		event.preventDefault();
		const item = items[Math.max(0, Math.min(items.length - 1, to))];
		item?.click();
		item?.focus();
	});

	/** Shows the selected node: what is alive, and where it is. */
	const refresh = () => {
		if (selected !== null && !selected.alive) selected = null;
		if (open !== null && structure !== open.document.scene.structureVersion) drawTree();
		for (const [node, item] of rows) {
			const isSelected = node === selected;
			item.setAttribute('aria-selected', String(isSelected));
			if (isSelected) {
				for (const other of rows.values()) other.tabIndex = -1;
				item.tabIndex = 0;
			}
		}
		element<HTMLFieldSetElement>('edit').disabled = selected === null;
		show('name', selected === null ? 'nothing' : selected.name || '(no name)');
		show('type', selected?.type ?? '');
		show('hide', selected?.visible === false ? 'Show' : 'Hide');
		for (const axis of ['x', 'y', 'z'] as const) {
			const input = element<HTMLInputElement>(axis);
			if (document.activeElement !== input)
				input.value = selected === null ? '' : String(round(selected.position[axis]));
		}
		const [undo, redo] = [open?.history.labels[0], open?.history.redoLabels[0]];
		element<HTMLButtonElement>('undo').disabled = undo === undefined;
		element<HTMLButtonElement>('redo').disabled = redo === undefined;
		show('undo', undo === undefined ? 'Undo' : `Undo: ${undo}`);
		show('redo', redo === undefined ? 'Redo' : `Redo: ${redo}`);
		element<HTMLButtonElement>('save').disabled = open === null;
	};
	const round = (value: number) => Number(value.toPrecision(6));
	const select = (node: SceneNode | null) => {
		selected = node;
		refresh();
		const item = node === null ? undefined : rows.get(node);
		item?.scrollIntoView({ block: 'nearest' });
	};

	const edit = (label: string, change: () => void, merge?: string) => {
		open?.document.scene.transact(label, change, merge === undefined ? {} : { merge });
		show('saved', '');
		refresh();
	};
	for (const axis of ['x', 'y', 'z'] as const) {
		const input = element<HTMLInputElement>(axis);
		input.addEventListener('input', () => {
			const value = input.valueAsNumber;
			const node = selected;
			if (node === null || Number.isNaN(value)) return;
			edit(`move ${node.name}`, () => (node.position[axis] = value), `move ${node.id}`);
		});
		input.addEventListener('change', () => open?.history.endMerging());
	}
	element('hide').addEventListener('click', () => {
		const node = selected;
		if (node !== null) edit(`${node.visible ? 'hide' : 'show'} ${node.name}`, () => (node.visible = !node.visible));
	});
	element('remove').addEventListener('click', () => {
		const node = selected;
		if (node !== null) edit(`remove ${node.name}`, () => node.dispose());
	});
	const undo = () => {
		open?.history.undo();
		refresh();
	};
	const redo = () => {
		open?.history.redo();
		refresh();
	};
	element('undo').addEventListener('click', undo);
	element('redo').addEventListener('click', redo);
	document.addEventListener('keydown', (event) => {
		if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return;
		event.preventDefault();
		(event.shiftKey ? redo : undo)();
	});

	element('save').addEventListener('click', () => {
		if (open === null) return;
		const link = element<HTMLAnchorElement>('download');
		const { document: file, name } = open;
		const { bytes, report } = saveWithoutPage(open);
		play();
		URL.revokeObjectURL(link.href);
		link.href = URL.createObjectURL(new Blob([bytes as BlobPart], { type: 'model/gltf-binary' }));
		link.download = `${name.replace(/\.\w+$/, '')}-edited.glb`;
		link.textContent = `Download ${link.download}`;
		link.hidden = false;
		const warnings = report.length === 1 ? '1 warning' : `${report.length} warnings`;
		show('saved', `${bytes.length.toLocaleString('en')} bytes, ${warnings}, ${file.scene.nodeCount - 2} nodes`);
	});

	const clipSelect = element<HTMLSelectElement>('clip');
	const play = () => {
		layer?.stop();
		open?.mixer.restore();
		layer = null;
		const clip = open?.document.clips[Number(clipSelect.value || -1)];
		if (clip !== undefined) layer = open?.mixer.play(clip) ?? null;
	};
	clipSelect.addEventListener('change', play);

	const orbits = new Orbit(canvas, null, 5);
	canvas.addEventListener('click', (event) => {
		if (open === null || orbits.wasDragged) return;
		select(open.document.scene.pickPixel(open.camera, ...orbits.pixel(event), canvas)?.node ?? null);
	});

	/** Opens a file; `beside` are the files that were dropped with it. */
	const load = async (name: string, source: Blob | Uint8Array<ArrayBuffer>, beside: readonly File[] = []) => {
		show('status', `Loading ${name} …`);
		const size = source instanceof Blob ? source.size : source.length;
		const began = performance.now();
		const resolve = async (uri: string) => {
			const wanted = decodeURIComponent(uri).split('/').pop();
			const found = beside.find((file) => file.name === wanted);
			if (found === undefined) throw new Error(`'${uri}' was not dropped with the model`);
			return found.arrayBuffer();
		};
		let file: GltfDocument;
		try {
			file = await loadGltf(source, { up: 'y', resolve });
		} catch (error) {
			// A file that is not valid is not a fault of the page: the message has the position in the file.
			if (!(error instanceof PleachError)) throw error;
			show('status', `${name}: ${error.message}${error.pointer ? ` (${error.pointer})` : ''}`);
			return;
		}
		const took = performance.now() - began;
		renderer.clear();
		open?.document.dispose();
		selected = null;
		layer = null;
		const { scene } = file;
		const nodes = scene.nodeCount - 1;
		orbits.frame(scene.root, degrees(45));
		const camera = scene.createCamera({ fov: degrees(45), ...orbits.lens, clip: 'negative-one-to-one' });
		orbits.use(camera);
		open = { document: file, name, camera, history: scene.createHistory(), mixer: scene.createMixer() };
		const options = file.clips.map((clip, i) => new Option(clip.name || `clip ${i + 1}`, String(i)));
		clipSelect.replaceChildren(new Option('none', ''), ...options);
		if (options.length > 0) clipSelect.value = '0';
		play();
		show('title', name);
		show('size', `${size.toLocaleString('en')} B`);
		show('time', milliseconds(took));
		show('nodes', nodes.toLocaleString('en'));
		show('meshes', scene.list('mesh').length.toLocaleString('en'));
		show('materials', file.materials.length);
		show('clips', file.clips.length);
		show('saved', '');
		element('download').hidden = true;
		const notes = file.report.slice(0, 5).map((note) => `${note.pointer}: ${note.message}`);
		show('report', notes.length === 0 ? '' : `Tolerated in this file: ${notes.join('; ')}`);
		drawTree();
		refresh();
		show('status', '');
	};
	const loadFiles = (files: readonly File[]) => {
		const model = files.find(({ name }) => /\.(glb|gltf)$/i.test(name));
		if (model === undefined) show('status', 'None of these files is a .glb or .gltf file.');
		else void load(model.name, model, files);
	};
	const input = element<HTMLInputElement>('file');
	input.addEventListener('change', () => loadFiles([...(input.files ?? [])]));
	element('sample').addEventListener('click', () => void load('sample.glb', sample()));
	const drop = element('drop');
	drop.addEventListener('dragover', (event) => {
		event.preventDefault();
		drop.classList.add('over');
	});
	drop.addEventListener('dragleave', () => drop.classList.remove('over'));
	drop.addEventListener('drop', (event) => {
		event.preventDefault();
		drop.classList.remove('over');
		loadFiles([...(event.dataTransfer?.files ?? [])]);
	});

	await load('sample.glb', sample());
	let frames = 0;
	everyFrame((seconds) => {
		if (open === null) return;
		const { document: file, camera, mixer } = open;
		mixer.update(clock.advance(seconds));
		orbits.apply();
		const report = renderer.draw(file.scene, camera, fit(canvas), {
			light: [0.5, 1, 0.7, 0],
			ambient: 0.4,
			background: [0.72, 0.74, 0.75],
		});
		file.scene.clearChanges();
		if (frames++ % 10 > 0) return;
		show('triangles', Math.round(report.triangles).toLocaleString('en'));
		show('draws', report.draws);
	});
});
