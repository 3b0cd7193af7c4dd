// three.js' GLTFLoader in node.
//
// In a browser it uses XMLHttpRequest, images and workers. Here a plugin replaces the two loaders
// of its parser: buffers are read from disk, images are kept as their bytes and never decoded.

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Texture } from 'three';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { dracoLoader } from './draco.mjs';

globalThis.self ??= globalThis; // GLTFLoader takes URL from it.

await MeshoptDecoder.ready;

/** Reads a file and everything it refers to. `messages` is what three printed to the console. */
export async function load(file) {
    const bytes = arrayBufferOf(await readFile(file));
    const base = `${pathToFileURL(path.dirname(path.resolve(file)))}/`;
    return listening(() => parse(bytes, base));
}

/** Reads a model from its bytes; relative URIs start at the URL `base`. */
export function parse(bytes, base) {
    const loader = new GLTFLoader()
        .setMeshoptDecoder(MeshoptDecoder)
        .setDRACOLoader(dracoLoader)
        .setKTX2Loader(imageLoader)
        .register((parser) => {
            parser.fileLoader = bufferLoader;
            parser.textureLoader = imageLoader;
            return { name: 'read-in-node' };
        });
    return loader.parseAsync(bytes, base);
}

const bufferLoader = loaderOf((bytes) => bytes);
const imageLoader = loaderOf((bytes) => new Texture({ bytes, width: 1, height: 1 }));

function loaderOf(make) {
    return { load: (url, onLoad, _onProgress, onError) => void fetchBytes(url).then(make).then(onLoad, onError) };
}

async function fetchBytes(url) {
    if (url.startsWith('file:')) return arrayBufferOf(await readFile(fileURLToPath(url)));
    if (url.startsWith('data:') || url.startsWith('blob:')) return (await fetch(url)).arrayBuffer();
    throw new Error(`not fetched: ${url}`);
}

/** Copies a Buffer, which may be a view of a larger one. */
const arrayBufferOf = (buffer) => new Uint8Array(buffer).buffer;

async function listening(run) {
    const { warn, error } = console;
    const messages = [];
    console.warn = console.error = (...words) => messages.push(words.join(' '));
    try {
        return { gltf: await run(), messages };
    } finally {
        Object.assign(console, { warn, error });
    }
}
