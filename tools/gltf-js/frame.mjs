// The game frame of `peers` (see peers/README.md) in three.js, without a renderer: edits, world matrices,
// frustum culling, and the draws sorted by material.
//
// A process with a scene: it replies to each line on its standard input with a line, as the workers of
// `peers` do. `open FILE` builds the scene from a JSON file that `peers` writes, `run MOTION FRAMES` replies
// with the median nanoseconds of the frame and of its four stages, `drawn` with meshes and materials.

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { BoxGeometry, Frustum, Group, Matrix4, Mesh, MeshBasicMaterial, PerspectiveCamera, REVISION, Scene } from 'three';

/** The scene, the data of its file, and the number of the next frame. */
let game = null;

const COMMANDS = {
    version: () => `three.js r${REVISION}, Node ${process.version}`,
    open(file) {
        game = open(JSON.parse(readFileSync(file, 'utf8')));
        return 'done';
    },
    close() {
        game = null;
        globalThis.gc?.();
        return 'done';
    },
    run(motion, frames) {
        const times = Array.from({ length: Number(frames) }, () => frame(motion));
        const totals = times.map(stages => stages.reduce((sum, time) => sum + time));
        const stages = times[0].map((_, stage) => median(times.map(stages => stages[stage])));
        return [median(totals), ...stages].map(milliseconds => milliseconds * 1e6).join(' ');
    },
    drawn: () => game.draws.map(mesh => `${mesh.userData.number} ${mesh.material.userData.number}`).join(' '),
};

for await (const line of createInterface({ input: process.stdin })) {
    const [command, ...words] = line.split(' ');
    if (command === 'quit') break;
    console.log(COMMANDS[command](...words));
}
process.exit(); // Standard input may still be open.

function open(data) {
    const scene = new Scene();
    const camera = new PerspectiveCamera(data.fovY, data.aspect, data.near, data.far);
    scene.add(camera);
    const geometries = data.halfExtents.map(([x, y, z]) => {
        const geometry = new BoxGeometry(2 * x, 2 * y, 2 * z);
        geometry.computeBoundingSphere();
        return geometry;
    });
    const materials = Array.from({ length: data.materialCount }, (_, number) => {
        const material = new MeshBasicMaterial();
        material.userData.number = number;
        return material;
    });
    const opened = {
        data, scene, camera, geometries, materials, step: 0, nodes: [], visible: [], draws: [],
        frustum: new Frustum(), clipFromWorld: new Matrix4(),
    };
    for (const [node, parent] of data.creation) spawn(opened, node, parent, 0);
    scene.updateMatrixWorld();
    return opened;
}

function spawn({ data, scene, geometries, materials, nodes }, number, parent, step) {
    const isMesh = data.materials[number] >= 0;
    const node = isMesh ? new Mesh(geometries[data.geometries[number]], materials[data.materials[number]]) : new Group();
    node.userData.number = number;
    // Only nodes whose transforms are set compose their matrices.
    node.matrixAutoUpdate = false;
    setTransform(data, node, number, step);
    (parent < 0 ? scene : nodes[parent]).add(node);
    nodes[number] = node;
}

/** The same as `Field::local`. */
function setTransform(data, node, number, step) {
    const offset = number % data.areaNodes;
    let [x, y, z] = data.homes[offset];
    if (offset === 0) {
        const position = data.positions[number / data.areaNodes];
        x += position[0];
        y += position[1];
    }
    const phase = (number + step * 5) & 63;
    const drift = phase / 256;
    const [i, j, k, w] = data.rotations[phase];
    node.position.set(x + drift, y, z - drift);
    node.quaternion.set(i, j, k, w);
    node.scale.setScalar(1 + 0.25 * drift);
    node.updateMatrix();
}

function frame(motion) {
    const index = game.step % game.data.period;
    const start = performance.now();
    edit(index, motion);
    const edited = performance.now();
    game.scene.updateMatrixWorld();
    const updated = performance.now();
    cull();
    const culled = performance.now();
    game.draws = game.visible.sort((a, b) => a.material.id - b.material.id);
    const listed = performance.now();
    game.step += 1;
    return [edited - start, updated - edited, culled - updated, listed - culled];
}

function edit(index, motion) {
    const { data, nodes, camera, step } = game;
    if (motion === 'wild') {
        for (let number = 0; number < nodes.length; number += 1) setTransform(data, nodes[number], number, step);
    } else {
        for (const number of data.moved[motion][index]) setTransform(data, nodes[number], number, step);
    }
    for (const [node, parent] of data.attached[index]) nodes[parent].add(nodes[node]);
    for (const [mesh] of data.replaced[index]) nodes[mesh].removeFromParent();
    for (const [mesh, parent] of data.replaced[index]) spawn(game, mesh, parent, step);
    const { position, rotation } = data.cameras[index];
    camera.position.fromArray(position);
    camera.quaternion.fromArray(rotation);
}

/** Tests each mesh as WebGLRenderer does: its bounding sphere. */
function cull() {
    const { camera, clipFromWorld, frustum, scene } = game;
    clipFromWorld.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    frustum.setFromProjectionMatrix(clipFromWorld);
    const visible = [];
    project(scene, frustum, visible);
    game.visible = visible;
}

function project(node, frustum, visible) {
    if (node.visible === false) return;
    if (node.isMesh && frustum.intersectsObject(node)) visible.push(node);
    const children = node.children;
    for (let index = 0; index < children.length; index += 1) project(children[index], frustum, visible);
}

function median(numbers) {
    const sorted = [...numbers].sort((a, b) => a - b);
    return sorted[sorted.length >> 1];
}
