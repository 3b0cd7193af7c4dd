// Tests that the checks fail when they should, on copies of the sample models, each with one defect.
// `npm test`; the models are in PLEACH_ASSETS.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { describe } from './describe.mjs';
import { differences } from './difference.mjs';
import { load } from './load.mjs';
import { models } from './models.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const assets = path.resolve(here, process.env.PLEACH_ASSETS ?? '../../../shared/assets');
const scratch = await mkdtemp(path.join(os.tmpdir(), 'gltf-js-'));
after(() => rm(scratch, { recursive: true }));

test('identical models pass both checks', () => {
    assert.equal(run('validate.mjs', '--baseline', assets, assets).code, 0);
    const { code, out } = run('read.mjs', '--compare', '--missing', '', assets, assets);
    assert.equal(code, 0, out);
    assert.match(out, / 0 that three.js cannot read, 0 failed/);
});

test('the reader agrees with the reference answers', async () => {
    for (const { name, path: file } of await models([assets])) {
        const expected = JSON.parse(await readFile(path.join(path.dirname(file), 'expected.json')));
        if (expected.outcome !== 'load') continue;
        const read = await describe((await load(file)).gltf);
        const brief = {
            worlds: expected.nodes.map((node) => node.world),
            joints: expected.skins.map((skin) => skin.joints),
            durations: expected.animations.map((animation) => animation.duration),
            tracks: expected.animations.map((animation) => animation.channels),
        };
        const ours = {
            worlds: read.nodes.map((node) => node.world),
            joints: read.skins.map((skin) => skin.nodes),
            durations: read.animations.map((animation) => animation.duration),
            tracks: read.animations.map((animation) => animation.trackCount),
        };
        assert.deepEqual(differences(brief, ours, { tolerance: 2e-6 }), [], name);
    }
});

test('a moved node is named', async () => {
    const { code, out } = await compareDamaged('Own_Shear', (json) => {
        const node = json.nodes.find((each) => each.translation);
        node.translation[0] += 1e-3;
    });
    assert.equal(code, 1, out);
    assert.match(out, /nodes\[\d+\]\.world\[12\]: /);
});

test('rounding to f32 is not a difference', async () => {
    const { code, out } = await compareDamaged('Own_DeepChain', (json) => {
        for (const node of json.nodes) {
            for (const key of ['translation', 'rotation', 'scale']) node[key] = node[key]?.map(Math.fround);
        }
    });
    assert.equal(code, 0, out);
});

test('shear counts, though three.js drops it', async () => {
    const { code, out } = await compareDamaged('Own_Shear', (json) => {
        json.nodes.find((each) => each.matrix).matrix[4] += 0.01;
    });
    assert.equal(code, 1, out);
});

test('one changed vertex, joint matrix, key, or byte of an image is found', async () => {
    for (const [model, file, at, expected] of [
        ['SimpleMeshes', 'SimpleMeshes.bin', 23, /attributes\.position/],
        ['SimpleMeshes', 'SimpleMeshes.bin', 2, /index/],
        ['SimpleSkin', 'SimpleSkin_inverseBindMatrices.bin', 119, /skins\[0\]\.inverseBind/],
        ['SimpleSkin', 'SimpleSkin_animation.bin', 90, /animations\[0\]\.tracks\[0\]\.values/],
        ['TextureTransformTest', 'UV.png', 200, /material\.map\.sha256/],
    ]) {
        const { original, copy } = await copyOf(model);
        const bytes = await readFile(path.join(copy, file));
        bytes[at] ^= 0x11;
        await writeFile(path.join(copy, file), bytes);
        const { code, out } = run('read.mjs', '--compare', original, copy);
        assert.equal(code, 1, `${file}: ${out}`);
        assert.match(out, expected);
    }
});

test('a changed name, parent, light, camera or material is found', async () => {
    for (const [model, expected, damage] of [
        ['Own_Shear', /nodes\[0\]\.name/, (json) => { json.nodes[0].name = 'other'; }],
        ['SimpleSkin', /nodes\[2\]\.parent/, (json) => { delete json.nodes[1].children; }],
        ['LightVisibility', /light.*intensity/, (json) => { json.extensions.KHR_lights_punctual.lights[0].intensity = 3; }],
        ['Cameras', /camera.*near/, (json) => { json.cameras[0].perspective.znear = 0.02; }],
        ['TextureTransformTest', /material\.side/, (json) => { json.materials[0].doubleSided = true; }],
        ['MultipleScenes', /scenes\[1\]\.roots/, (json) => { json.scenes[1].nodes = json.scenes[0].nodes; }],
    ]) {
        const { code, out } = await compareDamaged(model, damage);
        assert.equal(code, 1, `${model}: ${out}`);
        assert.match(out, expected);
    }
});

