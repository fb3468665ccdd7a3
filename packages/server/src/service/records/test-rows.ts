import { randomUUID } from 'node:crypto';
import { type Edit, parseRowFormula, type RowTruths, type Snapshot } from '@cellwire/engine';
import { runInSlices, runSynchronously } from '@cellwire/event-loop';
import type { DocumentAccess } from '../../access/access.ts';
import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import type { TestedRows } from '../../documents/preview.ts';
import type { Proposer } from '../../documents/types.ts';
import type { CommitConflict } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { toAuthor, toUnwrittenResult } from '../write.ts';
import type { RecordsPlace } from './place.ts';

/** A state of a document with the results of a formula for its records. */
interface TestedState<T> {
  readonly snapshot: Snapshot;
  /** The random id of the commit. */
  readonly head: string;
  readonly truths: RowTruths;
  /** The result of `find` for the state. */
  readonly result: T;
}

/**
 * Calculates a formula once for each record of the newest state, with the caller's rights. The formulas are placed next
 * to the records on a temporary copy of the sheet that is never committed. Long calculations run in another thread,
 * within the budget of a write.
 */
export async function testRows<T extends { readonly place: RecordsPlace }>(
  context: ServiceContext,
  access: DocumentAccess,
  formula: string,
  find: (snapshot: Snapshot) => Generator<void, T | Refusal>,
): Promise<TestedState<T> | Refusal | CommitConflict> {
  const document = await context.documents.open(access.documentId, access.caller.userId);
  const before = (await document?.readSnapshot()) ?? null;
  if (document === null || before === null) return DOCUMENT_NOT_FOUND;
  // Runs in slices, because the turn of a write must be short.
  const early = await runInSlices(find(before));
  const proposer: Proposer<never, TestedState<T> | Refusal> = (head) => {
    const result = head.snapshot === before ? early : runSynchronously(find(head.snapshot));
    if (isRefusal(result)) return { kind: 'declined', reason: result };
    const { region } = result.place;
    const top = region.header + 1;
    const own = parseRowFormula(head.snapshot, region, formula);
    if (own.kind === 'problem') return { kind: 'declined', reason: invalidRequest('formula', own.message) };
    const tested = { sheet: head.nextSheetId, column: own.column, top, end: Math.max(region.end, top + 1) };
    return {
      kind: 'trial',
      edits: buildRowFormulas(own.text, tested, region.sheet),
      author: toAuthor(access.caller),
      tested,
      show: ({ truths }) => ({
        snapshot: head.snapshot,
        head: head.head,
        truths: { top, holds: truths ?? new Uint8Array(0) },
        result,
      }),
    };
  };
  const outcome = await document.write(proposer, { user: access.caller.userId, bytes: 0 });
  if (outcome.kind === 'written') throw new Error('a trial was written');
  const result = toUnwrittenResult(outcome);
  // The engine's refusal of an entered formula concerns the formula of the request.
  const isOfFormula = outcome.kind === 'refusal' && isRefusal(result) && result.reason === 'invalidRequest';
  return isOfFormula ? invalidRequest('formula', result.message) : result;
}

/** Builds the formula next to each record, on a sheet with an unused name. */
function buildRowFormulas(
  formula: string,
  { sheet, column, top, end }: TestedRows,
  standsFor: number,
): readonly Edit[] {
  const createColumnArea = (bottom: number) => ({ top, left: column, bottom, right: column });
  return [
    { kind: 'addSheet', name: randomUUID(), standsFor },
    { kind: 'setValues', sheet, row: top, column, values: [[formula]], mode: 'user' },
    { kind: 'fill', sheet, area: createColumnArea(top), to: createColumnArea(end - 1) },
  ];
}
