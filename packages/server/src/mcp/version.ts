import { readFileSync } from 'node:fs';

/** The version of this package, as clients of the protocol are told. */
export const VERSION = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }
).version;
