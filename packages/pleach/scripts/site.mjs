// Builds the pages of site/ into build/site/, which any static host serves, and serves them. `--build` only builds.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { modules, packageRoot } from './wasm.mjs';

const site = join(packageRoot, 'site');
export const siteOutput = join(packageRoot, 'build/site');

/** Where the sources of the entries are: pages import them by the names of the package. */
export const alias = { pleach: './src/entries/index.ts', 'pleach/three': './src/three/index.ts' };

/** Pages, by file name, with what stands in the navigation. */
const navigation = [
	['bodies.html', 'Bodies'],
	['crowd.html', 'Crowd'],
	['viewer.html', 'Viewer'],
	['three.html', 'three.js'],
	['cost.html', 'Cost'],
];

/** Puts the content of a page between the shared head and foot. */
function page(file, content) {
	const title = /<h1>(.*?)<\/h1>/.exec(content)?.[1] ?? 'pleach';
	const script = file.replace('.html', '.js');
	const links = navigation.map(([href, name]) => {
		return `<a href="./${href}"${href === file ? ' aria-current="page"' : ''}>${name}</a>`;
	});
	const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${file === 'index.html' ? 'pleach: a scene graph in WebAssembly' : `${title} · pleach`}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="./style.css">
<script type="module" src="./${script}"></script>
</head>
<body>
<header><a class="home" href="./index.html">pleach</a><nav aria-label="Examples">${links.join('')}</nav></header>
<main>
${content}
<p id="status" role="status" class="quiet"></p>
</main>
<footer>pleach ${version}, MIT or Apache-2.0. These pages load nothing from other hosts.</footer>
</body>
</html>
`;
}

export async function buildSite() {
	rmSync(siteOutput, { recursive: true, force: true });
	mkdirSync(siteOutput, { recursive: true });
	const files = readdirSync(site);
	const pages = files.filter((file) => file.endsWith('.html'));
	for (const file of pages) writeFileSync(join(siteOutput, file), page(file, readFileSync(join(site, file), 'utf8')));
	copyFileSync(join(site, 'style.css'), join(siteOutput, 'style.css'));
	for (const name of ['pleach', 'pleach-nosimd']) {
		if (!modules.some((module) => module.name === name)) continue;
		const module = join(packageRoot, `generated/${name}_bg.wasm`);
		if (existsSync(module)) copyFileSync(module, join(siteOutput, `${name}.wasm`));
	}
	await build({
		absWorkingDir: packageRoot,
		entryPoints: pages.map((file) => `site/${file.replace('.html', '.ts')}`),
		outdir: siteOutput,
		bundle: true,
		splitting: true,
		format: 'esm',
		target: 'es2022',
		minify: true,
		// Chunks stay beside the modules, which `new URL('./pleach.wasm', import.meta.url)` finds.
		chunkNames: '[name]-[hash]',
		alias,
		logLevel: 'warning',
	});
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	await buildSite();
	console.log(`built ${siteOutput}`);
	if (!process.argv.includes('--build')) {
		const { serve } = await import('./chromium.mjs');
		const { url } = await serve({ '/': siteOutput }, Number(process.env.PORT ?? 8080));
		console.log(`serving ${url}/`);
	}
}
