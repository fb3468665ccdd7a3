import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeCheckpoint, restoreCheckpoint, Workbook } from '../../src/index.ts';
import { createContext } from '../workbook/book.ts';

const SETTINGS = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;

test('emptied chunks can be transferred to another thread each time they are encoded', () => {
  const workbook = Workbook.create(SETTINGS, 'Sheet1');
  const sheet = workbook.head.sheets[0]?.id ?? assert.fail();
  for (let time = 0; time < 2; time++) {
    const area = { top: 0, left: 0, bottom: 999, right: 1 };
    const values = Array.from({ length: 1_000 }, (_, row) => [row, 'x']);
    const edit = { kind: 'setValues', sheet, row: 0, column: 0, mode: 'raw', values } as const;
    assert.equal(workbook.apply([edit], createContext()).kind, 'applied');
    const filledRevision = workbook.head.revision;
    assert.equal(workbook.apply([{ kind: 'clear', sheet, area }], createContext()).kind, 'applied');
    const checkpoint = encodeCheckpoint(workbook.head, filledRevision);
    assert.equal(checkpoint.chunks.filter(({ bytes }) => bytes.length === 0).length, 8);
    const transfer = checkpoint.chunks.map(({ bytes }) => bytes.buffer as ArrayBuffer);
    const { meta, chunks } = structuredClone(checkpoint, { transfer });
    const filledChunks = chunks.filter(({ bytes }) => bytes.length > 0);
    assert.equal(restoreCheckpoint(meta, filledChunks).sheets[0]?.value(0, 0), null);
  }
});
