/** User-Agent tokens and display names of browsers and systems. The first match counts. */
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

/** Maximum characters shown of an unknown User-Agent. */
const MAX_LENGTH = 40;

/** Returns the browser and system of a User-Agent. */
export function describeBrowser(agent: string): string {
  const findName = (names: typeof BROWSERS | typeof SYSTEMS) => names.find(([name]) => agent.includes(name))?.[1];
  const browser = findName(BROWSERS) ?? agent.slice(0, MAX_LENGTH);
  const system = findName(SYSTEMS);
  return system === undefined ? browser : `${browser}, ${system}`;
}
