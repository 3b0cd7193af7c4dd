// three.js' GLTFLoader in node.
//
// A browser gives it XMLHttpRequest, images and workers. Here a plugin replaces the two loaders
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

/** Reads the file with all it refers to. `messages` is what three said about it on the console. */
export async function load(file) {
    const bytes = arrayBufferOf(await readFile(file));
    const beside = `${pathToFileURL(path.dirname(path.resolve(file)))}/`;
    return listening(() => parse(bytes, beside));
}

/** Reads a model from its bytes; relative URIs start at the URL `beside`. */
export function parse(bytes, beside) {
    const loader = new GLTFLoader()
        .setMeshoptDecoder(MeshoptDecoder)
        .setDRACOLoader(dracoLoader)
        .setKTX2Loader(imageLoader)
        .register((parser) => {
            parser.fileLoader = bufferLoader;
            parser.textureLoader = imageLoader;
            return { name: 'read-in-node' };
        });
    return loader.parseAsync(bytes, beside);
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

/** A copy of its own: a Buffer may be a part of a larger one. */
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
