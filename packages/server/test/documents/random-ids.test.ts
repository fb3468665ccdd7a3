import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandomId } from '../../src/documents/pipeline/random-ids.ts';

/** RFC 9562 §5.4. */
const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('random ids', () => {
  it('are different random UUIDs', () => {
    const ids = Array.from({ length: 1_000 }, createRandomId);
    for (const id of ids) assert.match(id, UUID_4);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('have each digit at each random place', () => {
    const ids = Array.from({ length: 2_000 }, () => createRandomId().replaceAll('-', ''));
    const fixed = new Set([12, 16]);
    for (let place = 0; place < 32; place++) {
      if (!fixed.has(place)) assert.equal(new Set(ids.map((id) => id[place])).size, 16);
    }
  });
});
