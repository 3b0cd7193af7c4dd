// Describes what three.js created from a file, as plain data keyed by glTF's own node indices.
//
// Long data (attributes, keys) prints as its bounds, see `digest`. Objects are taken from the
// parser by node index and not by `parser.associations`: the loader keeps the associations of
// the last scene only, and has none for nodes outside of scenes.

import { createHash } from 'node:crypto';
import { InterpolateDiscrete } from 'three';

/** Returns `{ scenes, nodes, animations, cameras, lights, skins }` of a loaded file. */
export async function describe(gltf) {
    const { parser } = gltf;
    const { json } = parser;
    const all = (type, defs = []) => Promise.all(defs.map((_, index) => parser.getDependency(type, index)));

    const objects = await all('node', json.nodes);
    const indexOf = new Map(objects.map((object, index) => [object, index]));
    updateWorlds(objects, json.nodes);
    const parts = objects.map((object) => ownParts(object, indexOf));
    const lights = json.extensions?.KHR_lights_punctual?.lights;

    return {
        defaultScene: json.scene ?? null,
        scenes: (json.scenes ?? []).map(({ name, nodes }) => ({ name: name ?? null, roots: nodes ?? [] })),
        nodes: objects.map((object, index) => describeNode(object, json.nodes[index], parts[index], indexOf)),
        animations: describeAnimations(gltf.animations, json.animations, targets(parts)),
        cameras: gltf.cameras.map(describeCamera),
        lights: (await all('light', lights)).map(describeLight),
        skins: (await all('skin', json.skins)).map((skeleton) => describeSkin(skeleton, indexOf)),
    };
}

/** Computes the world matrices of all nodes, including those outside of scenes. */
function updateWorlds(objects, defs) {
    objects.forEach((object, index) => {
        // The loader decomposes a matrix into TRS and loses its shear: restore it.
        const { matrix } = defs[index];
        if (matrix === undefined) return;
        object.matrix.fromArray(matrix);
        object.matrixAutoUpdate = false;
    });
    const nodes = new Set(objects);
    for (const object of objects) {
        if (!nodes.has(object.parent)) object.updateMatrixWorld(true);
    }
}

/** Returns the object and those of its descendants that are not glTF nodes: primitives, camera, light. */
function ownParts(object, indexOf) {
    const below = object.children.filter((child) => !indexOf.has(child)).flatMap((child) => ownParts(child, indexOf));
    return [object, ...below];
}

function describeNode(object, def, parts, indexOf) {
    const node = {
        name: def.name ?? null,
        parent: indexOf.get(object.parent) ?? null,
        world: object.matrixWorld.toArray(),
    };
    const primitives = parts.filter((part) => part.geometry !== undefined).map(describePrimitive);
    const camera = parts.find((part) => part.isCamera);
    const light = parts.find((part) => part.isLight);
    if (primitives.length > 0) node.primitives = primitives;
    if (camera) node.camera = describeCamera(camera);
    if (light) node.light = describeLight(light);
    return node;
}

function describePrimitive(object) {
    const primitive = {
        type: object.type,
        ...describeGeometry(object.geometry),
        material: describeMaterial(object.material),
    };
    if (object.morphTargetInfluences) primitive.weights = [...object.morphTargetInfluences];
    if (object.isInstancedMesh) primitive.instances = digestAttribute(object.instanceMatrix);
    if (object.isSkinnedMesh) primitive.joints = object.skeleton.bones.length;
    return primitive;
}

/** Returns the count of primitives; strips and fans count as the triangles the loader converts them to. */
const describeGeometry = once((geometry) => {
    const { position, ...others } = geometry.attributes;
    const { min, max } = position ? digestAttribute(position) : {};
    const described = {
        vertices: position?.count ?? 0,
        indices: geometry.index?.count ?? 0,
        min: min ?? null,
        max: max ?? null,
        attributes: mapValues({ position, ...others }, (each) => each && digestAttribute(each)),
    };
    if (geometry.index) described.index = digestAttribute(geometry.index);
    if (Object.keys(geometry.morphAttributes).length > 0) {
        described.targets = mapValues(geometry.morphAttributes, (list) => list.map(digestAttribute));
    }
    return described;
});

