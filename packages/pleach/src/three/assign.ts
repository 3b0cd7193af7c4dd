/** Sets a number if it differs by more than rounding. */
export function assign<T extends object, K extends keyof T & string>(target: T, name: K, value: number): void {
	const known = target[name] as number | null;
	if (known === null || !(Math.abs(known - value) <= Math.abs(value) * 1e-6)) Reflect.set(target, name, value);
}
