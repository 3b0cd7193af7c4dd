/** What `pleach/core` exports: graphs and the spatial index. */
export type { QuatLike, Vec3Like } from '../arguments.js';
export { PleachError, type PleachErrorCode } from '../errors.js';
export { Frustum } from '../frustum.js';
export {
	type ChangeReader,
	type Changes,
	type ClipSpace,
	Graph,
	type GraphOptions,
	layout,
	type NodeOptions,
	type Nodes,
	type QueryOptions,
	type RayHits,
	type RayOptions,
	type UpAxis,
} from '../graph.js';
export type { InitSource } from '../init.js';
export { type NodeId, SceneNode, type Visitor } from '../node.js';
export type { EulerOrder, NodePosition, NodeRotation, NodeScale } from '../node-values.js';
export { Owned } from '../owned.js';
export { degrees, quat } from '../quat.js';
