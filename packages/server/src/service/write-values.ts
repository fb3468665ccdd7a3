import type { Edit, EditOutcome, OpenArea } from '@cellwire/engine';
import { areaText } from '@cellwire/engine';
import type { DocumentAccess } from '../access/access.ts';
import type { Done, Head, SheetEntry } from '../documents/types.ts';
import type { AuditAction, AuditNote } from './audit-log.ts';
import type { ServiceContext } from './context.ts';
import type { InputOptions, Matrix } from './inputs.ts';
import { fits, rowsOf } from './inputs.ts';
import type { Target } from './ranges.ts';
import { locate, parseRange, withSheet } from './ranges.ts';
import type { Refusal } from './refusal.ts';
import { answerTo, INVALID_RANGE, isRefusal, SHEET_PROTECTED } from './refusal.ts';
import type { Reply } from './reply.ts';
import type { WriteRequest } from './write.ts';
import { write } from './write.ts';

/** One block of values and where it goes. */
interface Block {
  readonly range: string;
  readonly values: Matrix;
}

/** PUT: the range's first cell is the anchor, the values' shape decides what is written (contract, write rule 1). */
export async function putValues(
  context: ServiceContext,
  request: WriteRequest,
  { range, values }: Block,
  options: InputOptions,
): Promise<Reply | Refusal> {
  const rows = oneMatrix(context, values, options);
  if (isRefusal(rows)) return rows;
  return write(context, request, (head, access) => {
    const edit = setValues(head, access, range, rows, options);
    if (isRefusal(edit)) return edit;
    return {
      edits: [edit],
      describe: (done) => {
        const written = writtenOf(done, firstOutcome(done));
        return { body: { updated: written }, notes: [noteOf('update', written)] };
      },
    };
  });
}

/** All blocks or none, in one revision. */
export async function batchUpdate(
  context: ServiceContext,
  request: WriteRequest,
  blocks: readonly Block[],
  options: InputOptions,
): Promise<Reply | Refusal> {
  const sent = blocks.map(({ values }, index) => ({ field: `data.${index}.values`, values }));
  const matrices = rowsOf(sent, options, context.config.limits);
  if (isRefusal(matrices)) return matrices;
  return write(context, request, (head, access) => {
    const planned = blocks.map(({ range }, index) =>
      setValues(head, access, range, matrices[index] as Matrix, options),
    );
    const refusal = gravest(planned.filter(isRefusal));
    if (refusal !== null) return refusal;
    return {
      edits: planned.filter((edit) => !isRefusal(edit)),
      describe: (done) => {
        const written = done.outcomes.map((outcome) => writtenOf(done, outcome));
        const ranges = written.map(({ sheet, ...figures }, index) => ({
          sheet,
          range: blocks[index]?.range,
          ...figures,
        }));
        const cells = written.reduce((sum, figures) => sum + figures.cells, 0);
        return { body: { updated: { ranges, cells } }, notes: written.map((figures) => noteOf('update', figures)) };
      },
    };
  });
}

/** Below the last filled row of the whole sheet; the range gives the sheet and the first column. */
export async function appendValues(
  context: ServiceContext,
  request: WriteRequest,
  { range, values }: Block,
  options: InputOptions,
): Promise<Reply | Refusal> {
  const rows = oneMatrix(context, values, options);
  if (isRefusal(rows)) return rows;
  return write(context, request, (head, access) => {
    const target = editable(head, access, range, (area) => fits(0, area.left, rows));
    if (isRefusal(target)) return target;
    const column = target.area.left;
    return {
      edits: [{ kind: 'append', sheet: target.sheet.id, column, values: rows, mode: options.mode }],
      describe: (done) => {
        const outcome = firstOutcome(done);
        const { sheet, ...figures } = writtenOf(done, outcome);
        const updated = { sheet, startRow: (outcome.area?.top ?? 0) + 1, ...figures };
        return { body: { updated }, notes: [noteOf('append', figures)] };
      },
    };
  });
}

function oneMatrix(context: ServiceContext, values: Matrix, options: InputOptions): Matrix | Refusal {
  const matrices = rowsOf([{ field: 'values', values }], options, context.config.limits);
  return isRefusal(matrices) ? matrices : (matrices[0] as Matrix);
}

/** Removes filled cells; number formats stay. */
export async function clearValues(
  context: ServiceContext,
  request: WriteRequest,
  range: string,
): Promise<Reply | Refusal> {
  return write(context, request, (head, access) => {
    const target = editable(head, access, range, () => true);
    if (isRefusal(target)) return target;
    const { sheet, area } = target;
    return {
      edits: [{ kind: 'clear', sheet: sheet.id, area }],
      describe: (done) => {
        const { cells } = firstOutcome(done);
        return {
          body: { updated: { sheet: sheet.name, cells } },
          notes: [{ action: 'clear', range: withSheet(sheet.name, areaText(area)), cells }],
        };
      },
    };
  });
}

/** A batch is refused for what is wrong with it before what is missing, and that before what is forbidden. */
const BATCH_ORDER = [422, 404, 403];

function gravest(refusals: readonly Refusal[]): Refusal | null {
  const rank = (refusal: Refusal): number => BATCH_ORDER.indexOf(answerTo(refusal).status);
  return refusals.reduce<Refusal | null>((worst, next) => (worst && rank(worst) <= rank(next) ? worst : next), null);
}

/** What is wrong with the range comes first, then a missing sheet, then a protected one. */
function editable(
  head: Head,
  access: DocumentAccess,
  text: string,
  fitting: (area: OpenArea) => boolean,
): Target<SheetEntry> | Refusal {
  const range = parseRange(text);
  if (isRefusal(range)) return range;
  if (!fitting(range.area)) return INVALID_RANGE;
  const target = locate(head.sheets, range);
  if (isRefusal(target)) return target;
  return access.lockedSheets.has(target.sheet.id) ? SHEET_PROTECTED : target;
}

function setValues(
  head: Head,
  access: DocumentAccess,
  range: string,
  rows: Matrix,
  { mode }: InputOptions,
): Edit | Refusal {
  const target = editable(head, access, range, (area) => fits(area.top, area.left, rows));
  if (isRefusal(target)) return target;
  const { sheet, area } = target;
  return { kind: 'setValues', sheet: sheet.id, row: area.top, column: area.left, values: rows, mode };
}

/** The figures of the contract's `updated` object. */
interface Written {
  readonly sheet: string;
  readonly updatedRange: string;
  readonly updatedRows: number;
  readonly updatedColumns: number;
  readonly updatedCells: number;
  readonly cells: number;
}

function firstOutcome({ outcomes }: Done): EditOutcome {
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error('an edit has no outcome');
  return outcome;
}

function writtenOf({ after }: Done, { sheet: id, area, cells }: EditOutcome): Written {
  const sheet = after.find((held) => held.id === id);
  if (sheet === undefined || area === null) throw new Error('values were written to no cells');
  return {
    sheet: sheet.name,
    updatedRange: withSheet(sheet.name, areaText(area)),
    updatedRows: area.bottom - area.top + 1,
    updatedColumns: area.right - area.left + 1,
    updatedCells: cells,
    cells,
  };
}

function noteOf(action: AuditAction, { updatedRange, cells }: Pick<Written, 'updatedRange' | 'cells'>): AuditNote {
  return { action, range: updatedRange, cells };
}
