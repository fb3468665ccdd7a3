import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandomUuid } from '../../src/documents/random-uuid.ts';

/** RFC 9562, section 5.4: version 4, variant 10. */
const VERSION_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('UUIDs are of version 4, distinct, and random in all other digits', () => {
  const uuids = Array.from({ length: 5_000 }, createRandomUuid);
  for (const uuid of uuids) assert.match(uuid, VERSION_4);
  assert.equal(new Set(uuids).size, uuids.length);
  for (let i = 0; i < 36; i++) {
    const digits = new Set(uuids.map((uuid) => uuid[i]));
    const isFixed = [8, 13, 14, 18, 23].includes(i);
    assert.equal(digits.size, isFixed ? 1 : i === 19 ? 4 : 16, `digit ${i}`);
  }
});
