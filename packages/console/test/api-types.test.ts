import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { apiTypes, TYPES } from '../scripts/api-types.ts';

/** Removes what the formatter changes. */
const bare = (text: string) => text.replace(/[\s()|]/g, '');

test('matches the API description: `npm run openapi` generates the types', () => {
  assert.equal(bare(readFileSync(TYPES, 'utf8')), bare(apiTypes()));
});
