// The packed package in fresh directories: Vite, webpack 5, esbuild, a plain module script, a Worker and node.
// Each project is built and run; it must compute the committed hash of a recording.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as esbuild from 'esbuild';
import { build as viteBuild, createServer as viteServer } from 'vite';
import webpack from 'webpack';
import { launch, serve } from './chromium.mjs';
import { packageRoot } from './wasm.mjs';

const work = mkdtempSync(join(tmpdir(), 'pleach-projects-'));
const hashes = readFileSync(join(packageRoot, '../../tools/portable/hashes.txt'), 'utf8');
const expected = /^Browser 0 (\w+)$/m.exec(hashes)[1];

// The program of all projects, as plain JavaScript.
const recording = (
	await esbuild.transform(readFileSync(join(packageRoot, 'test/recording.ts'), 'utf8'), {
		loader: 'ts',
		target: 'es2022',
	})
).code;
const program = (entry, start = 'await init();') => `
import { init, createScene } from '${entry}';
import { recordedHash } from './recording.js';
${start}
const scene = createScene();
const crate = scene.createGroup({ name: 'crate' });
if (scene.find('crate') !== crate) throw new Error('the crate was not found');
crate.dispose();
export const hash = recordedHash(createScene(), 0);
if (typeof document === 'object') document.title = hash;
`;

const [{ filename }] = JSON.parse(
	execFileSync('npm', ['pack', '--json', '--pack-destination', work], { cwd: packageRoot, encoding: 'utf8' }),
);
console.log(`packed ${filename}`);

function project(name, files) {
	const directory = join(work, name);
	mkdirSync(directory);
	const manifest = { name, private: true, type: 'module', version: '0.0.0' };
	for (const [file, text] of Object.entries({
		'package.json': JSON.stringify(manifest),
		'recording.js': recording,
		...files,
	})) {
		writeFileSync(join(directory, file), text);
	}
	execFileSync('npm', ['install', '--no-audit', '--no-fund', '--offline', '--legacy-peer-deps', join(work, filename)], {
		cwd: directory,
		stdio: 'pipe',
	});
	return directory;
}
const page = (script) => `<!doctype html><title>waiting</title><script type="module" src="${script}"></script>`;

const browser = await launch();
const passed = [];
async function expectHash(name, url) {
	const { page, errors } = await browser.open(url);
	try {
		await page.waitForFunction(() => document.title !== 'waiting', undefined, { timeout: 30_000 });
	} catch (error) {
		throw new Error(`${name}: ${errors.join('\n') || error.message}`);
	}
	const title = await page.title();
	await page.close();
	if (title !== expected) throw new Error(`${name}: the hash is ${title}, not ${expected}: ${errors.join('\n')}`);
	passed.push(name);
	console.log(`${name}: ${title}`);
}
async function inBrowser(name, directory) {
	const server = await serve({ '/': directory });
	try {
		await expectHash(name, `${server.url}/index.html`);
	} finally {
		server.close();
	}
}

