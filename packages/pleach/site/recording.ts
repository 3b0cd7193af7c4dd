/** Performs the recording of edits whose hash is committed, with the module that the address names. */
import { createScene } from 'pleach';
import { recordedHash } from '../test/recording.js';
import { show, start } from './page.js';

const module = new URLSearchParams(location.search).get('module');
void start(
	() => show('hash', recordedHash(createScene(), 0)),
	module === null ? undefined : new URL(module, location.href),
);