test('a glb is compared with its gltf', async () => {
    const directory = path.join(scratch, 'glb');
    await mkdir(directory);
    const glb = await readFile(path.join(assets, 'Box', 'Box.glb'));
    const length = glb.readUInt32LE(12);
    const json = JSON.parse(glb.subarray(20, 20 + length));
    const binary = glb.subarray(28 + length, 28 + length + json.buffers[0].byteLength);
    json.buffers[0].uri = `data:application/octet-stream;base64,${binary.toString('base64')}`;
    await writeFile(path.join(directory, 'Box.gltf'), JSON.stringify(json));

    const box = path.join(assets, 'Box');
    assert.equal(run('read.mjs', '--compare', '--missing', '', box, directory).code, 0);
    const { code, out } = run('validate.mjs', '--baseline', box, directory);
    assert.equal(code, 0);
    assert.doesNotMatch(out, /no original/);
});

test('the validator refuses an accessor beyond its buffer, with and without a baseline', async () => {
    const { original, copy } = await damaged('Triangle', (json) => { json.accessors[1].count = 300; });
    for (const args of [[copy], ['--baseline', original, copy]]) {
        const { code, out } = run('validate.mjs', ...args);
        assert.equal(code, 1, out);
        assert.match(out, /error ACCESSOR_TOO_LONG \/accessors\/1/);
    }
});

test('a new warning fails against the original only, an existing error does not', async () => {
    const { original, copy } = await damaged('RiggedSimple', (json) => {
        json.nodes.find((node) => node.skin !== undefined).translation = [1, 0, 0];
    });
    assert.equal(run('validate.mjs', copy).code, 0);
    const { code, out } = run('validate.mjs', '--baseline', original, copy);
    assert.equal(code, 1, out);
    assert.match(out, /FAILED: warning NODE_SKINNED_MESH_LOCAL_TRANSFORMS occurs 1 times, 0 allowed/);

    const { copy: broken } = await damaged('Triangle', (json) => { json.accessors[1].count = 300; });
    assert.equal(run('validate.mjs', '--baseline', broken, broken).code, 0);
});

test('a missing buffer fails both checks', async () => {
    const { original, copy } = await copyOf('Triangle');
    await rm(path.join(copy, 'Triangle.bin'));
    assert.equal(run('validate.mjs', '--baseline', original, copy).code, 1);
    const { code, out } = run('read.mjs', '--compare', original, copy);
    assert.equal(code, 1);
    assert.match(out, /Failed to load buffer "Triangle\.bin"/);
});

test('a file that is not a model fails both checks', async () => {
    const { original, copy } = await copyOf('Triangle');
    await writeFile(path.join(copy, 'Triangle.gltf'), 'hello');
    assert.equal(run('validate.mjs', copy).code, 1);
    assert.equal(run('read.mjs', '--compare', original, copy).code, 1);
});

test('nothing to compare is a failure, and so is an original that is unexpectedly not written', async () => {
    const empty = path.join(scratch, 'empty');
    await mkdir(empty);
    assert.equal(run('validate.mjs', empty).code, 2);
    assert.equal(run('read.mjs', '--compare', assets, empty).code, 1);

    const few = path.join(scratch, 'few');
    await copyTree(path.join(assets, 'Box'), path.join(few, 'Box'));
    const both = path.join(scratch, 'both');
    for (const name of ['Box', 'Triangle']) await copyTree(path.join(assets, name), path.join(both, name));
    assert.equal(run('read.mjs', '--compare', both, few).code, 0);
    assert.equal(run('read.mjs', '--compare', '--missing', '', both, few).code, 1);
    assert.equal(run('read.mjs', '--compare', '--missing', 'Triangle/Triangle', both, few).code, 0);
    assert.equal(run('read.mjs', '--compare', '--missing', 'Triangle/Triangle', both, both).code, 1);
});

function run(script, ...args) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(here, script), ...args], { encoding: 'utf8' });
    return { code: status, out: stdout + stderr };
}

/** Copies the directory of a sample model. */
async function copyOf(model) {
    const original = path.join(assets, model);
    assert.ok(existsSync(original), `no ${original}: set PLEACH_ASSETS`);
    const copy = await mkdtemp(path.join(scratch, 'copy-'));
    await copyTree(original, copy);
    return { original, copy };
}

/** Copies without `cp`, which keeps permissions: the samples may be read-only. */
async function copyTree(from, to) {
    await mkdir(to, { recursive: true });
    for (const entry of await readdir(from, { withFileTypes: true })) {
        const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
        await (entry.isDirectory() ? copyTree(source, target) : writeFile(target, await readFile(source)));
    }
}

/** Copies a sample model and changes its JSON. */
async function damaged(model, damage) {
    const { original, copy } = await copyOf(model);
    const file = path.join(copy, `${model}.gltf`);
    const json = JSON.parse(await readFile(file));
    damage(json);
    await writeFile(file, JSON.stringify(json));
    return { original, copy };
}

async function compareDamaged(model, damage) {
    const { original, copy } = await damaged(model, damage);
    return run('read.mjs', '--compare', original, copy);
}