try {
	const plain = project('plain', {
		'index.html': `<!doctype html><title>waiting</title>
<script type="importmap">{ "imports": { "pleach": "./node_modules/pleach/dist/index.js" } }</script>
<script type="module" src="./main.js"></script>`,
		'main.js': program('pleach'),
	});
	await inBrowser('a plain module script', plain);

	const node = project('node', { 'main.js': `${program('pleach')}\nconsole.log(hash);` });
	const printed = execFileSync(process.execPath, ['main.js'], { cwd: node, encoding: 'utf8' }).trim();
	if (printed !== expected) throw new Error(`node: the hash is ${printed}, not ${expected}`);
	passed.push('node');
	console.log(`node: ${printed}`);

	const types = project('types', {
		'main.ts': `
import { createScene, init, PleachError, type NodeId, type SceneNode } from 'pleach';
import { Graph } from 'pleach/core';
await init();
const crate: SceneNode = createScene().createGroup({ name: 'crate' });
crate.lookAt(crate.getWorldPosition());
const id: NodeId = crate.id;
// @ts-expect-error A plain number is not a handle.
const other: NodeId = 5;
export const graph = new Graph(), error = new PleachError('internal', String(id + other));
`,
		'tsconfig.json': JSON.stringify({
			compilerOptions: {
				strict: true,
				noEmit: true,
				skipLibCheck: false,
				target: 'es2022',
				module: 'nodenext',
				types: [],
				lib: ['es2022', 'dom', 'dom.iterable', 'esnext.disposable'],
			},
			files: ['main.ts'],
		}),
	});
	execFileSync(join(packageRoot, 'node_modules/.bin/tsc'), ['-p', types], { stdio: 'inherit' });
	passed.push('types');
	console.log('types: strict, libraries checked');

	const bundled = project('esbuild', { 'index.html': page('./out/main.js'), 'main.js': program('pleach/inline') });
	await esbuild.build({
		absWorkingDir: bundled,
		entryPoints: ['main.js'],
		bundle: true,
		format: 'esm',
		outdir: 'out',
		logLevel: 'error',
	});
	await inBrowser('esbuild, pleach/inline', bundled);

	const loader = project('esbuild-file', {
		'index.html': page('./out/main.js'),
		'main.js': program('pleach', "import url from 'pleach/wasm'; await init(new URL(url, import.meta.url));"),
	});
	await esbuild.build({
		absWorkingDir: loader,
		entryPoints: ['main.js'],
		bundle: true,
		format: 'esm',
		outdir: 'out',
		loader: { '.wasm': 'file' },
		logLevel: 'error',
	});
	await inBrowser('esbuild, file loader', loader);

	const packed = project('webpack', { 'index.html': page('./dist/main.js'), 'main.js': program('pleach') });
	const stats = await promisify(webpack)({
		context: packed,
		mode: 'production',
		entry: './main.js',
		output: {
			path: join(packed, 'dist'),
			filename: 'main.js',
			publicPath: 'auto',
			module: true,
			chunkFormat: 'module',
		},
		experiments: { outputModule: true, topLevelAwait: true },
		performance: { hints: false },
	});
	if (stats.hasErrors()) throw new Error(`webpack: ${stats.toString({ all: false, errors: true })}`);
	await inBrowser('webpack 5', packed);

	const vite = project('vite', { 'index.html': page('./main.js'), 'main.js': program('pleach') });
	const config = { root: vite, configFile: false, logLevel: 'error', build: { target: 'es2022' } };
	await viteBuild(config);
	await inBrowser('Vite, built', join(vite, 'dist'));
	const server = await viteServer({
		...config,
		server: { port: 0, host: '127.0.0.1' },
		optimizeDeps: { exclude: ['pleach'] },
	});
	await server.listen();
	await expectHash('Vite, development server', `http://127.0.0.1:${server.httpServer.address().port}/`);
	await server.close();

	const worker = project('worker', {
		'index.html': `<!doctype html><title>waiting</title>
<script type="module">
const worker = new Worker('./worker.js', { type: 'module' });
worker.onmessage = ({ data }) => { document.title = data; };
worker.onerror = (event) => { document.title = event.message; };
const bytes = await (await fetch('./node_modules/pleach/dist/pleach.wasm')).arrayBuffer();
worker.postMessage(await WebAssembly.compile(bytes));
</script>`,
		'worker.js': `
import { init, createScene } from './node_modules/pleach/dist/index.js';
import { recordedHash } from './recording.js';
self.onmessage = async ({ data }) => {
	await init(data);
	self.postMessage(recordedHash(createScene(), 0));
};`,
	});
	await inBrowser('a Worker, with a compiled module', worker);
} finally {
	await browser.close();
	rmSync(work, { recursive: true, force: true });
}
console.log(`${passed.length} passed, 0 failed`);
