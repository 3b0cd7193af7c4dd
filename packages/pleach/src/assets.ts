/**
 * Assets: what meshes share.
 */
export { Asset } from './asset.js';
export * from './geometries.js';
export {
	type AlphaMode,
	type Color,
	createMaterial,
	type MagFilter,
	Material,
	type MaterialOptions,
	type MinFilter,
	srgb,
	type Texture,
	TextureImage,
	type TextureOptions,
	type TextureTransform,
	type Wrap,
} from './materials.js';
