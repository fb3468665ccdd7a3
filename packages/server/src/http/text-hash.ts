/**
 * FNV-1a over UTF-16 code units, with mixed low bits: `addToTextHash` for each unit, from `TEXT_HASH_START` on, then
 * `finishTextHash`.
 */
export function hashText(text: string): number {
  let hash = TEXT_HASH_START;
  for (let i = 0; i < text.length; i++) hash = addToTextHash(hash, text.charCodeAt(i));
  return finishTextHash(hash);
}

export const TEXT_HASH_START = 0x811c9dc5;

export function addToTextHash(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

export function finishTextHash(hash: number): number {
  return hash ^ (hash >>> 15);
}
