/** A module as text, put in by scripts/build.mjs. */
declare module 'base64:pleach' {
	const base64: string;
	export default base64;
}
