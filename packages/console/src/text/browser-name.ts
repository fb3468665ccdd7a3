/** Names as browsers and systems write them into a User-Agent, beside what people call them: the first that is found. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const;
const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** Characters of a User-Agent that names no known browser. */
const MAX_LENGTH = 40;

/** The browser and the system that a User-Agent names, as people call them. */
export function browserName(agent: string): string {
  const found = (names: typeof BROWSERS | typeof SYSTEMS) => names.find(([name]) => agent.includes(name))?.[1];
  const browser = found(BROWSERS) ?? agent.slice(0, MAX_LENGTH);
  const system = found(SYSTEMS);
  return system === undefined ? browser : `${browser}, ${system}`;
}
