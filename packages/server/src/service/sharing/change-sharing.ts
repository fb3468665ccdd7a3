import type { Statement } from '@cellwire/store';
import { ACCESS_CHANGED, accessUnchanged, bumpAccessEpoch } from '@cellwire/store/accounts';
import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import { deriveRights, readSharing, type SharingInputs } from '../../documents/rights.ts';
import { IMPORT_CALCULATION_CELLS, IMPORT_CALCULATION_MS } from '../../limits/jobs.ts';
import { type CommitConflict, commitWithoutRights } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { toUnwrittenResult } from '../write.ts';

type SharingContext = Pick<ServiceContext, 'database' | 'documents'>;

/** A change of the rights in a document. */
export interface SharingChange {
  readonly statements: readonly Statement[];
  /** Further statements of the unit that stores the change. */
  readonly extraStatements?: readonly Statement[];
  /** Returns the sharing after the change. */
  readonly sharing: (before: SharingInputs) => SharingInputs;
}

const SHARING_DONE = { kind: 'done' } as const;
const AUTHOR = { userId: null, origin: 'access', tokenId: null, tokenName: null };
/** The limits are high, so that slow formulas cannot prevent hiding a sheet. */
const LIMITS = { calculationMs: IMPORT_CALCULATION_MS, calculationCells: IMPORT_CALCULATION_CELLS };

/** Changes the rights in a document for the operator. Null on success. */
export async function changeSharing(
  context: SharingContext,
  document: string,
  change: SharingChange,
): Promise<Refusal | null> {
  const outcome = await commitWithoutRights<typeof SHARING_DONE>(
    async () => (await tryChangeSharing(context, document, change, null)) ?? SHARING_DONE,
  );
  return isRefusal(outcome) ? outcome : null;
}

/**
 * Changes the rights in a document. If users will see more or fewer of its values, the same commit recalculates the
 * formulas concerned, so that no one reads results calculated with the old rights. Null on success.
 * `accessEpoch`: the access epoch of the rights that allow the change; null: the operator. Conflict `ACCESS_CHANGED`: access has
 * changed since.
 */
export async function tryChangeSharing(
  { database, documents }: SharingContext,
  id: string,
  change: SharingChange,
  accessEpoch: number | null,
): Promise<Refusal | CommitConflict | null> {
  const { epoch, sharing: before } = await readSharing(database, id);
  if (accessEpoch !== null && accessEpoch !== epoch) return { kind: 'conflict', conflict: ACCESS_CHANGED };
  const sharing = change.sharing(before);
  const { statements: changes, extraStatements = [] } = change;
  const statements = [accessUnchanged({ version: epoch }), ...changes, ...extraStatements, bumpAccessEpoch({})];
  const sheets = findReaderChanges(before, sharing);
  if (sheets.length === 0) {
    const outcome = await database.write({ document: id, statements });
    return outcome.kind === 'committed' ? null : outcome;
  }
  const document = await documents.open(id, before.ownerId);
  if (document === null) return DOCUMENT_NOT_FOUND;
  const outcome = await document.write<null, never>(() => ({
    kind: 'proposal',
    edits: [{ kind: 'recalculate', readersOf: sheets }],
    author: AUTHOR,
    sharing,
    limits: LIMITS,
    finish: () => ({ reply: null, statements }),
  }));
  return outcome.kind === 'written' ? null : toUnwrittenResult(outcome);
}

/** Hidden sheets whose set of readers changes. */
function findReaderChanges(before: SharingInputs, after: SharingInputs): readonly number[] {
  const [old, now] = [listSheetReaders(before), listSheetReaders(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter((sheet) => old.get(sheet) !== now.get(sheet));
}

/** The readers of each hidden sheet, the owner first, as comparable text. */
function listSheetReaders(sharing: SharingInputs): ReadonlyMap<number, string> {
  const { owner, hidden } = deriveRights(sharing);
  return new Map(hidden.map(({ sheet, seenBy }) => [sheet, [owner, ...seenBy.toSorted((a, b) => a - b)].join()]));
}
