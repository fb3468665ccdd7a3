import { randomFillSync } from 'node:crypto';

/** Number of UUIDs that are made at once. */
const POOL_UUIDS = 128;
const UUID_BYTES = 16;
/** Length of a UUID as text. */
const UUID_LENGTH = 36;
/** Positions of the hyphens in the text. */
const HYPHENS: ReadonlySet<number> = new Set([8, 13, 18, 23]);
const HYPHEN = '-'.charCodeAt(0);
const HEX_DIGITS = Buffer.from('0123456789abcdef', 'latin1');

const random = new Uint8Array(POOL_UUIDS * UUID_BYTES);
/** The texts of the pool, one after another. */
const texts = Buffer.alloc(POOL_UUIDS * UUID_LENGTH);
let used = texts.length;

/**
 * A random UUID (RFC 9562, version 4), like `randomUUID` of `node:crypto`. That function joins twenty short texts for
 * each UUID; every later use of the text then has to copy them into one.
 */
export function createRandomUuid(): string {
  if (used === texts.length) fillPool();
  used += UUID_LENGTH;
  return texts.toString('latin1', used - UUID_LENGTH, used);
}

function fillPool(): void {
  randomFillSync(random);
  for (let i = 0; i < POOL_UUIDS; i++) writeUuid(i * UUID_BYTES, i * UUID_LENGTH);
  used = 0;
}

/** Writes the UUID of 16 random bytes to the pool. */
function writeUuid(from: number, to: number): void {
  random[from + 6] = ((random[from + 6] as number) & 0x0f) | 0x40;
  random[from + 8] = ((random[from + 8] as number) & 0x3f) | 0x80;
  let nibble = from * 2;
  for (let i = 0; i < UUID_LENGTH; i++) {
    if (HYPHENS.has(i)) {
      texts[to + i] = HYPHEN;
      continue;
    }
    const byte = random[nibble >> 1] as number;
    texts[to + i] = HEX_DIGITS[(nibble & 1) === 0 ? byte >> 4 : byte & 0x0f] as number;
    nibble++;
  }
}