/** Returns the properties that differ from a new material of the same class. */
const describeMaterial = once((material) => {
    const plain = new material.constructor();
    const described = { type: material.type, name: material.name };
    for (const [key, value] of Object.entries(material)) {
        const description = describeProperty(value);
        const skipped = key === 'uuid' || key === 'version' || description === undefined;
        if (!skipped && JSON.stringify(description) !== JSON.stringify(describeProperty(plain[key]))) described[key] = description;
    }
    return described;
});

function describeProperty(value) {
    if (value?.isTexture) return describeTexture(value);
    if (value?.isColor || value?.isVector2) return value.toArray();
    if (value === null || typeof value === 'object' || typeof value === 'function') return undefined;
    return value;
}

/** Describes a texture without its name: an unnamed texture has the name of its file. */
function describeTexture(texture) {
    const { image, wrapS, wrapT, magFilter, minFilter, channel, rotation, offset, repeat, colorSpace } = texture;
    return {
        sha256: createHash('sha256').update(new Uint8Array(image.bytes)).digest('hex'),
        wrapS, wrapT, magFilter, minFilter, channel, rotation, colorSpace,
        offset: offset.toArray(),
        repeat: repeat.toArray(),
    };
}

function describeCamera({ type, near, far, fov, aspect, left, right, top, bottom }) {
    return type === 'PerspectiveCamera'
        ? { type, near, far, fov, aspect }
        : { type, near, far, sides: [left, right, top, bottom] };
}

function describeLight({ type, color, intensity, distance = null, angle = null, penumbra = null }) {
    return { type, color: color.toArray(), intensity, distance, angle, penumbra };
}

function describeSkin(skeleton, indexOf) {
    return {
        joints: skeleton.bones.length,
        nodes: skeleton.bones.map((bone) => indexOf.get(bone)),
        inverseBind: skeleton.boneInverses.map((matrix) => matrix.toArray()),
    };
}

/** Returns the node of an animation track, which refers to an object by name or uuid. */
function targets(parts) {
    const nodes = new Map();
    parts.forEach((objects, index) => {
        for (const object of objects) {
            const name = object.name || object.uuid;
            if (!nodes.has(name)) nodes.set(name, index);
        }
    });
    return nodes;
}

function describeAnimations(clips, defs, targetNodes) {
    return clips.map((clip, index) => ({
        name: defs[index].name ?? null,
        duration: clip.duration,
        trackCount: clip.tracks.length,
        tracks: clip.tracks.map((track) => describeTrack(track, targetNodes)),
    }));
}

function describeTrack(track, targetNodes) {
    const dot = track.name.lastIndexOf('.');
    return {
        node: targetNodes.get(track.name.slice(0, dot)) ?? null,
        property: track.name.slice(dot + 1),
        interpolation: interpolation(track),
        times: digest(track.times.length, 1, (i) => track.times[i]),
        values: digest(track.times.length, track.getValueSize(), (i, k) => track.values[i * track.getValueSize() + k]),
    };
}

function interpolation(track) {
    if (track.createInterpolant.isInterpolantFactoryMethodGLTFCubicSpline) return 'CUBICSPLINE';
    return track.getInterpolation() === InterpolateDiscrete ? 'STEP' : 'LINEAR';
}

const digestAttribute = once((attribute) =>
    digest(attribute.count, attribute.itemSize, (i, k) => attribute.getComponent(i, k)));

/**
 * Summarises `count` rows of `size` numbers: their bounds, and all of them in `rows`, which is
 * compared but not printed.
 */
function digest(count, size, at) {
    const rows = new Float64Array(count * size);
    const min = new Array(size).fill(Infinity);
    const max = new Array(size).fill(-Infinity);
    for (let i = 0; i < count; i += 1) {
        for (let k = 0; k < size; k += 1) {
            const value = at(i, k);
            rows[i * size + k] = value;
            min[k] = Math.min(min[k], value);
            max[k] = Math.max(max[k], value);
        }
    }
    return Object.defineProperty({ count, size, min, max }, 'rows', { value: rows });
}

function mapValues(object, map) {
    return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

/** Describes a geometry once, however many nodes share it. */
function once(make) {
    const made = new WeakMap();
    return (key) => {
        if (!made.has(key)) made.set(key, make(key));
        return made.get(key);
    };
}
