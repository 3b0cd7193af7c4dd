// Loads every page of the site in headless Chromium, uses it, reads its numbers and takes screenshots into build/screenshots.
// Any error of a page is a failure. `node scripts/browser.mjs NAME …` runs some pages.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, serve } from './chromium.mjs';
import { buildSite, siteOutput } from './site.mjs';
import { packageRoot } from './wasm.mjs';

const only = process.argv.slice(2);
const screenshots = join(packageRoot, 'build/screenshots');
mkdirSync(screenshots, { recursive: true });
await buildSite();
const server = await serve({ '/': siteOutput });
const browser = await launch();
let passed = 0;
let failed = 0;

function check(condition, message) {
	if (!condition) throw new Error(message);
}

/** Opens a page, waits until it is ready, and runs `use` with functions that read it. */
async function test(name, path, use) {
	if (only.length > 0 && !only.some((each) => name.includes(each))) return;
	const began = performance.now();
	const { page, errors } = await browser.open(`${server.url}/${path}`);
	page.setDefaultTimeout(20_000);
	try {
		await page.waitForFunction(() => document.documentElement.dataset.state !== undefined);
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
		const screenshot = (suffix = '') =>
			page.screenshot({ path: join(screenshots, `${name}${suffix}.png`), fullPage: true });
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
	check((await page.locator('.cards a').count()) === 4, 'there are four examples');
	await screenshot();
	await page.emulateMedia({ colorScheme: 'dark' });
	await screenshot('-dark');
	// Every link leads to a page.
	const links = await page.locator('a').evaluateAll((all) => all.map((each) => each.href));
	for (const link of new Set(links)) if (only.length === 0) check((await page.request.get(link)).ok(), `${link} is missing`);
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
	for (let i = 0; i < 30; i++) await page.keyboard.press('+');
	await page.waitForTimeout(2500);
	await screenshot('-saturn');
	check((await text('name')) === 'Saturn', 'Saturn stays selected');
});

// PAGES

await browser.close();
server.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
