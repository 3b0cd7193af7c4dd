// Loads every page of the site in headless Chromium, uses it, reads its numbers and takes screenshots into build/screenshots.
// Any error of a page is a failure. `node scripts/browser.mjs NAME …` runs some pages.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, serve, WEBGPU_FLAGS } from './chromium.mjs';
import { buildSite, siteOutput } from './site.mjs';
import { packageRoot } from './wasm.mjs';

const only = process.argv.slice(2);
const screenshots = join(packageRoot, 'build/screenshots');
mkdirSync(screenshots, { recursive: true });
await buildSite();
// Below a folder, as on static hosts: addresses in the pages are relative.
const server = await serve({ '/some/folder/': siteOutput, '/': join(siteOutput, 'nothing') });
const plain = await launch();
let passed = 0;
let failed = 0;

function check(condition, message) {
	if (!condition) throw new Error(message);
}

/** Opens a page, waits until it is ready, and runs `use` with functions that read it. */
async function test(name, path, use, browser = plain) {
	if (only.length > 0 && !only.some((each) => name.includes(each))) return;
	const began = performance.now();
	const { page, errors } = await browser.open(`${server.url}/some/folder/${path}`);
	page.setDefaultTimeout(20_000);
	await page.setViewportSize({ width: 960, height: 1150 });
	try {
		await page.waitForFunction(() => document.documentElement.dataset.state !== undefined);
		check((await page.getAttribute('html', 'data-state')) === 'ready', await page.textContent('#status'));
		const text = async (id) => (await page.textContent(`#${id}`)).trim();
		const number = async (id) => Number.parseFloat((await text(id)).replaceAll(',', ''));
		/** Waits until an element shows a text that `accept` accepts, and returns it. */
		const until = async (id, accept) => {
			for (const end = performance.now() + 20_000; ; await page.waitForTimeout(50)) {
				const value = await text(id);
				if (accept(value)) return value;
				if (performance.now() > end) throw new Error(`#${id} is '${value}' after 20 seconds`);
			}
		};
		// The window is high enough for whole pages: screenshots of what is outside of it move the page.
		const screenshot = (suffix = '') => page.screenshot({ path: join(screenshots, `${name}${suffix}.png`) });
		await use({ page, text, number, until, screenshot });
		check(errors.length === 0, errors.join('\n'));
		passed += 1;
		console.log(`ok ${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
	} catch (error) {
		failed += 1;
		console.log(`FAILED ${name}: ${error.message}\n${errors.join('\n')}`);
		await page.screenshot({ path: join(screenshots, `${name}-failed.png`) }).catch(() => {});
	} finally {
		await page.close();
	}
}

await test('index', 'index.html', async ({ page, text, until, screenshot }) => {
	check((await text('distance')) === '9.5', 'the ray hits the crate after 9.5 metres');
	await until('node', (value) => /^\d+v\d+$/.test(value));
	check((await page.locator('.cards a').count()) === 5, 'there are five examples');
	await screenshot();
	await page.emulateMedia({ colorScheme: 'dark' });
	await screenshot('-dark');
	// Every link leads to a page.
	const links = await page.locator('a').evaluateAll((all) => all.map((each) => each.href));
	for (const link of new Set(links))
		if (only.length === 0) check((await page.request.get(link)).ok(), `${link} is missing`);
	check(
		await page.evaluate(() =>
			performance.getEntriesByType('resource').every((each) => each.name.startsWith(location.origin)),
		),
		'nothing is loaded from other hosts',
	);
});

await test('bodies', 'bodies.html', async ({ page, text, number, until, screenshot }) => {
	check((await number('bodies')) === 10_000, 'there are ten thousand bodies');
	check((await number('visible')) > 5000, 'most bodies are in view');
	check((await number('draws')) < 100, 'bodies are drawn as instances');
	await page.click('#pause');
	const box = await page.locator('#canvas').boundingBox();
	await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
	check((await until('name', (value) => value !== 'nothing')) === 'Sun', 'a click on the centre selects the sun');
	check((await number('picked')) > 10 && (await number('picked')) < 200, 'the distance is shown');
	await screenshot();
	await page.focus('#next');
	await page.keyboard.press('Enter');
	await until('name', (value) => value === 'Mercury');
	for (let i = 0; i < 5; i++) await page.keyboard.press('Enter');
	await until('name', (value) => value === 'Saturn');
	await page.focus('#canvas');
	for (let i = 0; i < 8; i++) await page.keyboard.press('+');
	await page.waitForTimeout(2500);
	await screenshot('-saturn');
	check((await text('name')) === 'Saturn', 'Saturn stays selected');
});

await test('crowd', 'crowd.html', async ({ page, text, number, until, screenshot }) => {
	check((await number('figures')) === 100 && (await number('joints')) === 1300, 'a hundred figures of thirteen joints');
	check((await number('visible')) > 50, 'most figures are in view');
	await page.selectOption('#count', '30');
	await until('figures', (value) => value === '30');
	await page.waitForTimeout(700);
	await page.click('#pause');
	await page.waitForTimeout(200);
	await screenshot();
	// Figures are everywhere around the centre: some click hits one.
	const box = await page.locator('#canvas').boundingBox();
	for (let y = 0.35; y < 0.8 && (await text('name')) === 'nobody'; y += 0.05) {
		for (let x = 0.3; x < 0.7 && (await text('name')) === 'nobody'; x += 0.04) {
			await page.mouse.click(box.x + box.width * x, box.y + box.height * y);
		}
	}
	check(/^figure \d+$/.test(await text('name')), `the ray hits a posed skin, not '${await text('name')}'`);
	await page.click('#pause');
	await page.click('#wave');
	await page.click('#run');
	await page.waitForTimeout(900);
	await screenshot('-wave');
	check((await text('run')) === 'Walk', 'the button offers to walk again');
});

await test('viewer', 'viewer.html', async ({ page, text, number, until, screenshot }) => {
	await until('draws', (value) => Number(value) > 3);
	check((await number('nodes')) === 38 && (await number('meshes')) === 16, 'the sample has 38 nodes and 16 meshes');
	await screenshot();
	const original = await number('size');
	// Without an edit, the file comes back byte for byte.
	await page.click('#save');
	check((await number('saved')) === original, 'the size is that of the file');
	const item = page.locator('[role=treeitem]', { hasText: 'lantern 2' });
	await item.click();
	check((await text('name')) === 'lantern 2', 'the lantern is selected');
	const before = await page.inputValue('#y');
	await page.fill('#y', '1.25');
	await until('undo', (value) => value === 'Undo: move lantern 2');
	await screenshot('-edited');
	await page.click('#undo');
	check((await page.inputValue('#y')) === before, `undo restores ${before}`);
	await page.click('#redo');
	check((await page.inputValue('#y')) === '1.25', 'redo repeats the move');
	const nodes = await page.locator('[role=treeitem]').count();
	await page.click('#remove');
	check((await page.locator('[role=treeitem]').count()) === nodes - 3, 'three rows are gone');
	await page.keyboard.press('Control+z');
	check((await page.locator('[role=treeitem]').count()) === nodes, 'they are back');
	await page.click('#save');
	const [download] = await Promise.all([page.waitForEvent('download'), page.click('#download')]);
	const saved = await download.path();
	// The saved file opens, and the lantern is where it was put.
	await page.setInputFiles('#file', { name: 'again.glb', mimeType: 'model/gltf-binary', buffer: readFileSync(saved) });
	await until('title', (value) => value === 'again.glb');
	await page.locator('[role=treeitem]', { hasText: 'lantern 2' }).click();
	check((await page.inputValue('#y')) === '1.25', 'the edit was saved');
	await page.keyboard.press('ArrowDown');
	check((await text('name')) === 'post', 'the arrow key selects the next row');
	await page.setInputFiles('#file', {
		name: 'broken.glb',
		mimeType: 'model/gltf-binary',
		buffer: readFileSync(saved).subarray(0, 300),
	});
	await until('status', (value) => value.startsWith('broken.glb: '));
	check((await text('title')) === 'again.glb', 'a broken file leaves the open one alone');
	const assets = process.env.PLEACH_ASSETS ?? join(packageRoot, '../../../shared/assets');
	const fox = join(assets, 'Fox/Fox.glb');
	if (!existsSync(fox)) return;
	await page.setInputFiles('#file', fox);
	await until('title', (value) => value === 'Fox.glb');
	check((await number('clips')) === 3, 'the fox has three clips');
	await page.selectOption('#clip', '1');
	await page.waitForTimeout(1000);
	await screenshot('-fox');
	await page.click('#save');
	check((await number('saved')) === (await number('size')), 'a file whose nodes are posed is saved as it was');
});

await test('cost', 'cost.html', async ({ page, text, until, screenshot }) => {
	await page.selectOption('#nodes', '1000');
	await page.click('#run');
	await until('state', (value) => value.includes('results') || value.startsWith('Failed'));
	check(/^1[012] results for 1,000 nodes/.test(await text('state')), await text('state'));
	for (const line of await page.locator('#results tr').all()) {
		const { pleach, ratio } = await line.evaluate((row) => ({ ...row.dataset }));
		check(Number(pleach) > 0 && Number(ratio) > 0, `${await line.textContent()}: not a time`);
	}
	await screenshot();
});

await test('three', 'three.html', async ({ page, text, until, screenshot }) => {
	// The programs differ in the lines that the page shows, and the scenes do not know of pleach.
	const source = (file) => readFileSync(join(packageRoot, 'site/three', file), 'utf8');
	const lines = (file) =>
		source(file)
			.split('\n')
			.map((line) => line.trim());
	const [alone, both] = [lines('three-alone.ts'), lines('three-and-pleach.ts')];
	const added = both.filter((line) => !alone.includes(line));
	const removed = alone.filter((line) => !both.includes(line));
	check(added.join('\n') === (await text('lines')), `other lines are different: ${added.join('\n')}`);
	check(removed.length === 0, `other lines are missing: ${removed.join('\n')}`);
	const scenes = await page.locator('#scene option').evaluateAll((all) => all.map((option) => option.value));
	check(scenes.length === 8, 'there are eight scenes');
	// Small canvases: drawing without a graphics card takes longer than all else.
	await page.setViewportSize({ width: 640, height: 1500 });
	for (const scene of scenes) {
		check(!source(`${scene}.ts`).includes('pleach'), `${scene}.ts mentions pleach`);
		await page.selectOption('#scene', scene);
		for (const side of ['alone', 'pleach']) await until(`cost-${side}`, (value) => value.endsWith(' ms'));
		await screenshot(`-${scene}`);
		// Once more, after the scene was moved, edited and drawn. In one call: others wait for frames.
		const found = await page.evaluate(() => {
			const get = (id) => document.getElementById(id);
			get('compare').click();
			const times = ['frame-alone', 'frame-pleach'].map((id) => Number(get(id).textContent));
			return { ...get('comparison').dataset, times };
		});
		const { objects, difference, rays, hits, equal, times } = found;
		for (const time of times) check(time > 0, `${scene}: a frame takes ${time} ms`);
		check(Number(objects) > 10, `${scene} has ${objects} objects`);
		check(Number(difference) < 1e-4, `${scene}: world matrices differ by ${difference}`);
		check(equal === rays, `${scene}: ${equal} of ${rays} rays have equal results`);
		const casts = scene === 'instancing' || scene === 'raycasting';
		check(casts ? Number(hits) > 10 : rays === '0', `${scene}: ${hits} of ${rays} rays hit`);
		console.log(`   ${scene}: ${objects} objects, ${times.join(' and ')} ms per frame without and with pleach`);
	}
	await page.selectOption('#way', 'pleach');
	check(await page.locator('#canvas-alone').isHidden(), 'one picture is left');
	check((await text('cost-alone')) === '–', 'one program is at rest');
	await until('cost-pleach', (value) => value.endsWith(' ms'));
	await page.selectOption('#way', 'alone');
	check(await page.locator('#canvas-pleach').isHidden(), 'the other picture is left');
	check((await text('cost-pleach')) === '–', 'the other program is at rest');
	await until('cost-alone', (value) => value.endsWith(' ms'));
	await page.click('#pause');
	check((await text('pause')) === 'Continue', 'time stands still');
});

if (existsSync(join(siteOutput, 'webgpu.wasm'))) {
	const withWebGpu = await launch(WEBGPU_FLAGS);
	// By name: what both backends draw.
	const pictures = { WebGL2: new Map(), WebGPU: new Map() };
	for (const [api, browser, query] of [
		['WebGL2', plain, '?api=webgl'],
		['WebGPU', withWebGpu, ''],
	]) {
		await test(
			api.toLowerCase(),
			`webgpu.html${query}`,
			async ({ page, text, number, until, screenshot }) => {
				check((await text('api')) === api, `the scene is drawn with ${await text('api')}`);
				// Not the renderer's word alone: a canvas has one kind of context.
				const context = api === 'WebGPU' ? 'webgpu' : 'webgl2';
				const hasContext = (id) => document.getElementById('canvas').getContext(id) !== null;
				check(await page.evaluate(hasContext, context), `the canvas has no context '${context}'`);
				const [r, g, b] = (await text('pixel')).split(', ').map(Number);
				check(r > 60 && g < r / 2 && b < r / 2, `the box in the middle is red, not ${r}, ${g}, ${b}`);
				check((await text('warnings')) === 'none', `nothing is reduced, but: ${await text('warnings')}`);
				/** Calls what changes the picture, and waits until it is drawn. */
				const redraw = async (change) => {
					const before = await number('frames');
					await change();
					await until('frames', (value) => Number(value) > before);
					await page.waitForTimeout(200);
				};
				const keep = async (name) => pictures[api].set(name, await page.locator('#canvas').screenshot());
				await screenshot();
				await keep('scene');
				await page.locator('#canvas').hover();
				await redraw(() => page.mouse.wheel(0, -300));
				const resize = (width) =>
					page.evaluate((to) => {
						const canvas = document.getElementById('canvas');
						const from = canvas.width;
						canvas.width = to;
						return from;
					}, width);
				const width = await resize(100_000);
				await page.mouse.wheel(0, 10);
				await until('status', (value) => value.includes('100000 ×') && value.includes('at most'));
				await resize(width);
				await redraw(() => page.mouse.wheel(0, -10));
				await keep('nearer');
				await redraw(() => page.selectOption('#scene', 'materials'));
				check((await text('warnings')) === 'none', `nothing is reduced, but: ${await text('warnings')}`);
				await screenshot('-materials');
				await keep('materials');
				const assets = process.env.PLEACH_ASSETS ?? join(packageRoot, '../../../shared/assets');
				for (const name of [
					'Fox',
					'RiggedFigure',
					'MorphPrimitivesTest',
					'SimpleInstancing',
					'PointLightIntensityTest',
				]) {
					await redraw(() => page.setInputFiles('#file', join(assets, `${name}/${name}.glb`)));
					check((await text('status')) === `${name}.glb is drawn.`, await text('status'));
					await screenshot(`-${name}`);
					await keep(name);
				}
			},
			browser,
		);
		await test(
			`${api.toLowerCase()}-wide`,
			`webgpu.html?width=100000${query.replace('?', '&')}`,
			async ({ text, number }) => {
				check((await text('api')) === api, `the scene is drawn with ${await text('api')}`);
				const status = await text('status');
				check(status.includes('100000 ×') && status.includes('at most'), `the canvas is refused: '${status}'`);
				check((await number('frames')) > 0 && (await number('calls')) > 0, 'it is drawn in the size of the page');
			},
			browser,
		);
	}
	await test('webgl2-and-webgpu', 'index.html', async ({ page }) => {
		for (const [name, one] of pictures.WebGL2) {
			const other = pictures.WebGPU.get(name);
			check(other !== undefined, `${name} is drawn by one backend alone`);
			const { deviation, mean, different } = await compare(page, one, other);
			console.log(`   ${name}: ${mean.toFixed(3)} of 255 on average, ${(different * 100).toFixed(3)} % differ`);
			check(deviation > 10, `${name} is empty`);
			check(mean < 0.5 && different < 0.005, `${name}: the backends draw different pictures`);
		}
	});
	await withWebGpu.close();
}

/**
 * Compares two PNG files: the standard deviation of the first, by how much both differ on average, and which part of the pixels differs
 * by more than an edge that lies between samples.
 */
function compare(page, ...files) {
	return page.evaluate(
		async (urls) => {
			const [one, other] = await Promise.all(
				urls.map(async (url) => {
					const bitmap = await createImageBitmap(await (await fetch(url)).blob());
					const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
					context.drawImage(bitmap, 0, 0);
					return context.getImageData(0, 0, bitmap.width, bitmap.height);
				}),
			);
			if (one.width !== other.width || one.height !== other.height) throw new Error('the pictures have two sizes');
			let [sum, squares, difference, pixels] = [0, 0, 0, 0];
			for (let i = 0; i < one.data.length; i += 4) {
				let most = 0;
				for (let k = i; k < i + 3; k++) {
					sum += one.data[k];
					squares += one.data[k] ** 2;
					const by = Math.abs(one.data[k] - other.data[k]);
					difference += by;
					most = Math.max(most, by);
				}
				if (most > 24) pixels += 1;
			}
			const count = (one.data.length / 4) * 3;
			const deviation = Math.sqrt(squares / count - (sum / count) ** 2);
			return { deviation, mean: difference / count, different: pixels / (one.data.length / 4) };
		},
		files.map((file) => `data:image/png;base64,${file.toString('base64')}`),
	);
}

// The same bits as everywhere: with SIMD, and without.
const expected = /^Browser 0 (\w+)$/m.exec(
	readFileSync(join(packageRoot, '../../tools/portable/hashes.txt'), 'utf8'),
)[1];
for (const module of ['pleach', 'pleach-nosimd']) {
	if (!existsSync(join(siteOutput, `${module}.wasm`))) continue;
	await test(`recording-${module}`, `recording.html?module=${module}.wasm`, async ({ text }) => {
		check((await text('hash')) === expected, `the hash is ${await text('hash')}, not ${expected}`);
	});
}

await plain.close();
server.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
