/**
 * Models for three.js from glTF files of pleach: the objects are created for the nodes of the document's scene, and stay connected
 * with them, so that saving the document saves what was edited through three.js.
 */
import { Group, type Object3D } from 'three';
import type { Clip } from '../animation.js';
import {
	type GltfDocument,
	type GltfSource,
	type LoadOptions,
	loadGltf as loadDocument,
	type SavedGltf,
	type Warning,
} from '../gltf.js';
import { Bridge, describe } from './bridge.js';
import { withEdits } from './node-edits.js';
import { Objects } from './objects.js';

/** A model that was loaded. */
export interface LoadedModel {
	/** The model: add it to a scene of three.js. */
	readonly root: Object3D;
	/** Keeps the objects and the document's scene the same. A bridge that `root` is added to updates it. */
	readonly bridge: Bridge;
	/**
	 * The file: `document.save()` saves the edited scene with what three.js added to it, and what was not edited byte for byte. The report
	 * of the saved file lists what glTF has no place for.
	 */
	readonly document: GltfDocument;
	/** The animations: play them with `document.scene.createMixer()`. */
	readonly clips: readonly Clip[];
	/** Images that cannot be loaded or decoded: what they would cover is drawn without them. */
	readonly warnings: readonly Warning[];
}

/** How a model is loaded: Y is always up. */
export type ModelOptions = Omit<LoadOptions, 'up'>;

/** @internal */
export async function loadModel(source: GltfSource, options?: ModelOptions): Promise<LoadedModel> {
	const document = await loadDocument(source, { ...options, up: 'y' });
	try {
		const objects = new Objects(document);
		const root = new Group();
		const bridge = new Bridge(root, undefined, objects);
		document.beforeSave = () => save(document, objects, bridge);
		objects.bindSkins(bridge);
		const warnings: Warning[] = [];
		await objects.decodeImages(options?.signal, (image, error) => {
			const reason = error instanceof Error ? error.message : String(error);
			warnings.push({ pointer: '', code: 'image', message: `the image '${image}' is not drawn: ${reason}` });
		});
		bridge.update();
		return { root, bridge, document, clips: document.clips, warnings };
	} catch (error) {
		document.dispose();
		throw error;
	}
}

/** Writes what three.js edited to the scene; returns what adds the rest to the saved file. */
function save(document: GltfDocument, objects: Objects, bridge: Bridge): (saved: SavedGltf) => SavedGltf {
	const problems: Warning[] = [];
	const report = (object: Object3D, message: string) => {
		problems.push({ pointer: '', code: 'three', message: `'${describe(object)}': ${message}` });
	};
	if (bridge.disposed) return (saved) => saved;
	bridge.update();
	const edits = objects.save(bridge, report);
	return (saved) => {
		const edited = withEdits(saved, edits, document.scenes, (node, edit) => {
			const object = bridge.objectOf(node);
			if (object === null) return;
			if (edit.extras !== undefined) report(object, 'its userData are not saved');
			if (edit.turn !== undefined) report(object, 'the direction to its target is not saved');
		});
		return { ...edited, report: [...problems, ...edited.report] };
	};
}
