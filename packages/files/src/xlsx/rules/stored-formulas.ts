/**
 * Objects that Google's API stores are attachments whose second text is JSON. The formulas of such an object are the
 * attachment's formulas, in the order of the JSON, so that they are updated when cells move.
 */

/** Members of stored objects (conditions and gradient points) whose value is a formula if it begins with `=`. */
const OPERANDS: ReadonlySet<string> = new Set(['userEnteredValue', 'value']);

/** Returns the formulas in a stored object, each with `=`. */
export function listStoredFormulas(value: object): readonly string[] {
  const formulas: string[] = [];
  mapFormulas(value, (text) => {
    formulas.push(text);
    return text;
  });
  return formulas;
}

/**
 * Returns a stored object with other formulas. `change`: gets the text of a formula and its position among the
 * formulas.
 */
export function mapStoredFormulas<T extends object>(value: T, change: (text: string, index: number) => string): T {
  let index = 0;
  return mapFormulas(value, (text) => change(text, index++)) as T;
}

/** The JSON value with each formula among its operands changed, at any depth. */
function mapFormulas(value: unknown, change: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => mapFormulas(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isFormula = OPERANDS.has(name) && typeof member === 'string' && member.length > 1 && member.startsWith('=');
      return [name, isFormula ? change(member) : mapFormulas(member, change)];
    }),
  );
}
