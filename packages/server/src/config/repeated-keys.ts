/** Strings and punctuation of JSON. Other tokens are irrelevant here. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs;

/** An object or list that has not ended. `keys` is null for a list. */
interface OpenValue {
  readonly path: string;
  readonly keys: Set<string> | null;
  /** The last key, or the index of the current item. */
  at: string;
  expectsKey: boolean;
}

/**
 * Paths of keys that occur twice in an object of a JSON text, such as `plans.free.tokensPerUser`. `text` is valid JSON.
 */
export function findRepeatedKeys(text: string): readonly string[] {
  const repeated: string[] = [];
  const open: OpenValue[] = [];
  for (const [token] of text.matchAll(TOKENS)) {
    const top = open.at(-1);
    if (token === '{' || token === '[') {
      const path = top === undefined ? '' : joinPath(top.path, top.at);
      open.push({ path, keys: token === '{' ? new Set() : null, at: '0', expectsKey: token === '{' });
    } else if (token === '}' || token === ']') open.pop();
    else if (top === undefined) continue;
    else if (token === ',') {
      if (top.keys === null) top.at = String(Number(top.at) + 1);
      else top.expectsKey = true;
    } else if (token !== ':' && top.keys !== null && top.expectsKey) {
      const key = JSON.parse(token) as string;
      if (top.keys.has(key)) repeated.push(joinPath(top.path, key));
      top.keys.add(key);
      top.at = key;
      top.expectsKey = false;
    }
  }
  return repeated;
}

function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
