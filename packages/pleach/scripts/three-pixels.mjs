// Renders a scene in headless Chromium with three.js alone, with a bridge of `pleach/three`, and flat; and models that pleach and three's
// GLTFLoader load, before and after three.js added to them. The pictures must be equal. Sample models are those of PLEACH_ASSETS.
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { launch, serve } from './chromium.mjs';
import { packageRoot } from './wasm.mjs';

const out = join(packageRoot, 'build/three-pixels');
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await build({
	absWorkingDir: packageRoot,
	entryPoints: { page: 'test/browser/three-pixels.ts' },
	outdir: out,
	bundle: true,
	format: 'esm',
	target: 'es2022',
	logLevel: 'error',
});
copyFileSync(join(packageRoot, 'generated/pleach_bg.wasm'), join(out, 'pleach.wasm'));
writeFileSync(
	join(out, 'index.html'),
	'<!doctype html><title>pixels</title><script type="module" src="/page.js"></script>',
);
const assets = process.env.PLEACH_ASSETS ?? join(packageRoot, '../../../shared/assets');
const names = [
	'AnimatedMorphCube',
	'Fox',
	'MeshPrimitiveModes',
	'MorphPrimitivesTest',
	'NegativeScaleTest',
	'OrientationTest',
	'RiggedFigure',
	'SimpleInstancing',
	'SimpleMorph',
	'TextureTransformTest',
	'TriangleWithoutIndices',
];
const models = names.flatMap((name) => {
	const directory = join(assets, name);
	const file = existsSync(directory) && readdirSync(directory).find((each) => /\.gl(b|tf)$/.test(each));
	return file ? [`/assets/${name}/${file}`] : [];
});
writeFileSync(join(out, 'models.json'), JSON.stringify(models));
const server = await serve({ '/': out, '/assets/': assets });
const browser = await launch();
let failed = false;
try {
	const { page, errors } = await browser.open(`${server.url}/index.html`);
	await page.waitForFunction(() => globalThis.models !== undefined, undefined, { timeout: 180_000 });
	const { results, models: loaded } = await page.evaluate(() => ({
		results: globalThis.results,
		models: globalThis.models,
	}));
	await page.screenshot({ path: join(out, 'last-frame.png') });
	for (const { frame, tree, flat, lit, draws, flatDraws } of results) {
		console.log(`frame ${frame}: ${tree} pixels differ, ${flat} flat; ${draws} draws, ${flatDraws} flat; ${lit} lit`);
		// Edges may move by a pixel, because matrices have 32 bits.
		if (tree > 40 || flat > 40 || lit < 10_000) failed = true;
	}
	for (const { name, different, lit } of loaded) {
		console.log(`${name}: ${different} pixels differ, ${lit} lit`);
		if (different > 40 || lit < 500) failed = true;
	}
	if (loaded.length !== models.length + 4) failed = true;
	if (errors.length > 0) {
		console.log(errors.join('\n'));
		failed = true;
	}
} finally {
	await browser.close();
	server.close();
}
if (failed) {
	console.log('FAILED: the pictures differ');
	process.exitCode = 1;
}
