/**
 * Targets of lights that shine along their own −Z, as in glTF: they follow their lights and are in no tree. One that a program moves
 * follows no longer.
 */
import { type Object3D, Vector3 } from 'three';

/** By target: where it was put last. */
const following = new WeakMap<Object3D, Vector3>();

/** Lets the target of a light follow it. */
export function followLight(target: Object3D): void {
	following.set(target, target.position.clone());
}

/** Returns the target that follows an object, or `null`. */
export function followerOf(object: Object3D): Object3D | null {
	const { target } = object as { target?: Object3D };
	if (target === undefined || target.parent !== null) return null;
	return following.get(target)?.equals(target.position) === true ? target : null;
}

/** Moves a target to a point before its light. */
export function moveTarget(target: Object3D, light: Object3D): void {
	const e = light.matrixWorld.elements;
	const place = following.get(target) ?? new Vector3();
	place.set(e[12] - e[8], e[13] - e[9], e[14] - e[10]);
	target.position.copy(place);
	target.updateMatrix();
	target.matrixWorld.copy(target.matrix);
}
