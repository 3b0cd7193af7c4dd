// Prints what three.js reads from a file, or compares what it reads from two trees of files.
//
// Exit codes: 0 success, 1 a file differs or cannot be read, 2 could not run.

import { parseArgs } from 'node:util';
import { describe } from './describe.mjs';
import { differences } from './difference.mjs';
import { load } from './load.mjs';
import { models, originalOf, stem } from './models.mjs';

const USAGE = `usage: node read.mjs FILE...
       node read.mjs --compare [--tolerance 1e-6] [--skip KEY]... [--missing STEM,...] ORIGINALS WRITTEN`;

try {
    const { values, positionals } = parseArgs({
        allowPositionals: true,
        options: {
            compare: { type: 'boolean' },
            tolerance: { type: 'string', default: '1e-6' },
            skip: { type: 'string', multiple: true, default: [] },
            missing: { type: 'string' },
        },
    });
    if (positionals.length === 0 || (values.compare && positionals.length !== 2)) throw new Error(USAGE);
    process.exitCode = values.compare
        ? await compare(...positionals, { ...values, tolerance: Number(values.tolerance) })
        : await print(positionals);
} catch (error) {
    console.error(error.message);
    process.exitCode = 2;
}

async function print(paths) {
    const files = await models(paths);
    let failed = false;
    const descriptions = [];
    for (const { name, path } of files) {
        const { error, ...read } = await attempt(path);
        failed ||= error !== undefined;
        descriptions.push({ file: name, error, ...read });
    }
    console.log(JSON.stringify(descriptions.length === 1 ? descriptions[0] : descriptions, null, 1));
    return failed ? 1 : 0;
}

/** Compares each written file with its original. */
async function compare(originalsRoot, writtenRoot, options) {
    const originals = await models([originalsRoot]);
    const written = await models([writtenRoot]);
    const tally = { same: 0, unread: 0, failed: 0 };

    for (const file of written) {
        const { state, lines } = await compareOne(file, originalOf(file, originals), options);
        tally[state] += 1;
        console.log([`${file.name}: ${state}`, ...lines].join('\n    '));
    }

    const paired = new Set(written.map((file) => stem(file.name)));
    const missing = [...new Set(originals.map((file) => stem(file.name)))].filter((each) => !paired.has(each));
    const unexpected = unexpectedlyMissing(missing, options.missing);
    if (missing.length > 0) console.log(`not written: ${missing.join(', ')}`);
    if (unexpected.length > 0) console.log(`FAILED: --missing does not match: ${unexpected.join(', ')}`);
    console.log(`${tally.same} the same, ${tally.unread} that three.js cannot read, ${tally.failed} failed`);
    if (tally.same === 0) console.log('FAILED: nothing was compared');
    return tally.failed > 0 || tally.same === 0 || unexpected.length > 0 ? 1 : 0;
}

async function compareOne(file, original, options) {
    if (original === undefined) return { state: 'failed', lines: ['no original'] };
    const before = await attempt(original.path);
    if (before.error) return { state: 'unread', lines: [`the original: ${before.error}`] };
    const after = await attempt(file.path);
    if (after.error) return { state: 'failed', lines: [after.error] };
    const lines = differences(before, after, { ...options, skip: ['messages', ...options.skip] });
    return { state: lines.length > 0 ? 'failed' : 'same', lines };
}

/** Returns stems that are missing and not in the list, or in the list and not missing. Without a list all may be missing. */
function unexpectedlyMissing(missing, list) {
    if (list === undefined) return [];
    const expected = list.split(',').filter((each) => each !== '');
    return [...missing.filter((each) => !expected.includes(each)), ...expected.filter((each) => !missing.includes(each))];
}

/** Returns the description of a file, or `{ error }`. */
async function attempt(path) {
    try {
        const { gltf, messages } = await load(path);
        return { messages, ...(await describe(gltf)) };
    } catch (error) {
        return { error: String(error?.message ?? error) };
    }
}
