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
import { contextWith } from '../workbook/dialect.ts';

const SETTINGS = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;
const [ANNA, BEN] = [7, 300];
const there = (writer: number) => (writer === ANNA ? 5_000 : null);
const same = (writer: number) => writer;

function formulas(row: number, values: readonly string[]): Edit {
  return { kind: 'setValues', sheet: 1, row, column: 0, values: values.map((text) => [text]), mode: 'user' };
}

function written(before: Snapshot, writer: number | null, edits: readonly Edit[]) {
  const applied = Workbook.open(before).apply(edits, contextWith({ writer, rights: { owner: 1, hidden: [] } }));
  assert.ok(applied.kind === 'applied');
  return applied.change;
}

function writers(snapshot: Snapshot): readonly (number | null)[] {
  return [...(snapshot.sheets[0]?.columns[0]?.runs ?? [])].map((run) => run.writer);
}

/** Formulas of two users that were rewritten, overwritten, or deleted with their sheet. */
function history() {
  const empty = Workbook.create(SETTINGS, 'One').head;
  const first = written(empty, ANNA, [{ kind: 'addSheet', name: 'Two' }, formulas(0, ['=1+1', '=Two!A1', 'text'])]);
  const second = written(first.after, BEN, [formulas(1, ['=2+2', '=3+3'])]);
  const third = written(second.after, null, [{ kind: 'deleteSheet', sheet: 2 }, formulas(0, ['1', '2', '3,5'])]);
  return [first, second, third] as const;
}

test('stored forms of the same writers are the same bytes', () => {
  for (const change of history()) {
    const { meta } = encodeCheckpoint(change.after, -1);
    assert.deepEqual(checkpointWithWriters(meta, same), meta);
    assert.deepEqual(deltaWithWriters(encodeDelta(change), same), encodeDelta(change));
    assert.deepEqual(inverseWithWriters(encodeInverse(change), same), encodeInverse(change));
  }
});

test('formulas belong to the writers that they are given, in every stored form', () => {
  const [first, second, third] = history();
  const { meta, chunks } = encodeCheckpoint(first.after, -1);
  const moved = restoreCheckpoint(checkpointWithWriters(meta, there), chunks);
  assert.deepEqual(
    [writers(first.after), writers(moved)],
    [
      [ANNA, ANNA],
      [5_000, 5_000],
    ],
  );
  const after = applyDelta(moved, deltaWithWriters(encodeDelta(second), there));
  assert.deepEqual(
    [writers(second.after), writers(after)],
    [
      [ANNA, BEN, BEN],
      [5_000, null, null],
    ],
  );
  const inverse = decodeInverse(inverseWithWriters(encodeInverse(third), there));
  const inputs = inverse.blocks.flatMap(({ items }) => items.map(({ input }) => input));
  const found = inputs.flatMap((input) => (input.kind === 'formula' ? [input.writer] : []));
  assert.deepEqual(new Set(found), new Set([5_000, null]));
});

test('refuses bytes that end too early or lie outside the grid', () => {
  const [, , third] = history();
  const inverse = encodeInverse(third);
  const delta = encodeDelta(third);
  for (let length = 0; length < inverse.length; length++) {
    assert.throws(() => decodeInverse(inverseWithWriters(inverse.subarray(0, length), same)), `${length}`);
  }
  for (let length = 0; length < delta.length; length++) {
    assert.throws(() => applyDelta(third.moved, deltaWithWriters(delta.subarray(0, length), same)), `${length}`);
  }
  const { meta } = encodeCheckpoint(third.after, -1);
  for (const place of [
    { column: 1e9, block: 0 },
    { column: 0, block: 1e9 },
    { column: -1, block: 0 },
    { column: 0.5, block: 0 },
  ]) {
    assert.throws(() => restoreCheckpoint(meta, [{ sheet: 1, ...place, bytes: new Uint8Array(9) }]), /outside/);
  }
});
