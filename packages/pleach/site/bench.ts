/** Lets scripts/bench.mjs measure in a page. */
import { measure, type Plan } from './measure.js';
import { start } from './page.js';

void start(() => {
	const run = (plan: Plan) => measure(plan);
	Object.assign(globalThis, { run });
});
