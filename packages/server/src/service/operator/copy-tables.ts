import { DAMAGED_DOCUMENT, StoreError } from '@cellwire/store';
import { documentIdsAfter } from '@cellwire/store/documents';
import {
  checkShapes,
  compareAllRows,
  copyAllRows,
  type DamageList,
  type TransferSource,
  type TransferTarget,
} from '@cellwire/store/transfer';
import { readDocument } from '../../documents/load-state.ts';
import { invalidRequest, type Refusal } from '../refusal.ts';
import { describeError, isSystemError } from './system-error.ts';

/** Receives the current step and its progress: `done` of `total`. */
export type OnStep = (step: string, done: number, total: number) => void;

/** Documents that one read of the list returns. */
const DOCUMENTS_PER_READ = 500;

/**
 * Copies everything into an empty target and verifies it there: every row is compared with its original, and every
 * document is opened. Rejects with `StoreError` if something differs; the caller then completes or discards the target.
 */
export async function copyTables(
  open: () => Promise<TransferSource>,
  target: TransferTarget,
  onStep: OnStep,
): Promise<void> {
  await runWithSource(open, async (source) => {
    checkShapes(source.tables, await target.prepare(source.migrations));
    await copyAllRows(source, target, (done, total) => onStep('Writing', done, total));
  });
  await runWithSource(open, (source) =>
    compareAllRows(source, target, (done, total) => onStep('Comparing', done, total)),
  );
  await target.update();
}

/** Opens a source for the task and closes it afterwards. */
async function runWithSource(
  open: () => Promise<TransferSource>,
  task: (source: TransferSource) => Promise<void>,
): Promise<void> {
  const source = await open();
  try {
    await task(source);
  } finally {
    await source.close();
  }
}

/** Opens every document separately, and returns the documents that cannot be opened. */
export async function openAllDocuments(
  { reader }: Pick<TransferTarget, 'reader'>,
  total: number,
  damage: DamageList,
  onStep: OnStep,
): Promise<void> {
  let done = 0;
  for (let after = ''; ; ) {
    const [rows] = await reader.readAll([documentIdsAfter({ after, limit: DOCUMENTS_PER_READ })]);
    for (const { id } of rows) {
      try {
        await readDocument(reader, id);
      } catch (error) {
        if (!damage.hasDocument(id))
          damage.addDamage(id, `it does not open: ${error instanceof Error ? error.message : error}`);
      }
      onStep('Opening documents', ++done, total);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < DOCUMENTS_PER_READ) return;
    after = last.id;
  }
}

/** Errors that an operator can act on; all others are failures of the program. */
const EXPECTED_ERRORS: ReadonlySet<string> = new Set([
  'DAMAGED',
  DAMAGED_DOCUMENT,
  'DIFFERENT',
  'EXISTS',
  'FOREIGN_SCHEMA',
  'IN_USE',
  'NEWER_SCHEMA',
  'NOT_EMPTY',
  'NO_DATA',
  'OTHER_FORMAT',
  'OTHER_SCHEMA',
  'WRONG_ENCODING',
  'WRONG_KEY',
]);

/** Turns an expected error of a task into a refusal. */
export async function refuseOnDamage<T>(field: string, task: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof StoreError && EXPECTED_ERRORS.has(error.code)) return invalidRequest(field, error.message);
    if (isSystemError(error)) return invalidRequest(field, describeError(error));
    throw error;
  }
}
