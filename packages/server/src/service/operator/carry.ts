import { DAMAGED_DOCUMENT, StoreError } from '@cellwire/store';
import { documentIdsAfter } from '@cellwire/store/documents';
import {
  checkShapes,
  compare,
  copy,
  type DamageList,
  type TransferSource,
  type TransferTarget,
} from '@cellwire/store/transfer';
import { readDocument } from '../../documents/load-state.ts';
import { invalidRequest, type Refusal } from '../refusal.ts';
import { isSystemError, whatIsWrong } from './system-error.ts';

/** Told what goes on and how far it is, `done` of `total`. */
export type OnStep = (what: string, done: number, total: number) => void;

/** Documents that are listed at a time. */
const LISTED = 500;

/**
 * Carries everything into an empty place and proves it there: every row is held against its original, and every document
 * is opened. Rejects with `StoreError` where something is not as it was; the place is the caller's to finish or abandon.
 */
export async function carry(
  open: () => Promise<TransferSource>,
  target: TransferTarget,
  onStep: OnStep,
): Promise<void> {
  await withSource(open, async (source) => {
    checkShapes(source.tables, await target.prepare(source.migrations));
    await copy(source, target, (done, total) => onStep('Writing', done, total));
  });
  await withSource(open, (source) => compare(source, target, (done, total) => onStep('Comparing', done, total)));
  await target.update();
}

async function withSource(
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

/** Opens every document, each by itself, and notes those that do not open. */
export async function openAll(
  { reader }: Pick<TransferTarget, 'reader'>,
  total: number,
  damage: DamageList,
  onStep: OnStep,
): Promise<void> {
  let done = 0;
  for (let after = ''; ; ) {
    const [rows] = await reader.readAll([documentIdsAfter({ after, limit: LISTED })]);
    for (const { id } of rows) {
      try {
        await readDocument(reader, id);
      } catch (error) {
        if (!damage.has(id)) damage.add(id, `it does not open: ${error instanceof Error ? error.message : error}`);
      }
      onStep('Opening documents', ++done, total);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < LISTED) return;
    after = last.id;
  }
}

/** What an operator can do something about; everything else is a failure. */
const EXPECTED: ReadonlySet<string> = new Set([
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

/** Makes a refusal of what a task was kept from by what it found. */
export async function orRefusal<T>(field: string, task: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof StoreError && EXPECTED.has(error.code)) return invalidRequest(field, error.message);
    if (isSystemError(error)) return invalidRequest(field, whatIsWrong(error));
    throw error;
  }
}
