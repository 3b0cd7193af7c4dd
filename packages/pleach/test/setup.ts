/** Loads the complete module from generated/, for tests in node. */
import { readFileSync } from 'node:fs';
import { initSync } from '../src/entries/index.js';

initSync(readFileSync(new URL('../../generated/pleach_bg.wasm', import.meta.url)));
