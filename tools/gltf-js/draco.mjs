// The part of DRACOLoader that GLTFLoader needs, without workers: three's own needs a browser.

import draco3d from 'draco3dgltf';
import { BufferAttribute, BufferGeometry } from 'three';

const draco = await draco3d.createDecoderModule({});

const ARRAYS = {
    Int8Array: [Int8Array, draco.DT_INT8],
    Uint8Array: [Uint8Array, draco.DT_UINT8],
    Int16Array: [Int16Array, draco.DT_INT16],
    Uint16Array: [Uint16Array, draco.DT_UINT16],
    Uint32Array: [Uint32Array, draco.DT_UINT32],
    Float32Array: [Float32Array, draco.DT_FLOAT32],
};

export const dracoLoader = {
    preload() {},

    decodeDracoFile(bytes, onLoad, attributeIds, attributeTypes, _colorSpace, onError) {
        let geometry;
        try {
            geometry = decode(new Int8Array(bytes), attributeIds, attributeTypes);
        } catch (error) {
            return onError(error);
        }
        onLoad(geometry);
    },
};

function decode(bytes, attributeIds, attributeTypes) {
    const decoder = new draco.Decoder();
    const mesh = new draco.Mesh();
    try {
        const status = decoder.DecodeArrayToMesh(bytes, bytes.byteLength, mesh);
        if (!status.ok()) throw new Error(`draco: ${status.error_msg()}`);

        const geometry = new BufferGeometry();
        for (const [name, id] of Object.entries(attributeIds)) {
            const attribute = decoder.GetAttributeByUniqueId(mesh, id);
            geometry.setAttribute(name, readAttribute(decoder, mesh, attribute, ARRAYS[attributeTypes[name]]));
        }
        geometry.setIndex(readIndex(decoder, mesh));
        return geometry;
    } finally {
        draco.destroy(mesh);
        draco.destroy(decoder);
    }
}

function readAttribute(decoder, mesh, attribute, [Type, type]) {
    const size = attribute.num_components();
    const array = copyOut(Type, mesh.num_points() * size, (bytes, at) =>
        decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, type, bytes, at));
    return new BufferAttribute(array, size);
}

function readIndex(decoder, mesh) {
    const array = copyOut(Uint32Array, mesh.num_faces() * 3, (bytes, at) =>
        decoder.GetTrianglesUInt32Array(mesh, bytes, at));
    return new BufferAttribute(array, 1);
}

/** Returns `length` elements that `write` stores in the decoder's memory. */
function copyOut(Type, length, write) {
    const bytes = length * Type.BYTES_PER_ELEMENT;
    const at = draco._malloc(bytes);
    write(bytes, at);
    const array = new Type(draco.HEAPF32.buffer, at, length).slice();
    draco._free(at);
    return array;
}
