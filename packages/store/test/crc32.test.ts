import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 as computeWithZlib } from 'node:zlib';
import fc from 'fast-check';
import { crc32 } from '../src/database/crc32.ts';

const TEXTS = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ minLength: 150, maxLength: 250 }));

test('CRC-32 of short and long texts and bytes is that of zlib, also of data in parts', () => {
  fc.assert(
    fc.property(TEXTS, fc.uint8Array({ maxLength: 300 }), (text, bytes) => {
      assert.equal(crc32(text), computeWithZlib(text));
      assert.equal(crc32(bytes), computeWithZlib(bytes));
      assert.equal(crc32(bytes, crc32(text)), computeWithZlib(bytes, computeWithZlib(text)));
      assert.equal(crc32(text, crc32(bytes)), computeWithZlib(text, computeWithZlib(bytes)));
    }),
  );
});
