// Measures how long three.js and glTF-Transform take for one file.
//
// Each job runs in a separate process, so that its peak memory is its own and no job starts with a
// warm heap. The file's bytes are in memory before the clock starts; images are not decoded.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const USAGE = 'usage: node bench.mjs FILE.glb [--rounds N]';

/** The jobs: each creates a function to be timed. */
const JOBS = {
    async threeRead(bytes) {
        const { parse } = await import('./load.mjs');
        const buffer = new Uint8Array(bytes).buffer;
        // GLTFLoader ends with updateMatrixWorld of every scene.
        return () => parse(buffer, '');
    },
    async transformRead(bytes) {
        const io = await transformIo();
        return () => io.readBinary(bytes);
    },
    async transformWrite(bytes) {
        const io = await transformIo();
        const document = await io.readBinary(bytes);
        return () => io.writeBinary(document);
    },
};

try {
    const { values, positionals } = parseArgs({
        allowPositionals: true,
        options: { rounds: { type: 'string', default: '10' }, job: { type: 'string' } },
    });
    const [file] = positionals;
    const rounds = Number(values.rounds);
    if (positionals.length !== 1 || !file.endsWith('.glb') || !(rounds >= 1)) throw new Error(USAGE);
    const result = values.job ? await measure(values.job, file, rounds) : await measureAll(file, rounds);
    console.log(JSON.stringify(result, null, 2));
} catch (error) {
    console.error(error.message);
    process.exitCode = 2;
}

async function measureAll(file, rounds) {
    const results = { file: path.basename(file), bytes: (await readFile(file)).length, rounds, node: process.version };
    for (const job of Object.keys(JOBS)) {
        results[job] = await measureApart(job, file, rounds);
    }
    return results;
}

async function measureApart(job, file, rounds) {
    const script = fileURLToPath(import.meta.url);
    try {
        const { stdout } = await promisify(execFile)(
            process.execPath,
            [...process.execArgv, '--expose-gc', script, file, '--rounds', String(rounds), '--job', job],
        );
        return JSON.parse(stdout);
    } catch (error) {
        return { error: (error.stderr || error.message).trim() };
    }
}

async function measure(job, file, rounds) {
    const bytes = new Uint8Array(await readFile(file));
    const run = await JOBS[job](bytes);
    await run(); // Warm-up.

    const times = [];
    for (let round = 0; round < rounds; round += 1) {
        globalThis.gc?.(); // The garbage of the round before is not this one's cost.
        const start = performance.now();
        await run();
        times.push(performance.now() - start);
    }
    return { medianMs: median(times), minMs: Math.min(...times), peakRssMiB: process.resourceUsage().maxRSS / 1024 };
}

async function transformIo() {
    const { Logger, NodeIO } = await import('@gltf-transform/core');
    const { ALL_EXTENSIONS } = await import('@gltf-transform/extensions');
    const { default: draco } = await import('draco3dgltf');
    const { MeshoptDecoder } = await import('three/addons/libs/meshopt_decoder.module.js');
    return new NodeIO()
        .setLogger(new Logger(Logger.Verbosity.ERROR))
        .registerExtensions(ALL_EXTENSIONS)
        .registerDependencies({
            'draco3d.decoder': await draco.createDecoderModule(),
            'draco3d.encoder': await draco.createEncoderModule(),
            'meshopt.decoder': MeshoptDecoder,
        });
}

function median(numbers) {
    const sorted = [...numbers].sort((a, b) => a - b);
    const middle = sorted.length >> 1;
    return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
