// Runs the Khronos validator over many files.
//
// Without a baseline an error fails. With one, a file may keep the errors and warnings of the
// original it was written from, but no code may occur more often than there.
//
// Exit codes: 0 success, 1 a file failed, 2 could not run.

import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import validator from 'gltf-validator';
import { models, originalOf, resourcePath } from './models.mjs';

const USAGE = 'usage: node validate.mjs [--baseline DIR] [--json] FILE_OR_DIR...';
const SEVERITIES = ['error', 'warning'];

try {
    const { values, positionals } = parseArgs({
        allowPositionals: true,
        options: { baseline: { type: 'string' }, json: { type: 'boolean' } },
    });
    if (positionals.length === 0) throw new Error(USAGE);
    process.exitCode = await main(positionals, values.baseline, values.json);
} catch (error) {
    console.error(error.message);
    process.exitCode = 2;
}

async function main(roots, baseline, asJson) {
    const files = await models(roots);
    if (files.length === 0) throw new Error(`no .gltf or .glb in ${roots.join(', ')}`);
    const originals = baseline === undefined ? [] : await models([baseline]);

    const reports = [];
    for (const file of files) {
        const report = await judge(file, originalOf(file, originals));
        if (!asJson) print(report, baseline !== undefined);
        reports.push(report);
    }

    const failed = reports.filter((report) => report.failures.length > 0);
    if (asJson) {
        console.log(JSON.stringify({ validator: validator.version(), failed: failed.length, files: reports }, null, 2));
    } else {
        console.log(`${reports.length} files, ${failed.length} failed`);
    }
    return failed.length > 0 ? 1 : 0;
}

/** Returns the issues of a file, and those that make it fail. */
async function judge(file, original) {
    const issues = await validate(file.path);
    const here = countCodes(issues);
    const before = original === undefined ? new Map() : countCodes(await validate(original.path));
    const count = (severity) => issues.filter((issue) => issue.severity === severity).length;

    const failures = [];
    for (const [code, { severity, count }] of here) {
        const allowed = before.get(code)?.count ?? 0;
        // Without a baseline a warning does not fail.
        if (count > allowed && (severity === 'error' || original !== undefined)) {
            failures.push({ code, severity, count, allowed });
        }
    }
    return {
        name: file.name,
        original: original?.name ?? null,
        errors: count('error'),
        warnings: count('warning'),
        issues,
        failures,
    };
}

/** Returns the errors and warnings of a file. If the validator cannot read it or crashes, that is an error, too. */
async function validate(path) {
    try {
        const bytes = new Uint8Array(await readFile(path));
        const report = await catchingAll(() => validator.validateBytes(bytes, {
            maxIssues: 0,
            writeTimestamp: false,
            externalResourceFunction: async (uri) => new Uint8Array(await readFile(resourcePath(path, uri))),
        }));
        return report.issues.messages
            .filter((issue) => issue.severity < SEVERITIES.length)
            .map((issue) => ({
                severity: SEVERITIES[issue.severity],
                code: issue.code,
                pointer: issue.pointer ?? `byte ${issue.offset ?? '?'}`,
                message: issue.message,
            }));
    } catch (error) {
        return [{ severity: 'error', code: 'VALIDATOR_GAVE_UP', pointer: '', message: String(error.message ?? error) }];
    }
}

/** The validator throws outside of its promise when its stack is exhausted, at some thousand nodes in a chain. */
function catchingAll(run) {
    return new Promise((resolve, reject) => {
        process.once('uncaughtException', reject);
        run().then(resolve, reject).finally(() => process.off('uncaughtException', reject));
    });
}

function countCodes(issues) {
    const counts = new Map();
    for (const { code, severity } of issues) {
        counts.set(code, { severity, count: (counts.get(code)?.count ?? 0) + 1 });
    }
    return counts;
}

function print(report, compared) {
    const against = compared && report.original === null ? ', no original' : '';
    console.log(`${report.name}: ${report.errors} errors, ${report.warnings} warnings${against}`);
    for (const { severity, code, pointer, message } of report.issues) {
        console.log(`    ${severity} ${code} ${pointer}: ${message}`);
    }
    for (const { code, severity, count, allowed } of report.failures) {
        console.log(`    FAILED: ${severity} ${code} occurs ${count} times, ${allowed} allowed`);
    }
}
