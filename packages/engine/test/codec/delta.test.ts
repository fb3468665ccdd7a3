import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyDelta, type Edit, encodeDelta, type Input, type Snapshot, Workbook } from '../../src/index.ts';
import { createContext, describeContents } from '../workbook/book.ts';

const SETTINGS = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;

function createColumnEdit(values: readonly Input[]): Edit {
  return { kind: 'setValues', sheet: 1, row: 0, column: 0, values: values.map((value) => [value]), mode: 'raw' };
}

/** Applies an edit and returns the new state and the delta to it. */
function applyEdit(before: Snapshot, edit: Edit): { readonly after: Snapshot; readonly delta: Uint8Array } {
  const batch = Workbook.open(before).apply([edit], createContext());
  assert.ok(batch.kind === 'applied');
  return { after: batch.change.after, delta: encodeDelta(batch.change) };
}

const text = fc.constantFrom('', 'Riga', 'Рига', 'x'.repeat(300), `${'я'.repeat(5_000)}\ud800`, 'a', 'b');
const value = fc.oneof({ weight: 3, arbitrary: text }, fc.integer(), fc.boolean(), fc.double({ noNaN: true }));

test('a delta restores repeated texts and the cells between them', () => {
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 300 }),
      fc.array(value, { maxLength: 20 }),
      (firstValues, secondValues) => {
        const empty = Workbook.create(SETTINGS, 'Sheet1').head;
        const first = applyEdit(empty, createColumnEdit(firstValues));
        const replica = applyDelta(empty, first.delta);
        assert.deepEqual(describeContents(replica), describeContents(first.after));
        const second = applyEdit(
          first.after,
          createColumnEdit(secondValues.length === 0 ? ['Riga', 'Riga'] : secondValues),
        );
        assert.deepEqual(describeContents(applyDelta(replica, second.delta)), describeContents(second.after));
      },
    ),
    { numRuns: 60 },
  );
});

test('a delta contains a long text of many cells once per 256 rows', () => {
  const empty = Workbook.create(SETTINGS, 'Sheet1').head;
  const { delta } = applyEdit(empty, createColumnEdit(new Array<string>(2_560).fill('x'.repeat(10_000))));
  assert.ok(delta.length < 10 * (10_000 + 256 * 8) + 1_000, `${delta.length} bytes`);
});

test('the size of a delta depends only on the changed names and tables', () => {
  const names = Array.from(
    { length: 2_000 },
    (_, i): Edit => ({ kind: 'setName', name: `rate_${i}`, refersTo: `=${i}` }),
  );
  const table: Edit = { kind: 'setTable', name: 'Sales', sheet: 1, area: { top: 0, left: 0, bottom: 1, right: 1 } };
  const edits: readonly Edit[] = [
    { kind: 'setName', name: 'rate_1000', refersTo: '=Sheet1!$A$5' },
    { kind: 'deleteName', name: 'rate_7' },
    { kind: 'moveCells', move: { kind: 'insert', sheet: 1, axis: 'rows', at: 1, count: 2 } },
    { kind: 'append', sheet: 1, column: 0, values: [[1, 2]], mode: 'raw' },
    { kind: 'renameSheet', sheet: 1, name: 'Orders' },
    { kind: 'deleteTable', name: 'Sales' },
  ];
  const full = Workbook.open(Workbook.create(SETTINGS, 'Sheet1').head).apply([...names, table], createContext());
  assert.ok(full.kind === 'applied');
  let state = full.change.after;
  let copy = applyDelta(Workbook.create(SETTINGS, 'Sheet1').head, encodeDelta(full.change));
  for (const edit of edits) {
    const { after, delta } = applyEdit(state, edit);
    assert.ok(delta.length < 1_500, `${edit.kind}: ${delta.length} bytes`);
    [state, copy] = [after, applyDelta(copy, delta)];
    assert.deepEqual(describeContents(copy), describeContents(state), edit.kind);
  }
});
