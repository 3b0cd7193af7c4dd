/** What `pleach` exports: everything of `pleach/core`, scenes, assets, animation, undo and files. */

export {
	type AnimatedProperty,
	Clip,
	type ClipChannel,
	type Interpolation,
	Layer,
	Mixer,
	type PlayOptions,
} from '../animation.js';
export * from '../assets.js';
export {
	GltfDocument,
	type GltfSource,
	type LoadOptions,
	loadGltf,
	type Progress,
	type SavedGltf,
	saveGltf,
	type Warning,
} from '../gltf.js';
export { EditHistory } from '../history.js';
export {
	type Ambient,
	type Bytes,
	type CameraOptions,
	createScene,
	type Fog,
	type Hit,
	type Instance,
	type LightOptions,
	type MeshOptions,
	Scene,
	type SceneOptions,
	type UnusedAsset,
} from '../scene.js';
export type {
	Camera,
	Constraint,
	Kinds,
	Light,
	Lod,
	Mesh,
	NodeType,
	Part,
	Shadow,
	SkinnedMesh,
} from '../scene-node.js';
export { Skin, type SkinOptions } from '../skin.js';
export { Draws, type RayLike, RenderList, View, type Viewport } from '../view.js';
export * from './core-exports.js';
