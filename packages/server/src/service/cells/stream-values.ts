import { type Area, cellView, getGrammar, jsonText, type Render, renderCell, type Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import type { InputLocale } from '../../access/input-locale.ts';
import type { ServiceContext } from '../context.ts';
import { openResumedReading } from '../history/revisions.ts';
import { openReading } from '../open-table.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { resolveInputLocale } from './input-locale.ts';
import { closeOpenArea, resolveReadableRange } from './read-values.ts';
import { formatEndLine } from './stream-lines.ts';

/** The requested rows of a range. */
interface RowsRequest {
  readonly range: string;
  readonly offset: number;
  /** Maximum rows; null: all rows. */
  readonly limit: number | null;
  /** Null: the newest. */
  readonly revision: number | null;
  /** Null: cells as objects. */
  readonly render: Render | null;
  readonly inputLocale: InputLocale | null;
}

/** Rows as lines, and the revision that they are read at. */
interface RowLines {
  readonly lines: Iterable<string>;
  readonly revision: number;
}

/**
 * The rows of a range at one revision, each a line of JSON text in the form of `cells`, then a line that marks the end.
 */
export async function streamRange(
  context: ServiceContext,
  access: DocumentAccess,
  { range, offset, limit, revision, render, inputLocale }: RowsRequest,
): Promise<RowLines | Refusal> {
  const reading = await (revision === null
    ? openReading(context, access)
    : openResumedReading(context, access, revision));
  if (isRefusal(reading)) return reading;
  const { snapshot } = reading;
  const target = resolveReadableRange(snapshot, access, range);
  if (isRefusal(target)) return target;
  const area = closeOpenArea(target.sheet, target.area);
  const total = area === null ? 0 : area.bottom - area.top + 1;
  const count = Math.max(0, Math.min(limit ?? total, total - offset));
  const read = area && { ...area, top: area.top + offset, bottom: area.top + offset + count - 1 };
  const { sheet } = target;
  const grammar = getGrammar(resolveInputLocale(inputLocale, access, snapshot));
  const readCell = (row: number, column: number) =>
    render === null
      ? cellView(snapshot, sheet.id, row, column, grammar)
      : renderCell(snapshot, sheet, row, column, render);
  return { lines: writeRowLines(snapshot, readCell, read, count), revision: snapshot.revision };
}

/** Maximum number of cells in one piece of a row. */
const CELLS_PER_PIECE = 1_024;

/** NDJSON lines with one row each, a wide row in several pieces, and the line that marks the end. */
function* writeRowLines(
  snapshot: Snapshot,
  readCell: (row: number, column: number) => unknown,
  area: Area | null,
  rowCount: number,
): Iterable<string> {
  if (area !== null) {
    for (let row = area.top; row <= area.bottom; row++) {
      for (let first = area.left; first <= area.right; first += CELLS_PER_PIECE) {
        const end = Math.min(first + CELLS_PER_PIECE, area.right + 1);
        const cells = [];
        for (let column = first; column < end; column++) cells.push(readCell(row, column));
        const text = jsonText(cells).slice(1, -1);
        yield `${first === area.left ? '[' : ','}${text}${end > area.right ? ']\n' : ''}`;
      }
    }
  }
  yield formatEndLine(rowCount, snapshot.revision);
}
