import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { MIN_PASSWORD_LENGTH } from '../limits/http.ts';

/** About 50,000 passwords that occur most often in leaks, in lower case (zxcvbn-ts, MIT). */
const LIST_MODULE = '@zxcvbn-ts/language-common/src/passwords.json';

let commonPasswords: ReadonlySet<string> | null = null;

/**
 * Whether an attacker would try a password first: a listed one in any case, or a sequence like `aaaaaaaa` or
 * `87654321`.
 */
export function isCommonPassword(password: string): boolean {
  const text = password.normalize('NFKC').toLowerCase();
  commonPasswords ??= readList();
  return commonPasswords.has(text) || isSequence(text);
}

/** Reads the list. Entries below the minimum length are left out, because such passwords are refused anyway. */
function readList(): ReadonlySet<string> {
  const path = createRequire(import.meta.url).resolve(LIST_MODULE);
  const all = JSON.parse(readFileSync(path, 'utf8')) as readonly string[];
  return new Set(all.map((one) => one.toLowerCase()).filter(({ length }) => length >= MIN_PASSWORD_LENGTH));
}

/** Whether all characters are equal, or each one is the next or the previous code point. */
function isSequence(text: string): boolean {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
  const steps = new Set(codes.slice(1).map((code, i) => code - (codes[i] as number)));
  const [step = 0] = steps;
  return steps.size === 1 && Math.abs(step) <= 1;
}
