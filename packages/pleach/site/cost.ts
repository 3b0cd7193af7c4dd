/** Measures pleach and three.js in this page. */
import { isMet, measure, type Result } from './measure.js';
import { element, milliseconds, show, start } from './page.js';

function row(result: Result): HTMLTableRowElement {
	const { id, workload, pleach, three, peer, note } = result;
	const line = document.createElement('tr');
	line.id = `result-${id}`;
	const ratio = three === null ? null : three / pleach;
	line.dataset.pleach = String(pleach);
	line.dataset.ratio = String(ratio);
	const cells: [string, string][] = [
		[workload, ''],
		[milliseconds(pleach), 'number'],
		[three === null ? '–' : milliseconds(three), 'number'],
		[ratio === null ? '–' : `${ratio.toPrecision(3)} ×`, 'number'],
	];
	for (const [text, kind] of cells) {
		const cell = document.createElement('td');
		cell.textContent = text;
		cell.className = kind;
		line.append(cell);
	}
	const small = document.createElement('div');
	small.className = 'quiet';
	small.textContent = `against ${peer}${note === undefined ? '' : `; ${note}`}`;
	line.firstElementChild?.append(small);
	if (isMet(result) === true) line.dataset.met = 'true';
	return line;
}

void start(() => {
	const button = element<HTMLButtonElement>('run');
	const results = element('results');
	button.addEventListener('click', () => {
		button.disabled = true;
		results.replaceChildren();
		show('state', 'Measuring …');
		const nodes = Number(element<HTMLSelectElement>('nodes').value);
		const plan = { nodes, rounds: 7, sample: 4, onResult: (result: Result) => results.append(row(result)) };
		measure(plan).then(
			(all) => {
				show('state', `${all.length} results for ${nodes.toLocaleString('en')} nodes.`);
				button.disabled = false;
			},
			(error: unknown) => {
				show('state', `Failed: ${error instanceof Error ? error.message : error}`);
				button.disabled = false;
				throw error;
			},
		);
	});
});
