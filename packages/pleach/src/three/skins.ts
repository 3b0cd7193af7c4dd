/**
 * Skins of pleach as skeletons of three.js, and back.
 */
import { type Bone, DetachedBindMode, Matrix4, Skeleton, type SkinnedMesh } from 'three';
import type { SceneNode } from '../node.js';
import type { KindNode, Mesh as MeshNode } from '../scene-node.js';
import type { SkinOfNode } from '../skin.js';
import { type Bridge, describe } from './bridge.js';

/** Connects a skinned mesh with the bones of its node's skin, which exist. */
export function bindSkin(bridge: Bridge, mesh: SkinnedMesh, node: MeshNode): void {
	const skin = (node as unknown as { skin: SkinOfNode }).skin;
	const { inverseBinds, bindMatrix } = skin.binding;
	const bones = skin.joints.map((joint) => bridge.objectOf(joint) as Bone);
	const inverses = bones.map((_, i) => new Matrix4().fromArray(inverseBinds, i * 16));
	const bind = bindMatrix.length === 16 ? new Matrix4().fromArray(bindMatrix) : new Matrix4();
	mesh.bind(new Skeleton(bones, inverses), bind);
	mesh.normalizeSkinWeights();
}

/** What a skin is, as the scene has it. */
interface Binding {
	readonly joints: readonly SceneNode[];
	/** By joint, 16 numbers: from the mesh to the joint in the bind pose. */
	readonly inverseBinds: Float32Array;
}

/** Writes skins to nodes if three.js created or edited them. */
export class SkinSaver {
	/** What both sides had when they agreed last. */
	private readonly agreed = new WeakMap<SkinnedMesh, Binding>();

	/** Both sides are the same now. */
	agree(bridge: Bridge, mesh: SkinnedMesh): void {
		this.agreed.set(mesh, bindingOf(bridge, mesh));
	}

	/** Writes the skin of a mesh to its node. `report` gets why that is not possible. */
	save(bridge: Bridge, mesh: SkinnedMesh, node: SceneNode, report: (message: string) => void): void {
		try {
			const binding = bindingOf(bridge, mesh);
			const agreed = this.agreed.get(mesh);
			if (agreed === undefined || !isSame(binding, agreed)) {
				checkInfluences(mesh, binding.joints.length);
				(node as KindNode).setSkin(binding.joints, binding.inverseBinds);
				this.agreed.set(mesh, binding);
			}
			if (mesh.bindMode === DetachedBindMode) report('it is saved as if its skin were attached: glTF has no other');
		} catch (error) {
			const reason = (error as Error).message;
			report(`it is saved ${node.has('skin') ? 'with the skin that it had' : 'without its skin'}: ${reason}`);
		}
	}
}

/** @throws if there is no skeleton, or a bone is not in the model */
function bindingOf(bridge: Bridge, mesh: SkinnedMesh): Binding {
	const { skeleton } = mesh as { skeleton?: Skeleton };
	if (skeleton === undefined || skeleton.bones.length === 0) throw new Error('it is not bound to bones');
	const inverseBinds = new Float32Array(skeleton.bones.length * 16);
	const joints = skeleton.bones.map((bone, i) => {
		const node = bone ? bridge.nodeOf(bone) : null;
		if (node === null || node.scene !== bridge.scene) {
			throw new Error(`the bone '${bone ? describe(bone) : i}' is not in the model`);
		}
		// Three.js applies the bind matrix first; glTF has one matrix.
		const inverse = skeleton.boneInverses[i] ?? new Matrix4();
		inverseBinds.set(new Matrix4().multiplyMatrices(inverse, mesh.bindMatrix).elements, i * 16);
		return node;
	});
	return { joints, inverseBinds };
}

function isSame(a: Binding, b: Binding): boolean {
	return (
		a.joints.length === b.joints.length &&
		a.joints.every((joint, i) => joint === b.joints[i]) &&
		a.inverseBinds.every((value, i) => value === b.inverseBinds[i])
	);
}

/** Checks that vertices have joints and weights, and all these joints exist. */
function checkInfluences({ geometry }: SkinnedMesh, joints: number): void {
	const { skinIndex, skinWeight } = geometry.attributes;
	if (skinIndex === undefined || skinWeight === undefined)
		throw new Error('its geometry has no skinIndex or skinWeight');
	for (let vertex = 0; vertex < skinIndex.count; vertex++) {
		for (let k = 0; k < skinIndex.itemSize; k++) {
			const joint = skinIndex.getComponent(vertex, k);
			if (!(joint < joints)) throw new Error(`vertex ${vertex} refers to bone ${joint}, and there are ${joints}`);
		}
	}
}
