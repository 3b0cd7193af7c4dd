/**
 * Positions of values in a text that is valid JSON.
 */

/** A range of a text. */
export interface Span {
	readonly start: number;
	readonly end: number;
}

/** Returns the position of the next character that is not white space. */
export function skipSpace(text: string, at: number): number {
	let end = at;
	while (' \t\n\r'.includes(text[end] ?? '-')) end++;
	return end;
}

/** Returns the end of the value that starts at a position. */
function endOf(text: string, start: number): number {
	let depth = 0;
	let at = start;
	do {
		const character = text[at];
		if (character === '"') {
			at++;
			while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
		} else if (character === '{' || character === '[') depth++;
		else if (character === '}' || character === ']') depth--;
		else if (depth === 0) {
			while (!',]} \t\n\r'.includes(text[at + 1] ?? ',')) at++;
		}
		at++;
	} while (depth > 0);
	return at;
}

/** Returns the members of the object that starts at a position. */
export function members(text: string, start: number): Map<string, Span & { readonly key: number }> {
	const found = new Map<string, Span & { readonly key: number }>();
	let at = skipSpace(text, start + 1);
	while (text[at] !== '}') {
		const key = at;
		const keyEnd = endOf(text, key);
		const value = skipSpace(text, skipSpace(text, keyEnd) + 1);
		const end = endOf(text, value);
		found.set(JSON.parse(text.slice(key, keyEnd)) as string, { key, start: value, end });
		at = skipSpace(text, end);
		if (text[at] === ',') at = skipSpace(text, at + 1);
	}
	return found;
}

/** Returns the elements of the array that starts at a position. */
export function elements(text: string, start: number): Span[] {
	const found: Span[] = [];
	let at = skipSpace(text, start + 1);
	while (text[at] !== ']') {
		const end = endOf(text, at);
		found.push({ start: at, end });
		at = skipSpace(text, end);
		if (text[at] === ',') at = skipSpace(text, at + 1);
	}
	return found;
}

/** Returns an object with other members, by name: what is set is JSON, and `null` removes. All others keep their text. */
export function withMembers(text: string, { start, end }: Span, values: ReadonlyMap<string, string | null>): string {
	const known = members(text, start);
	const set = [...values].filter(([, value]) => value !== null) as [name: string, value: string][];
	const added = set.filter(([name]) => !known.has(name)).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
	if ([...values].some(([name, value]) => value === null && known.has(name))) {
		const kept = [...known].filter(([name]) => values.get(name) !== null);
		const texts = kept.map(
			([name, { key, start, end }]) => text.slice(key, start) + (values.get(name) ?? text.slice(start, end)),
		);
		return `{${[...texts, ...added].join(',')}}`;
	}
	let result = '';
	let at = start;
	for (const [name, member] of known) {
		const value = values.get(name);
		if (value === undefined) continue;
		result += text.slice(at, member.start) + value;
		at = member.end;
	}
	const comma = known.size > 0 && added.length > 0 ? ',' : '';
	return `${result}${text.slice(at, end - 1)}${comma}${added.join(',')}}`;
}
