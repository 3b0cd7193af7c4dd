// Lists the model files below a path, and finds the original of a written file and the files that a
// model refers to. Names are relative to the path given, with `/`.

import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

const MODEL = /\.(gltf|glb)$/i;

/** Returns the models among `roots` (files, or directories searched all the way down), by name: `{ name, path }`. */
export async function models(roots) {
    const found = [];
    for (const root of roots) {
        if ((await stat(root)).isDirectory()) {
            await walk(root, '', found);
        } else {
            found.push({ name: path.basename(root), path: root });
        }
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

async function walk(root, below, found) {
    for (const entry of await readdir(path.join(root, below), { withFileTypes: true })) {
        const name = path.posix.join(below, entry.name);
        if (entry.isDirectory()) {
            await walk(root, name, found);
        } else if (MODEL.test(entry.name)) {
            found.push({ name, path: path.join(root, name) });
        }
    }
}

/** Returns a model's name without `.gltf` or `.glb`. */
export const stem = (name) => name.replace(MODEL, '');

/** Returns the original that `model` was written from: the same name, else the same stem. */
export function originalOf(model, originals) {
    return originals.find((each) => each.name === model.name)
        ?? originals.find((each) => stem(each.name) === stem(model.name));
}

/** Returns the path of the file that the model at `modelPath` refers to as `uri`. */
export function resourcePath(modelPath, uri) {
    return path.resolve(path.dirname(modelPath), decodeURIComponent(uri));
}
