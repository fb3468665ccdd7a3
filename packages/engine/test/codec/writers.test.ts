import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  applyDelta,
  checkpointWithWriters,
  decodeInverse,
  deltaWithWriters,
  type Edit,
  encodeCheckpoint,
  encodeDelta,
  encodeInverse,
  inverseWithWriters,
  restoreCheckpoint,
  type Snapshot,
  Workbook,
} from '../../src/index.ts';
import { createContext } from '../workbook/book.ts';

const SETTINGS = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;
const [ANNA, BEN] = [7, 300];
const replaceWriter = (writer: number) => (writer === ANNA ? 5_000 : null);
const keepWriter = (writer: number) => writer;

function createFormulaEdit(row: number, values: readonly string[]): Edit {
  return { kind: 'setValues', sheet: 1, row, column: 0, values: values.map((text) => [text]), mode: 'user' };
}

function applyEdits(before: Snapshot, writer: number | null, edits: readonly Edit[]) {
  const batch = Workbook.open(before).apply(edits, createContext({ writer, rights: { owner: 1, hidden: [] } }));
  assert.ok(batch.kind === 'applied');
  return batch.change;
}

function listWriters(snapshot: Snapshot): readonly (number | null)[] {
  return [...(snapshot.sheets[0]?.columns[0]?.runs ?? [])].map((run) => run.writer);
}

/** Changes in which formulas of two users are rewritten, overwritten, or deleted with their sheet. */
function createHistory() {
  const empty = Workbook.create(SETTINGS, 'One').head;
  const first = applyEdits(empty, ANNA, [
    { kind: 'addSheet', name: 'Two' },
    createFormulaEdit(0, ['=1+1', '=Two!A1', 'text']),
  ]);
  const second = applyEdits(first.after, BEN, [createFormulaEdit(1, ['=2+2', '=3+3'])]);
  const third = applyEdits(second.after, null, [
    { kind: 'deleteSheet', sheet: 2 },
    createFormulaEdit(0, ['1', '2', '3,5']),
  ]);
  return [first, second, third] as const;
}

test('rewriting stored forms with the same writers leaves their bytes unchanged', () => {
  for (const change of createHistory()) {
    const { meta } = encodeCheckpoint(change.after, -1);
    assert.deepEqual(checkpointWithWriters(meta, keepWriter), meta);
    assert.deepEqual(deltaWithWriters(encodeDelta(change), keepWriter), encodeDelta(change));
    assert.deepEqual(inverseWithWriters(encodeInverse(change), keepWriter), encodeInverse(change));
  }
});

test('every stored form can be rewritten with other writers of formulas', () => {
  const [first, second, third] = createHistory();
  const { meta, chunks } = encodeCheckpoint(first.after, -1);
  const restored = restoreCheckpoint(checkpointWithWriters(meta, replaceWriter), chunks);
  assert.deepEqual(
    [listWriters(first.after), listWriters(restored)],
    [
      [ANNA, ANNA],
      [5_000, 5_000],
    ],
  );
  const after = applyDelta(restored, deltaWithWriters(encodeDelta(second), replaceWriter));
  assert.deepEqual(
    [listWriters(second.after), listWriters(after)],
    [
      [ANNA, BEN, BEN],
      [5_000, null, null],
    ],
  );
  const inverse = decodeInverse(inverseWithWriters(encodeInverse(third), replaceWriter));
  const inputs = inverse.blocks.flatMap(({ items }) => items.map(({ input }) => input));
  const writersInInverse = inputs.flatMap((input) => (input.kind === 'formula' ? [input.writer] : []));
  assert.deepEqual(new Set(writersInInverse), new Set([5_000, null]));
});

test('refuses truncated bytes and chunks outside the grid', () => {
  const [, , third] = createHistory();
  const inverse = encodeInverse(third);
  const delta = encodeDelta(third);
  for (let length = 0; length < inverse.length; length++) {
    assert.throws(() => decodeInverse(inverseWithWriters(inverse.subarray(0, length), keepWriter)), `${length}`);
  }
  for (let length = 0; length < delta.length; length++) {
    assert.throws(() => applyDelta(third.moved, deltaWithWriters(delta.subarray(0, length), keepWriter)), `${length}`);
  }
  const { meta } = encodeCheckpoint(third.after, -1);
  for (const position of [
    { column: 1e9, block: 0 },
    { column: 0, block: 1e9 },
    { column: -1, block: 0 },
    { column: 0.5, block: 0 },
  ]) {
    assert.throws(() => restoreCheckpoint(meta, [{ sheet: 1, ...position, bytes: new Uint8Array(9) }]), /outside/);
  }
});
