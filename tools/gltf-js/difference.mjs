// Finds the differences between two pieces of plain data.
//
// Numbers are equal within a tolerance relative to the largest element of their array.
// `min` and `max` of one object, and the hidden `rows` they bound, count as one array.

/** Returns at most `limit` lines `path: a, b`. Keys in `skip` are ignored. */
export function differences(a, b, { tolerance, skip = [], limit = 10 }) {
    const found = [];
    const seen = new WeakMap(); // Shared descriptions are compared once.
    visit(a, b, '');
    return found;

    function visit(a, b, path, scale) {
        if (found.length >= limit || Object.is(a, b)) return;
        if (typeof a === 'number' && typeof b === 'number') {
            if (!near(a, b, scale ?? Math.max(Math.abs(a), Math.abs(b)))) found.push(`${path}: ${a}, ${b}`);
        } else if (Array.isArray(a) && Array.isArray(b)) {
            visitArrays(a, b, path, scale);
        } else if (isObject(a) && isObject(b)) {
            if (seen.get(a) === b) return;
            seen.set(a, b);
            visitObjects(a, b, path);
        } else {
            found.push(`${path}: ${short(a)}, ${short(b)}`);
        }
    }

    function visitArrays(a, b, path, scale) {
        if (a.length !== b.length) {
            found.push(`${path}: ${a.length} elements, ${b.length} elements`);
            return;
        }
        const inner = scale ?? (typeof a[0] === 'number' ? largest(a, b) : undefined);
        a.forEach((each, index) => visit(each, b[index], `${path}[${index}]`, inner));
    }

    function visitObjects(a, b, path) {
        const bounds = [a.min, a.max, b.min, b.max];
        const scale = bounds.every(Array.isArray) ? largest(...bounds) : undefined;
        for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
            if (skip.includes(key)) continue;
            const inner = key === 'min' || key === 'max' ? scale : undefined;
            visit(a[key], b[key], path === '' ? key : `${path}.${key}`, inner);
        }
        if (a.rows && a.rows.length === b.rows?.length) visitRows(a.rows, b.rows, path, scale);
    }

    /** Reports only the first: further differences of the same attribute add little. */
    function visitRows(a, b, path, scale) {
        const index = a.findIndex((each, index) => !Object.is(each, b[index]) && !near(each, b[index], scale));
        if (index >= 0) visit(a[index], b[index], `${path}.rows[${index}]`, scale);
    }

    function near(a, b, scale) {
        return Math.abs(a - b) <= tolerance * scale;
    }
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

const largest = (...arrays) => arrays.flat().reduce((most, each) => Math.max(most, Math.abs(each)), 0);

function short(value) {
    const text = JSON.stringify(value) ?? 'nothing';
    return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
