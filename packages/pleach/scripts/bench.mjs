// Measures pleach beside three.js, in node and in headless Chromium, with the code of site/measure.ts. Prints a Markdown table and
// writes docs/benchmarks/browser.md. `--nodes=N`, `--rounds=N`, `--only=updates,files`, `--node` or `--chromium` alone, `--dry` writes nothing,
// `--sizes` only writes the sizes of the last build to the README.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { launch, serve } from './chromium.mjs';
import { alias, buildSite, siteOutput } from './site.mjs';
import { packageRoot } from './wasm.mjs';

const option = (name) => process.argv.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3);
const has = (name) => process.argv.includes(`--${name}`);
const nodes = Number(option('nodes') ?? 100_000);
const plan = { nodes, rounds: Number(option('rounds') ?? 11), sample: 8 };
const only = option('only')?.split(',');
const inNode = !has('chromium');
const inChromium = !has('node');
const isComplete = only === undefined && nodes === 100_000 && inNode && inChromium;

/** Measures in this process. */
async function runInNode() {
	const out = join(packageRoot, 'build/bench/measure.mjs');
	await build({
		absWorkingDir: packageRoot,
		stdin: {
			contents: "export { measure } from './site/measure.ts'; export { init } from 'pleach';",
			resolveDir: packageRoot,
		},
		outfile: out,
		bundle: true,
		format: 'esm',
		platform: 'node',
		target: 'node20',
		alias,
	});
	globalThis.self ??= globalThis;
	const { measure, init } = await import(pathToFileURL(out).href);
	await init(readFileSync(join(packageRoot, 'generated/pleach_bg.wasm')));
	return measure({ ...plan, only: only && ((id) => only.includes(id)), onResult: progress('node') });
}

/** Measures in a page. */
async function runInChromium() {
	await buildSite();
	const server = await serve({ '/': siteOutput });
	const browser = await launch();
	try {
		const { page, errors } = await browser.open(`${server.url}/bench.html`);
		page.setDefaultTimeout(600_000);
		await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
		await page.exposeFunction('progress', progress('chromium'));
		const results = await page.evaluate(
			([plan, only]) =>
				globalThis.run({ ...plan, only: only && ((id) => only.includes(id)), onResult: globalThis.progress }),
			[plan, only],
		);
		if (errors.length > 0) throw new Error(errors.join('\n'));
		return { results, version: await page.evaluate(fullVersion) };
	} finally {
		await browser.close();
		server.close();
	}
}

/** Runs in the page: the user agent has only the first number of the version. */
async function fullVersion() {
	const { fullVersionList } = await navigator.userAgentData.getHighEntropyValues(['fullVersionList']);
	return fullVersionList.find(({ brand }) => brand.startsWith('Chrom'))?.version;
}

function progress(where) {
	return ({ id, pleach, three, note }) => {
		const ratio = three === null ? '' : `${time(three)}, ${number(three / pleach)} ×`;
		console.error(`${where} ${id}: ${time(pleach)} ${ratio} ${note ?? ''}`);
	};
}

function number(value) {
	return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(2)));
}

function time(ms) {
	if (ms >= 1) return `${Number(ms.toPrecision(3))} ms`;
	if (ms >= 0.001) return `${Number((ms * 1000).toPrecision(3))} µs`;
	return `${Number((ms * 1e6).toPrecision(2))} ns`;
}

function demand({ must }) {
	if (must === undefined) return '';
	if (must.ratio !== undefined) return must.ratio === 1 ? 'not slower' : `≥ ${must.ratio} ×`;
	return `≤ ${time(must.ms)}`;
}

function verdict({ pleach, three, must }) {
	if (must === undefined) return '';
	const isMet = must.ratio === undefined ? pleach <= must.ms : three / pleach >= must.ratio;
	return isMet ? 'met' : '**missed**';
}

function table(results) {
	const lines = ['| workload | pleach | three.js | ratio | must | |', '| --- | --: | --: | --: | --- | --- |'];
	for (const result of results) {
		const { workload, peer, pleach, three } = result;
		const what = peer === 'three.js' ? workload : `${workload}; against ${peer}`;
		const cells = [
			what,
			time(pleach),
			three === null ? '–' : time(three),
			three === null ? '–' : `${number(three / pleach)} ×`,
		];
		lines.push(`| ${cells.join(' | ')} | ${demand(result)} | ${verdict(result)} |`);
	}
	return lines.join('\n');
}

