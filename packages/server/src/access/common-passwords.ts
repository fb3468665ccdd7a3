import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { MIN_PASSWORD_LENGTH } from '../limits/http.ts';

/** Some 50,000 passwords that leaks hold most often, in lower case (zxcvbn-ts, MIT). */
const LIST_MODULE = '@zxcvbn-ts/language-common/src/passwords.json';

let commonPasswords: ReadonlySet<string> | null = null;

/** Whether a password is among the first that an attacker tries: a listed one in any case, `aaaaaaaa`, `87654321`. */
export function isCommonPassword(password: string): boolean {
  const text = password.normalize('NFKC').toLowerCase();
  commonPasswords ??= readList();
  return commonPasswords.has(text) || isSequence(text);
}

/** Read when the first password is set, since most processes never need it. Shorter passwords are refused anyway. */
function readList(): ReadonlySet<string> {
  const path = createRequire(import.meta.url).resolve(LIST_MODULE);
  const all = JSON.parse(readFileSync(path, 'utf8')) as readonly string[];
  return new Set(all.map((one) => one.toLowerCase()).filter(({ length }) => length >= MIN_PASSWORD_LENGTH));
}

/** Whether all characters are the same, or each is the next one up or down in the code table. */
function isSequence(text: string): boolean {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
  const steps = new Set(codes.slice(1).map((code, i) => code - (codes[i] as number)));
  const [step = 0] = steps;
  return steps.size === 1 && Math.abs(step) <= 1;
}
