import assert from 'node:assert/strict';
import { it } from 'node:test';
import { allocatePooledBytes } from '../src/database/pooled-bytes.ts';

it('allocates arrays of zeros that share no byte with each other', () => {
  const lengths = [0, 1, 8, 64, 65, 80, 1_000, 2_560, 2_561, 5_000];
  const arrays = Array.from({ length: 20 }, () => lengths.map(allocatePooledBytes)).flat();
  for (const array of arrays) assert.ok(array.every((byte) => byte === 0));
  for (const [i, array] of arrays.entries()) array.fill((i % 255) + 1);
  for (const [i, array] of arrays.entries()) assert.ok(array.every((byte) => byte === (i % 255) + 1));
  assert.deepEqual(
    arrays.map(({ length }) => length),
    Array.from({ length: 20 }, () => lengths).flat(),
  );
});