/** Sizes after gzip, of the files that `npm run build` wrote. */
function sizes() {
	const path = join(packageRoot, 'build/sizes.json');
	if (!existsSync(path)) return 'Sizes: run `npm run build` first.';
	const all = JSON.parse(readFileSync(path, 'utf8'));
	const limits = {
		'core.wasm': 110,
		'pleach.wasm': 420,
		'webgpu.wasm': 1600,
		'core-nosimd.wasm': 110,
		'pleach-nosimd.wasm': 420,
	};
	const lines = ['| file | bytes | gzip | must | |', '| --- | --: | --: | --- | --- |'];
	for (const [name, { bytes, gzip }] of Object.entries(all)) {
		const limit = limits[name];
		const result = limit === undefined ? '' : gzip <= limit * 1000 ? 'met' : '**missed**';
		const kilobytes = `${number(gzip / 1000)} KB`;
		lines.push(
			`| \`${name}\` | ${bytes.toLocaleString('en')} | ${kilobytes} | ${limit === undefined ? '' : `≤ ${limit} KB`} | ${result} |`,
		);
	}
	return lines.join('\n');
}

function version(name) {
	return JSON.parse(readFileSync(join(packageRoot, `node_modules/${name}/package.json`), 'utf8')).version;
}

/** Writes the sizes to the README, between the marks. */
function writeSizes() {
	const readme = join(packageRoot, 'README.md');
	const all = JSON.parse(readFileSync(join(packageRoot, 'build/sizes.json'), 'utf8'));
	const lines = ['| file | after gzip |', '| --- | --: |'];
	for (const [name, { gzip }] of Object.entries(all)) lines.push(`| \`${name}\` | ${number(gzip / 1000)} KB |`);
	const text = readFileSync(readme, 'utf8').replace(
		/<!-- sizes -->[\s\S]*<!-- \/sizes -->/,
		`<!-- sizes -->\n${lines.join('\n')}\n<!-- /sizes -->`,
	);
	writeFileSync(readme, text);
}

if (has('sizes')) {
	writeSizes();
	process.exit();
}
const before = loadavg()[0];
const [node, chromium] = [inNode ? await runInNode() : null, inChromium ? await runInChromium() : null];
const after = loadavg()[0];
const processor = cpus()[0]?.model ?? 'an unknown processor';
const load = Math.max(before - 0, after - 1);
const commit = execFileSync('git', ['rev-parse', '--short=10', 'HEAD'], { cwd: packageRoot, encoding: 'utf8' }).trim();
const notes = (chromium?.results ?? node).filter(({ note }) => note !== undefined);

const text = `# The browser package and three.js

Written by \`node scripts/bench.mjs\` in \`packages/pleach\` (commit \`${commit}\`). The code is \`site/measure.ts\`; the site's page \`cost.html\` runs it with fewer nodes.

- Machine: ${cpus().length} cores of ${processor}, shared. Load average before ${before.toFixed(1)}, after ${after.toFixed(1)}: ${
	load > 0.8
		? '**other programs were running**, so trust ratios above 1.5 and no absolute time.'
		: 'nothing else of weight was running.'
}
- node ${process.version.slice(1)}${chromium === null ? '' : `, Chromium ${chromium.version} (headless)`}; three.js ${version('three')}, three-mesh-bvh ${version('three-mesh-bvh')}.
- Both do the same work in turns in one process; medians of ${plan.rounds} rounds, of 3 for files. World matrices and hits of both are compared: a difference ends the run.
- Trees have groups of 99 nodes; the 1 % that moves is chosen at random, through pleach's setters others in each call. Writing the positions is part of the time on both sides.
- Rays are measured after 2,000 others: pleach builds its tree when rays are frequent, and tests all bounds in turn before. The first ray is listed, too.

${node === null ? '' : `## node\n\n${table(node)}\n`}
${chromium === null ? '' : `## Chromium\n\n${table(chromium.results)}\n`}
${notes.map(({ workload, note }) => `- ${workload}: ${note}.`).join('\n')}

## Sizes

${sizes()}
`.replaceAll('\n\n\n', '\n\n');
console.log(text);
if (isComplete && !has('dry')) {
	writeFileSync(join(packageRoot, '../../docs/benchmarks/browser.md'), text);
	writeSizes();
}
