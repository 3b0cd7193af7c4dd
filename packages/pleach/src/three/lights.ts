/**
 * Lights of pleach as lights of three.js, and back.
 *
 * Lights of glTF shine along their own −Z, those of three.js to a target. Created lights have targets that follow them; where other
 * targets are, `turnOf` returns by how much the light in the file differs from the object.
 */
import {
	DirectionalLight,
	Matrix3,
	Matrix4,
	type Object3D,
	PointLight,
	Quaternion,
	SpotLight,
	type Light as ThreeLight,
	Vector3,
} from 'three';
import type { Light } from '../scene-node.js';
import { assign } from './assign.js';
import { followerOf, followLight } from './targets.js';

/** The lights that glTF has, too. */
export type PunctualLight = DirectionalLight | PointLight | SpotLight;

/** Returns `true` for lights that glTF has, too. */
export function isPunctual(object: Object3D): object is PunctualLight {
	return object instanceof DirectionalLight || object instanceof PointLight || object instanceof SpotLight;
}

/** Returns the light of three.js for a light of pleach. */
export function lightOf(node: Light): PunctualLight {
	const { intensity, range } = node;
	const distance = Number.isFinite(range) ? range : 0;
	const { type } = node;
	const made =
		type === 'SpotLight'
			? new SpotLight(0xffffff, intensity, distance, node.outerAngle, penumbraOf(node), 2)
			: type === 'PointLight'
				? new PointLight(0xffffff, intensity, distance, 2)
				: new DirectionalLight(0xffffff, intensity);
	made.color.setRGB(...node.color);
	// In no tree: a child would become a node of the document.
	if (!(made instanceof PointLight)) followLight(made.target);
	return made;
}

/** Returns what pleach calls a light of three.js. */
export function typeOf(light: PunctualLight): 'directional' | 'point' | 'spot' {
	if (light instanceof SpotLight) return 'spot';
	return light instanceof PointLight ? 'point' : 'directional';
}

/** How much smaller than the outer angle the inner one is at least: glTF does not allow that they are equal. */
const SMALLEST_PENUMBRA = 1e-6;

function penumbraOf({ innerAngle, outerAngle }: Light): number {
	const penumbra = outerAngle > 0 ? 1 - innerAngle / outerAngle : 0;
	return penumbra <= SMALLEST_PENUMBRA * 2 ? 0 : penumbra;
}

/** Returns why glTF has no place for a light, or `null`. */
export function lightProblem(light: PunctualLight): string | null {
	const { intensity, color } = light;
	if (!(intensity >= 0 && Number.isFinite(intensity))) return `its intensity is ${intensity}`;
	if (!color.toArray().every((value) => value >= 0 && Number.isFinite(value)))
		return 'its color is negative or not finite';
	if (light instanceof DirectionalLight) return null;
	if (!(light.distance >= 0)) return `its distance is ${light.distance}`;
	if (!(light instanceof SpotLight)) return null;
	const { angle, penumbra } = light;
	if (!(angle > 0 && angle <= RIGHT_ANGLE)) return `its angle is ${angle}; glTF has angles above 0 and up to π/2`;
	return penumbra >= 0 && penumbra <= 1 ? null : `its penumbra is ${penumbra}`;
}

/** π/2, with what rounding to single precision adds. */
const RIGHT_ANGLE = Math.fround(Math.PI / 2);

/** Writes what differs to the light of pleach. `report` gets what glTF has no place for. */
export function writeLight(light: PunctualLight, node: Light, report: (message: string) => void): void {
	const problem = lightProblem(light);
	if (problem !== null) {
		report(`the light is saved as it was: ${problem}`);
		return;
	}
	const { color, intensity } = light;
	const own = node.color;
	if (color.toArray().some((value, i) => Math.fround(value) !== own[i])) node.color = [color.r, color.g, color.b];
	assign(node, 'intensity', intensity);
	if (light instanceof DirectionalLight) return;
	const { distance, decay } = light;
	if (distance > 0 && Number.isFinite(distance)) assign(node, 'range', distance);
	else if (Number.isFinite(node.range)) node.range = Number.POSITIVE_INFINITY;
	if (decay !== 2) report(`its decay is ${decay}, and is saved as 2`);
	if (!(light instanceof SpotLight)) return;
	if (light.map) report('its map is not saved');
	const { angle, penumbra } = light;
	const isSame = Math.abs(node.outerAngle - angle) < 1e-6 && Math.abs(penumbraOf(node) - penumbra) < 1e-6;
	if (isSame && node.innerAngle < node.outerAngle) return;
	const outer = Math.min(angle, RIGHT_ANGLE);
	node.innerAngle = 0;
	node.outerAngle = outer;
	node.innerAngle = outer * (1 - Math.max(penumbra, SMALLEST_PENUMBRA));
}

/** Where a light shines in the file, if its object has another −Z. */
export interface Turn {
	/** The rotation of the light's own node; `null` if there is none with this direction. */
	readonly own: Quaternion | null;
	/** The rotation of a node below it. */
	readonly below: Quaternion;
}

/** Differences of directions up to this length come from rounding. */
const DIRECTION_TOLERANCE = 1e-6;
const FORWARD = new Vector3(0, 0, -1);

/**
 * Returns how a light must be turned to shine along its own −Z to its target, where three.js draws it to; `null` if it does.
 *
 * @throws if there is no such direction
 */
export function turnOf(light: Object3D): Turn | null {
	if (!(light instanceof DirectionalLight || light instanceof SpotLight) || followerOf(light) !== null) return null;
	const { target, parent } = light as ThreeLight & { target: Object3D };
	// Those of targets in no tree are the program's, and are drawn as they are.
	if (target.parent !== null) target.updateWorldMatrix(true, false);
	const world = new Vector3().setFromMatrixPosition(target.matrixWorld);
	world.sub(new Vector3().setFromMatrixPosition(light.matrixWorld));
	const below = inSpaceOf(light.matrixWorld, world);
	if (below === null) throw new Error('it has no direction: its target is where it is, or its scale is zero');
	if (below.distanceTo(FORWARD) <= DIRECTION_TOLERANCE) return null;
	const own = light.matrixAutoUpdate
		? ownRotation(light, inSpaceOf(parent?.matrixWorld ?? new Matrix4(), world))
		: null;
	return { own, below: new Quaternion().setFromUnitVectors(FORWARD, below) };
}

/** Returns a vector of the world in a space, with length 1; `null` for no direction. */
function inSpaceOf(space: Matrix4, world: Vector3): Vector3 | null {
	const linear = new Matrix3().setFromMatrix4(space);
	if (linear.determinant() === 0) return null;
	const own = world.clone().applyMatrix3(linear.invert());
	const length = own.length();
	return length > 0 && Number.isFinite(length) ? own.divideScalar(length) : null;
}

/** Returns the rotation of a light with which it shines in a direction of its parent's space. */
function ownRotation(light: Object3D, direction: Vector3 | null): Quaternion | null {
	const { quaternion, scale } = light;
	if (direction === null || scale.z === 0) return null;
	const now = FORWARD.clone().multiplyScalar(Math.sign(scale.z)).applyQuaternion(quaternion);
	return new Quaternion().setFromUnitVectors(now.normalize(), direction).multiply(quaternion).normalize();
}
