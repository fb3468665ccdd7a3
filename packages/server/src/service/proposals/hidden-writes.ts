import { type Edit, listNamedSheets } from '@cellwire/engine';
import type { ProposalRow } from '@cellwire/store/proposals';
import type { DocumentAccess } from '../../access/access.ts';
import type { ProposalContent } from './content.ts';
import { parseStoredChanges } from './view.ts';

/** Edits that neither read nor write cells. A user may perform them on a sheet whose values are hidden from the user. */
const EDITS_WITHOUT_CELLS: ReadonlySet<Edit['kind']> = new Set<Edit['kind']>([
  'renameSheet',
  'colorSheet',
  'hideSheet',
  'setName',
  'deleteName',
  'renameName',
]);

/** Edits that show cells of one sheet on another. */
const TRANSFERS: ReadonlySet<Edit['kind']> = new Set<Edit['kind']>(['copy', 'moveCells', 'duplicateSheet']);

/** Whether a proposal would show cells of a sheet whose values are hidden from a user on another sheet. */
export function transfersHiddenCells(
  { edits }: Pick<ProposalContent, 'edits'>,
  { hiddenSheets }: Pick<DocumentAccess, 'hiddenSheets'>,
): boolean {
  if (hiddenSheets.size === 0 || edits === null) return false;
  const transfers = edits.filter(({ kind }) => TRANSFERS.has(kind));
  return transfers.flatMap((edit) => listNamedSheets(edit)).some((sheet) => hiddenSheets.has(sheet));
}

/** Whether a proposal writes, removes or copies cells of a sheet whose values are hidden from a user. */
export function touchesHiddenCells(
  row: Pick<ProposalRow, 'preview' | 'counts'>,
  { edits, writes }: Pick<ProposalContent, 'edits' | 'writes'>,
  { hiddenSheets }: Pick<DocumentAccess, 'hiddenSheets'>,
): boolean {
  if (hiddenSheets.size === 0) return false;
  if (edits === null) return writes.some((sheet) => hiddenSheets.has(sheet));
  const writtenSheets = parseStoredChanges(row).counts.filter((count) => count.written > 0);
  const namedSheets = edits
    .filter(({ kind }) => !EDITS_WITHOUT_CELLS.has(kind))
    .flatMap((edit) => listNamedSheets(edit));
  return [...writtenSheets.map(({ sheet }) => sheet), ...namedSheets].some((sheet) => hiddenSheets.has(sheet));
}
