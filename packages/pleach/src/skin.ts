/**
 * Skins: the joints that deform a mesh.
 */
import { checkType, toFloats, toText } from './arguments.js';
import { PleachError } from './errors.js';
import type { SceneNode } from './node.js';
import { checked, glue, raw } from './runtime.js';

/**
 * The joints that deform a mesh, and their matrices.
 *
 * @example
 * ```ts
 * const joint = scene.createGroup({ name: 'hand' });
 * const skin = scene.createSkin({ joints: [joint] });
 * const geometry = createGeometry({ positions: [0, 0, 0], joints: [0, 0, 0, 0], weights: [1, 0, 0, 0] });
 * const body = scene.createSkinnedMesh({ geometry, material: createMaterial(), skin });
 * joint.position.x = 3;
 * assert.equal(body.skin.matrices[12], 3);
 * body.skin.joint('hand')?.add(scene.createGroup({ name: 'sword' }));
 * ```
 */
export abstract class Skin {
	/** The joints, in the order of the geometry's joint numbers. */
	abstract get joints(): readonly SceneNode[];

	/** Returns the joint with the name, or `null`. */
	joint(name: string): SceneNode | null {
		return this.joints.find((joint) => joint.name === name) ?? null;
	}

	/** Returns the position of a joint, or −1. */
	indexOf(node: SceneNode): number {
		return this.joints.indexOf(node);
	}

	/**
	 * The joint matrices of this skin, 16 floats each: a part of `scene.palettes`. A view, valid until the next method
	 * call. Updates first.
	 */
	abstract get matrices(): Float32Array;
}

/** @internal The skin of a node. */
export class SkinOfNode extends Skin {
	constructor(private readonly node: SceneNode) {
		super();
	}

	get alive(): boolean {
		return this.node.alive;
	}

	get joints(): readonly SceneNode[] {
		const { scene, slot, generation } = this.node;
		return Array.from(glue.skin_joints(scene.world, slot, generation), (id) => scene.wrap(id));
	}

	/** The arrays that bind another mesh to the same joints. */
	get binding(): { inverseBinds: Float32Array; bindMatrix: Float32Array } {
		const { scene, slot, generation } = this.node;
		return {
			inverseBinds: glue.skin_inverse_binds(scene.world, slot, generation),
			bindMatrix: glue.skin_bind_matrix(scene.world, slot, generation),
		};
	}

	override joint(name: string): SceneNode | null {
		const { scene, slot, generation } = this.node;
		const id = checked(scene, glue.skin_joint(scene.world, slot, generation, toText(name, 'the name')));
		return id === 0 ? null : scene.wrap(id);
	}

	get matrices(): Float32Array {
		const { scene, slot, generation } = this.node;
		const first = checked(scene, raw.skin_offset(scene.world, slot, generation));
		const count = glue.skin_joints(scene.world, slot, generation).length;
		const address = raw.joint_matrices(scene.world) >>> 0;
		if (first < 0) return new Float32Array(0);
		return new Float32Array(raw.memory.buffer, address + first * 64, count * 16);
	}
}

/** What a skin is created with. */
export interface SkinOptions {
	joints: readonly SceneNode[];
	/** 16 floats per joint; by default the joints are bound in their current pose. */
	inverseBinds?: Float32Array;
	/** 16 numbers; the identity by default. */
	bindMatrix?: ArrayLike<number>;
}

/** @internal A skin that was created in code, before and after a mesh has it. */
export class NewSkin extends Skin {
	readonly inverseBinds: Float32Array;
	readonly bindMatrix: Float32Array;
	private owner: SkinOfNode | null = null;
	private readonly own: readonly SceneNode[];

	constructor(options: SkinOptions, world: number) {
		super();
		this.own = [...options.joints];
		const ids = Float64Array.from(this.own, (joint) => joint.id);
		if (options.inverseBinds !== undefined) checkType(options.inverseBinds, Float32Array, 'the inverse bind matrices');
		this.inverseBinds = options.inverseBinds?.slice() ?? glue.inverse_binds_of_pose(world, ids);
		if (this.inverseBinds.length !== this.own.length * 16) {
			const [given, needed] = [this.inverseBinds.length, this.own.length * 16];
			throw new PleachError('wrong-length', `the inverse bind matrices have ${given} elements; ${needed} are needed`);
		}
		this.bindMatrix = toFloats(options.bindMatrix ?? [], 'the bind matrix').slice();
	}

	/** @internal Takes the matrices from a node that has the skin, unless another has it. */
	bindTo(node: SceneNode): void {
		if (this.owner === null || !this.owner.alive) this.owner = new SkinOfNode(node);
	}

	get joints(): readonly SceneNode[] {
		return this.own;
	}

	get matrices(): Float32Array {
		if (this.owner === null) {
			throw new PleachError(
				'skin',
				'the skin has no matrices yet: create a mesh with it, `scene.createSkinnedMesh({ skin, … })`',
			);
		}
		return this.owner.matrices;
	}
}
