import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellView, type Snapshot } from '@cellwire/engine';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { prepareQuery } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import { ON_POSTGRES } from '../../../store/test/postgres/folder-databases.ts';
import { loadDocument } from '../../src/documents/load-state.ts';
import type { OpenDocument } from '../../src/documents/types.ts';
import {
  createDocument,
  createInstallation,
  getFirstSheetId,
  openDocument,
  openInstallation,
  readSnapshot,
  readValue,
  setValue,
} from './support.ts';

const ROWS = 4;
const COLUMNS = 3;

const revisionsOf = prepareQuery((p: { id: string }) =>
  sql.selectFrom('commits').select('revision').where('document_id', '=', p.id).orderBy('revision'),
);

/** Typed into the column after the plain values. The log must carry results, formats and spills, too. */
const TYPED_INPUTS = ['=SUM(A1:C4)', '=A1:B2', '=E1+1', '31.12.2026', '12,5%', '', 'text'] as const;

type InterleavedStep =
  | {
      readonly kind: 'write';
      readonly side: 0 | 1;
      readonly row: number;
      readonly column: number;
      readonly wait: boolean;
    }
  | { readonly kind: 'type'; readonly side: 0 | 1; readonly row: number; readonly text: string }
  | { readonly kind: 'read'; readonly side: 0 | 1 }
  | { readonly kind: 'turn' };

const side = fc.constantFrom<0 | 1>(0, 1);
const step: fc.Arbitrary<InterleavedStep> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      side,
      row: fc.nat(ROWS - 1),
      column: fc.nat(COLUMNS - 1),
      wait: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('type' as const),
      side,
      row: fc.nat(ROWS - 1),
      text: fc.constantFrom(...TYPED_INPUTS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('read' as const), side }) },
  { weight: 1, arbitrary: fc.constant<InterleavedStep>({ kind: 'turn' }) },
);

function listCells(snapshot: Snapshot): readonly unknown[] {
  return Array.from({ length: ROWS * COLUMNS }, (_, i) => readValue(snapshot, Math.floor(i / COLUMNS), i % COLUMNS));
}

/** All visible parts of the cells. */
function listCellViews(snapshot: Snapshot): readonly unknown[] {
  const sheet = getFirstSheetId(snapshot);
  return Array.from({ length: 2 * ROWS }, (_, row) =>
    Array.from({ length: COLUMNS + 3 }, (_, column) => cellView(snapshot, sheet, row, column)),
  );
}

test('writes from two processes interleaved in any way form one history that both follow', async (t) => {
  const first = await createInstallation(t);
  const second = openInstallation(t, first.folder);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const id = await createDocument(first.documents);
      const sides = [await openDocument(first.documents, id), await openDocument(second.documents, id)] as const;
      const history = await performSteps(steps, sides);
      const count = steps.filter(({ kind }) => kind === 'write' || kind === 'type').length;
      const expected = Array.from({ length: count }, (_, i) => i + 1);
      assert.deepEqual(
        (await first.database.read(revisionsOf({ id }))).map(({ revision }) => revision),
        expected,
      );
      assert.deepEqual(
        [...history.keys()].toSorted((a, b) => a - b),
        expected,
      );
      const final: unknown[] = new Array(ROWS * COLUMNS).fill(null);
      for (const revision of expected) {
        const { cell, value } = history.get(revision) as WrittenCell;
        if (cell !== null) final[cell] = value;
      }
      for (const document of sides) {
        const snapshot = await readSnapshot(document);
        assert.equal(snapshot.revision, count);
        assert.deepEqual(listCells(snapshot), final);
        assert.deepEqual(listCellViews(snapshot), listCellViews(await readSnapshot(sides[0])));
      }
      const stored = await loadDocument({ database: first.database }, id);
      assert.deepEqual(stored && listCellViews(stored.state.snapshot), listCellViews(await readSnapshot(sides[0])));
    }),
    { numRuns: scaleRunCount(ON_POSTGRES ? 60 : 120) },
  );
});

interface WrittenCell {
  /** null for typed text. */
  readonly cell: number | null;
  readonly value: number;
}

/** Performs the steps; returns the writes by revision, as reported to their writers. */
async function performSteps(steps: readonly InterleavedStep[], sides: readonly [OpenDocument, OpenDocument]) {
  const history = new Map<number, WrittenCell>();
  const lastReadRevisions = [0, 0];
  const pending: Promise<void>[] = [];
  for (const [value, nextStep] of steps.entries()) {
    if (nextStep.kind === 'turn') await new Promise(setImmediate);
    else if (nextStep.kind === 'read') {
      const { revision } = await readSnapshot(sides[nextStep.side]);
      assert.ok(revision >= (lastReadRevisions[nextStep.side] as number), 'a reader never goes back');
      lastReadRevisions[nextStep.side] = revision;
    } else {
      const [at, input] = nextStep.kind === 'write' ? [nextStep.column, value] : [COLUMNS + 1, nextStep.text];
      const cell = nextStep.kind === 'write' ? nextStep.row * COLUMNS + nextStep.column : null;
      const written = sides[nextStep.side].write(setValue(nextStep.row, at, input)).then((outcome) => {
        assert.equal(outcome.kind, 'written');
        if (outcome.kind === 'written') history.set(outcome.reply, { cell, value });
      });
      pending.push(written);
      if (nextStep.kind === 'write' && nextStep.wait) await written;
    }
  }
  await Promise.all(pending);
  return history;
}
