#!/usr/bin/env python3
"""Writes the files of this directory. Each shows one thing, which its name states.

    python3 make.py && PLEACH_BLESS=1 cargo test -p pleach-gltf --all-features --test all corpus

Then read the changed `.expected.txt` files: they are the test.
"""

import base64
import json
import os
import struct
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
U8, I16, U16, U32, F32 = 5121, 5122, 5123, 5125, 5126
FORMATS = {U8: "B", I16: "h", U16: "H", U32: "I", F32: "f"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
TRIANGLE = [0, 0, 0, 1, 0, 0, 0, 1, 0]
QUAD = [0, 0, 0, 2, 0, 0, 2, 1, 0, 0, 1, 0]
QUAD_INDICES = [0, 1, 2, 0, 2, 3]
IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]


def pack(component, numbers):
    return struct.pack("<%d%s" % (len(numbers), FORMATS[component]), *numbers)


class Model:
    """A model with one buffer, to which accessors are added."""

    def __init__(self, **members):
        self.json = {"asset": {"version": "2.0"}, **members}
        self.bin = b""
        self.views = []
        self.accessors = []

    def view(self, data, **members):
        self.bin += b"\0" * (-len(self.bin) % 4)
        self.views.append({"buffer": 0, "byteOffset": len(self.bin), "byteLength": len(data), **members})
        self.bin += data
        return len(self.views) - 1

    def accessor(self, component, kind, numbers, bounds=False, **members):
        width = WIDTHS[kind]
        entry = {
            "bufferView": self.view(pack(component, numbers)),
            "componentType": component,
            "count": len(numbers) // width,
            "type": kind,
            **members,
        }
        if bounds:
            entry["min"] = [min(numbers[axis::width]) for axis in range(width)]
            entry["max"] = [max(numbers[axis::width]) for axis in range(width)]
        self.accessors.append(entry)
        return len(self.accessors) - 1

    def add(self, entry):
        self.accessors.append(entry)
        return len(self.accessors) - 1

    def positions(self, numbers):
        return self.accessor(F32, "VEC3", numbers, bounds=True)

    def finish(self, uri=None, buffers=None):
        if self.accessors:
            self.json["accessors"] = self.accessors
        if self.views:
            self.json["bufferViews"] = self.views
        if self.bin:
            buffer = {"byteLength": len(self.bin)}
            if uri is not None:
                buffer["uri"] = uri
            self.json["buffers"] = [buffer] + (buffers or [])
        return self.json

    def gltf(self, name, uri=None, buffers=None):
        data = "data:application/octet-stream;base64," + base64.b64encode(self.bin).decode()
        text = json.dumps(self.finish(uri or data, buffers), indent=1, ensure_ascii=False)
        write(name, (text + "\n").encode())

    def glb(self, name, chunks=(), buffers=None):
        text = json.dumps(self.finish(buffers=buffers), ensure_ascii=False).encode()
        text += b" " * (-len(text) % 4)
        data = self.bin + b"\0" * (-len(self.bin) % 4)
        parts = [(b"JSON", text), (b"BIN\0", data), *chunks]
        body = b"".join(struct.pack("<I", len(content)) + kind + content for kind, content in parts)
        write(name, b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body)


def write(name, data):
    assert len(data) <= 10_000, name
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(data)


