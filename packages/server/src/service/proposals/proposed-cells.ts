import { areaText, type CellView } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import { MAX_PROPOSED_CELLS } from '../../limits/proposals.ts';
import type { ServiceContext } from '../context.ts';
import { openReading } from '../open-table.ts';
import { formatQualifiedRange, parseRange } from '../ranges.ts';
import { invalidRequest, isRefusal, type Refusal, SHEET_NOT_FOUND, VALUES_HIDDEN } from '../refusal.ts';
import { decodeContent } from './content.ts';
import { computeCurrentState, previewNewest, toProposalAuthor } from './current-changes.ts';
import { transfersHiddenCells } from './hidden-writes.ts';
import { findProposal } from './read.ts';
import { checkIsOpen } from './view.ts';

/** Cells as they would be after a proposal is applied. */
interface ProposedCells {
  readonly range: string;
  readonly cells: readonly (readonly (CellView | null)[])[];
}

/** Reads cells of the state that applying an open proposal would leave, at their positions and sheet names there. */
export async function readProposedCells(
  context: ServiceContext,
  access: DocumentAccess,
  { id, range }: { readonly id: string; readonly range: string },
): Promise<ProposedCells | Refusal> {
  const parsed = parseRange(range);
  if (isRefusal(parsed)) return parsed;
  const { sheet, area } = parsed;
  if (sheet === null) return invalidRequest('range', 'range must name a sheet');
  if ((area.bottom - area.top + 1) * (area.right - area.left + 1) > MAX_PROPOSED_CELLS) {
    return invalidRequest('range', `range must have at most ${MAX_PROPOSED_CELLS} cells`);
  }
  const row = await findProposal(context, access.documentId, id);
  if (isRefusal(row)) return row;
  const closed = checkIsOpen(row, context.clock());
  if (closed !== null) return closed;
  const reading = await openReading(context, access);
  if (isRefusal(reading)) return reading;
  const content = await decodeContent(row.content);
  if (transfersHiddenCells(content, access)) return VALUES_HIDDEN;
  const present = await computeCurrentState(context, access.documentId, row, content, reading);
  const trial = { present, author: toProposalAuthor(row, null), window: { sheetName: sheet, area } };
  const preview = present.conflicts.length > 0 ? null : await previewNewest(context, access, content, trial);
  if (preview === null) {
    return { kind: 'refusal', reason: 'preconditionFailed', revisionId: String(reading.snapshot.revision) };
  }
  const { window } = preview;
  if (window === null) return SHEET_NOT_FOUND;
  if (access.hiddenSheets.has(window.sheet)) return VALUES_HIDDEN;
  return { range: formatQualifiedRange(sheet, areaText(area)), cells: window.cells };
}
