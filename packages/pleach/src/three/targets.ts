/** Targets of lights that shine along their own −Z, as in glTF: they follow their lights and are in no tree. */
import type { Object3D } from 'three';

const following = new WeakSet<Object3D>();

/** Lets the target of a light follow it. */
export function followLight(target: Object3D): void {
	following.add(target);
}

/** Returns the target that follows an object, or `null`. */
export function followerOf(object: Object3D): Object3D | null {
	const { target } = object as { target?: Object3D };
	return target !== undefined && following.has(target) && target.parent === null ? target : null;
}

/** Moves a target to a point before its light. */
export function moveTarget(target: Object3D, light: Object3D): void {
	const e = light.matrixWorld.elements;
	target.position.set(e[12] - e[8], e[13] - e[9], e[14] - e[10]);
	target.updateMatrix();
	target.matrixWorld.copy(target.matrix);
}