def scene(nodes, **members):
    """The members of a model with one scene, which lists every node that is not a child."""
    children = {child for node in nodes for child in node.get("children", [])}
    roots = [index for index in range(len(nodes)) if index not in children]
    return {"scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes, **members}


def mesh(attributes, **members):
    return {"primitives": [{"attributes": attributes, **members}]}


def png(red, green, blue):
    """A picture of one pixel."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes([0, red, green, blue]))
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(data).decode()


def meshopt_vertices(rows):
    """Encodes rows of bytes with the vertex codec of meshoptimizer, version 0, without packing."""
    stride, out = len(rows[0]), bytearray([0xA0])
    for byte in range(stride):
        last, group = 0, []
        for row in rows:
            difference = (row[byte] - last + 128) % 256 - 128
            group.append((difference << 1 ^ difference >> 7) & 255)
            last = row[byte]
        out += bytes([3] + group + [0] * (16 - len(group)))
    return bytes(out) + bytes(max(stride, 32))


# Structure.

m = Model(**scene([{"name": "quad", "mesh": 0}]))
m.json["meshes"] = [mesh({"POSITION": m.positions(QUAD)}, indices=m.accessor(U16, "SCALAR", QUAD_INDICES))]
m.glb("indexed-quad.glb")

m = Model(**scene([{"name": "quad", "mesh": 0}]))
m.json["meshes"] = [mesh({"POSITION": m.positions(QUAD)}, indices=m.accessor(U8, "SCALAR", QUAD_INDICES))]
m.glb("glb-unknown-chunk.glb", chunks=[(b"NOTE", b"kept as it is...")])

Model(**scene([
    {"name": "sheared", "matrix": [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 3, 4, 5, 1], "children": [1]},
    {"name": "child", "translation": [0, 2, 0]},
])).gltf("matrix-node.gltf")

Model(**scene([
    {"name": "root", "translation": [1, 2, 3], "children": [1, 3]},
    {"name": "quarter turn about y", "rotation": [0, 0.70710678, 0, 0.70710678], "children": [2]},
    {"name": "one along the turned x", "translation": [1, 0, 0], "scale": [2, 3, 4]},
    {"name": "mirrored", "scale": [-1, 1, 1]},
])).gltf("trs-hierarchy.gltf")

Model(
    scene=1,
    scenes=[{"name": "first", "nodes": [0]}, {"name": "second", "nodes": [0, 1]}],
    nodes=[{"name": "in both", "translation": [1, 0, 0]}, {"name": "in the second"}],
).gltf("two-scenes.gltf")

Model(nodes=[{"name": "a", "children": [1]}, {"name": "b", "translation": [0, 1, 0]}]).gltf("no-scene.gltf")

Model(
    scene=0, scenes=[{"nodes": [0]}],
    nodes=[{"name": "listed"}, {"name": "not listed", "translation": [9, 0, 0]}],
).gltf("node-outside-scenes.gltf")

Model(**scene([
    {"name": "Grüße \"日本\"\t\\"}, {"name": ""}, {}, {"name": "same"}, {"name": "same"},
])).gltf("names-unicode-empty-missing-equal.gltf")

Model(
    extensionsUsed=["KHR_node_visibility"],
    **scene([
        {"name": "hidden", "children": [1], "extensions": {"KHR_node_visibility": {"visible": False}}},
        {"name": "hidden with its parent"},
    ]),
).gltf("node-visibility.gltf")

Model(
    extensionsUsed=["VENDOR_unknown"],
    extensions={"VENDOR_unknown": {"list": [1, 2.50, None]}},
    extras={"by": "hand"},
    **scene([{"name": "kept", "extras": {"price": 12.5}, "extensions": {"VENDOR_unknown": {"node": True}}}]),
).gltf("unknown-extension-and-extras.gltf")

# Accessors.

m = Model(**scene([{"name": "triangle", "mesh": 0}]))
m.json["meshes"] = [mesh({"POSITION": m.positions(TRIANGLE)})]
m.gltf("uri-percent-encoded.gltf", uri="with%20space.bin")
write("with space.bin", m.bin)

m = Model(**scene([{"name": "quad", "mesh": 0}]))
base = m.positions(QUAD)
m.accessors[base]["sparse"] = {
    "count": 2,
    "indices": {"bufferView": m.view(pack(U16, [1, 3])), "componentType": U16},
    "values": {"bufferView": m.view(pack(F32, [7, 0, 0, 0, 8, 0]))},
}
m.accessors[base]["max"] = [7, 8, 0]
m.json["meshes"] = [mesh({"POSITION": base}, indices=m.accessor(U8, "SCALAR", QUAD_INDICES))]
m.gltf("sparse-accessor.gltf")

m = Model(**scene([{"name": "triangle", "mesh": 0}]))
zeros = m.add({
    "componentType": F32, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [4, 5, 0],
    "sparse": {
        "count": 2,
        "indices": {"bufferView": m.view(pack(U8, [1, 2])), "componentType": U8},
        "values": {"bufferView": m.view(pack(F32, [4, 0, 0, 0, 5, 0]))},
    },
})
m.json["meshes"] = [mesh({"POSITION": zeros})]
m.gltf("sparse-accessor-over-zeros.gltf")

m = Model(**scene([{"name": "triangle", "mesh": 0}]))
rows = [TRIANGLE[3 * i : 3 * i + 3] + [0, 0, 1] + uv for i, uv in enumerate([[0, 0], [1, 0], [0, 1]])]
view = m.view(pack(F32, sum(rows, [])), byteStride=32, target=34962)
part = lambda kind, offset, **more: m.add(
    {"bufferView": view, "byteOffset": offset, "componentType": F32, "count": 3, "type": kind, **more}
)
m.json["meshes"] = [mesh({
    "POSITION": part("VEC3", 0, min=[0, 0, 0], max=[1, 1, 0]),
    "NORMAL": part("VEC3", 12),
    "TEXCOORD_0": part("VEC2", 24),
})]
m.glb("interleaved-buffer-view.glb")

m = Model(**scene([{"name": "triangle", "mesh": 0}]))
colors = [65535, 0, 0, 65535, 0, 65535, 0, 65535, 0, 0, 13107, 0]
m.json["meshes"] = [mesh({
    "POSITION": m.positions(TRIANGLE),
    "COLOR_0": m.accessor(U16, "VEC4", colors, normalized=True),
})]
m.gltf("normalized-u16-colors.gltf")

m = Model(
    extensionsUsed=["KHR_mesh_quantization"], extensionsRequired=["KHR_mesh_quantization"],
    **scene([{"name": "triangle", "mesh": 0, "scale": [10, 10, 10]}]),
)
short = m.view(pack(I16, [0, 0, 0, 0, 32767, 0, 0, 0, 0, -32767, 0, 0]), byteStride=8)
m.json["meshes"] = [mesh({"POSITION": m.add({
    "bufferView": short, "componentType": I16, "count": 3, "type": "VEC3", "normalized": True,
    "min": [0, -32767, 0], "max": [32767, 0, 0],
})})]
m.gltf("quantized-i16-positions.gltf")

m = Model(**scene([{"name": "all modes", "mesh": 0}]))
where = m.positions(QUAD)
m.json["meshes"] = [{"primitives": [{"attributes": {"POSITION": where}, "mode": mode} for mode in range(7)]}]
m.gltf("primitive-modes.gltf")

# Compressed. The Draco stream was written by draco3dgltf 1.5.7: two triangles with positions,
# colors of bytes, and one float per vertex.
DRACO = bytes.fromhex(
    "445241434f02020100000002040100010201030201030009030000020204000104090100020201000001"
    "01000b03012001101b01100300a09088110000ff0300000000ff03000000010100060301100120070110"
    "03009090698021217400000000ff0000000000003f0000803e000080bf00004040000000000000000000"
    "0000000000803f0a"
)
m = Model(
    extensionsUsed=["KHR_draco_mesh_compression"], extensionsRequired=["KHR_draco_mesh_compression"],
    **scene([{"name": "quad", "mesh": 0}]),
)
m.json["meshes"] = [mesh(
    {
        "POSITION": m.add({"componentType": F32, "count": 4, "type": "VEC3"}),
        "COLOR_0": m.add({"componentType": U8, "count": 4, "type": "VEC4", "normalized": True}),
    },
    indices=m.add({"componentType": U16, "count": 6, "type": "SCALAR"}),
    extensions={"KHR_draco_mesh_compression": {
        "bufferView": m.view(DRACO), "attributes": {"POSITION": 0, "COLOR_0": 1},
    }},
)]
m.glb("draco-quad.glb")

m = Model(
    extensionsUsed=["EXT_meshopt_compression"], extensionsRequired=["EXT_meshopt_compression"],
    **scene([{"name": "quad", "mesh": 0}]),
)
packed = meshopt_vertices([pack(F32, QUAD[3 * i : 3 * i + 3]) for i in range(4)])
view = m.view(packed)
m.views[view] = {
    "buffer": 1, "byteLength": 48, "byteStride": 12,
    "extensions": {"EXT_meshopt_compression": {
        "buffer": 0, "byteOffset": 0, "byteLength": len(packed), "byteStride": 12, "count": 4,
        "mode": "ATTRIBUTES",
    }},
}
m.json["meshes"] = [mesh(
    {"POSITION": m.add({
        "bufferView": view, "componentType": F32, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [2, 1, 0],
    })},
    indices=m.accessor(U16, "SCALAR", QUAD_INDICES),
)]
m.glb("meshopt-quad.glb", buffers=[
    {"byteLength": 48, "extensions": {"EXT_meshopt_compression": {"fallback": True}}},
])

# Skins, morph targets, animations.

BEND = [0, 0, 0, 1, 0, 0, 0, 2, 0]


def skinned(weights, component, **members):
    m = Model(**scene([
        {"name": "body", "mesh": 0, "skin": 0},
        {"name": "hip", "children": [2]},
        {"name": "knee", "translation": [0, 1, 0]},
    ]))
    m.json["meshes"] = [mesh({
        "POSITION": m.positions(BEND),
        "JOINTS_0": m.accessor(U8, "VEC4", [0, 1, 0, 0] * 3),
        "WEIGHTS_0": m.accessor(component, "VEC4", weights, **members),
    })]
    knee = IDENTITY[:13] + [-1] + IDENTITY[14:]
    binds = m.accessor(F32, "MAT4", IDENTITY + knee)
    m.json["skins"] = [{"name": "legs", "joints": [1, 2], "inverseBindMatrices": binds, "skeleton": 1}]
    return m


skinned([1, 0, 0, 0, 0.5, 0.5, 0, 0, 0, 1, 0, 0], F32).gltf("skin-two-joints.gltf")
skinned([255, 0, 0, 0, 51, 204, 0, 0, 0, 255, 0, 0], U8, normalized=True).gltf("normalized-u8-weights.gltf")

m = skinned([1, 0, 0, 0, 0.5, 0.5, 0, 0, 0, 1, 0, 0], F32)
del m.json["nodes"][1]["children"]
m.json["scenes"][0]["nodes"] = [0, 1, 2]
del m.json["skins"][0]["skeleton"]
m.gltf("warning-joints-without-common-root.gltf")

m = Model(**scene([{"name": "face", "mesh": 0, "weights": [0.25, 0.5]}]))
m.json["meshes"] = [{
    **mesh({"POSITION": m.positions(TRIANGLE)}, targets=[
        {"POSITION": m.positions([0, 0, 1] * 3)}, {"POSITION": m.positions([0, 2, 0] * 3)},
    ]),
    "weights": [0, 1],
    "extras": {"targetNames": ["smile", "frown"]},
}]
m.json["animations"] = [{
    "name": "talk",
    "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
    "samplers": [{
        "input": m.accessor(F32, "SCALAR", [0, 1, 2], bounds=True),
        "output": m.accessor(F32, "SCALAR", [0, 0, 1, 0.5, 0, 1]),
    }],
}]
m.gltf("morph-weights-animation.gltf")

m = Model(**scene([{"name": "box"}]))
m.json["animations"] = [{
    "name": "hop",
    "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
    "samplers": [{
        "input": m.accessor(F32, "SCALAR", [0, 2], bounds=True),
        # In-tangent, value, out-tangent of each key: leaves upwards at 4 per second.
        "output": m.accessor(F32, "VEC3", [0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0]),
        "interpolation": "CUBICSPLINE",
    }],
}]
m.gltf("cubic-spline-animation.gltf")

m = Model(**scene([{"name": "door"}, {"name": "lamp"}]))
times = m.accessor(F32, "SCALAR", [0, 1], bounds=True)
m.json["animations"] = [{
    "channels": [
        {"sampler": 0, "target": {"node": 0, "path": "rotation"}},
        {"sampler": 1, "target": {"node": 1, "path": "scale"}},
    ],
    "samplers": [
        {"input": times, "output": m.accessor(F32, "VEC4", [0, 0, 0, 1, 0, 1, 0, 0])},
        {"input": times, "output": m.accessor(F32, "VEC3", [1, 1, 1, 3, 3, 3]), "interpolation": "STEP"},
    ],
}]
m.gltf("linear-rotation-and-step-scale-animation.gltf")

# Cameras, lights, instances.

Model(
    cameras=[{"name": "eye", "type": "perspective", "perspective": {"yfov": 0.75, "znear": 0.125}}],
    **scene([{"name": "tripod", "camera": 0, "translation": [0, 1, 5]}]),
).gltf("camera-perspective-infinite.gltf")

Model(
    cameras=[
        {"type": "orthographic", "orthographic": {"xmag": 3, "ymag": 2, "znear": 0, "zfar": 50}},
        {"type": "perspective", "perspective": {"yfov": 1, "znear": 1, "zfar": 9, "aspectRatio": 1.5}},
    ],
    **scene([{"name": "plan", "camera": 0}, {"name": "view", "camera": 1}]),
).gltf("camera-orthographic-and-perspective.gltf")

Model(
    extensionsUsed=["KHR_lights_punctual"],
    extensions={"KHR_lights_punctual": {"lights": [
        {"name": "sun", "type": "directional", "color": [1, 0.5, 0.25], "intensity": 3},
        {"type": "point", "range": 10, "intensity": 40},
        {"type": "spot", "spot": {"innerConeAngle": 0.25, "outerConeAngle": 0.5}},
    ]}},
    **scene([
        {"name": n, "extensions": {"KHR_lights_punctual": {"light": i}}} for i, n in enumerate(["sun", "bulb", "torch"])
    ]),
).gltf("lights-punctual.gltf")

m = Model(extensionsUsed=["EXT_mesh_gpu_instancing"])
moves = m.accessor(F32, "VEC3", [0, 0, 0, 3, 0, 0])
turns = m.accessor(F32, "VEC4", [0, 0, 0, 1, 0, 1, 0, 0])
m.json.update(scene([{
    "name": "two triangles", "mesh": 0,
    "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": moves, "ROTATION": turns}}},
}]))
m.json["meshes"] = [mesh({"POSITION": m.positions(TRIANGLE)})]
m.gltf("instancing-ext.gltf")

# Materials.


def painted(materials, **members):
    m = Model(**members, materials=materials)
    m.json.update(scene([{"name": "triangle", "mesh": 0}]))
    attributes = {
        "POSITION": m.positions(TRIANGLE),
        "TEXCOORD_0": m.accessor(F32, "VEC2", [0, 0, 1, 0, 0, 1]),
    }
    m.json["meshes"] = [{"primitives": [
        {"attributes": attributes, "material": index} for index in range(len(materials))
    ]}]
    return m


painted([
    {"name": "opaque", "pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0, 1], "metallicFactor": 0}},
    {"name": "mask", "alphaMode": "MASK", "alphaCutoff": 0.25, "doubleSided": True},
    {"name": "blend", "alphaMode": "BLEND", "pbrMetallicRoughness": {"roughnessFactor": 0.5}},
    {"name": "unlit", "emissiveFactor": [0, 0, 1], "extensions": {"KHR_materials_unlit": {}}},
], extensionsUsed=["KHR_materials_unlit"]).gltf("material-alpha-modes-and-unlit.gltf")

painted([{
    "name": "glass",
    "emissiveFactor": [1, 1, 1],
    "extensions": {
        "KHR_materials_ior": {"ior": 1.25},
        "KHR_materials_emissive_strength": {"emissiveStrength": 4},
        "KHR_materials_transmission": {"transmissionFactor": 0.75},
        "KHR_materials_clearcoat": {"clearcoatFactor": 0.5, "clearcoatRoughnessFactor": 0.125},
    },
}], extensionsUsed=[
    "KHR_materials_ior", "KHR_materials_emissive_strength", "KHR_materials_transmission",
    "KHR_materials_clearcoat",
]).gltf("material-extensions.gltf")

painted(
    [{"name": "brick", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0, "extensions": {
        "KHR_texture_transform": {"offset": [0.5, 0.25], "rotation": 1.5, "scale": [2, 3]},
    }}}}],
    extensionsUsed=["KHR_texture_transform"],
    images=[{"name": "one red pixel", "uri": png(255, 0, 0)}],
    samplers=[{"magFilter": 9728, "wrapS": 33071, "wrapT": 33648}],
    textures=[{"source": 0, "sampler": 0}],
).gltf("texture-transform.gltf")

# Broken.

Model(scenes=[{"nodes": [0]}], nodes=[{"children": [1]}, {"children": [2]}, {"children": [0]}]).gltf("broken-cycle.gltf")

Model(
    scenes=[{"nodes": [0, 1]}], nodes=[{"children": [2]}, {"children": [2]}, {"name": "child of two"}],
).gltf("broken-two-parents.gltf")

m = Model(**scene([{"mesh": 0}]))
m.json["meshes"] = [mesh({"POSITION": m.positions(TRIANGLE)})]
m.accessors[0]["count"] = 4
m.gltf("broken-accessor-out-of-bounds.gltf")

m = Model(**scene([{"mesh": 0}]))
m.json["meshes"] = [mesh({"POSITION": m.positions(TRIANGLE)}, indices=m.accessor(U8, "SCALAR", [0, 1, 3]))]
m.gltf("broken-index-out-of-range.gltf")

m = Model(**scene([{"name": "quad", "mesh": 0}]))
m.json["meshes"] = [mesh({"POSITION": m.positions(QUAD)})]
m.glb("broken-truncated.glb")
with open(os.path.join(HERE, "broken-truncated.glb"), "rb+") as file:
    file.truncate(os.path.getsize(file.name) - 20)

Model(extensionsUsed=["VENDOR_needed"], extensionsRequired=["VENDOR_needed"]).gltf("broken-required-extension.gltf")

m = Model()
m.view(pack(F32, TRIANGLE))
m.gltf("broken-uri-above-directory.gltf", uri="../outside.bin")

write("broken-json.gltf", b'{"asset": {"version": "2.0"}, "nodes": [{"name": "no end"}\n')
