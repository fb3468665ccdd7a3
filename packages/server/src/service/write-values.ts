import type { Edit, EditOutcome, Entering, OpenArea, Snapshot } from '@cellwire/engine';
import { areaText } from '@cellwire/engine';
import type { DocumentAccess } from '../access/access.ts';
import type { Done, SheetEntry } from '../documents/types.ts';
import { inSlices } from '../event-loop/slices.ts';
import type { Soon } from '../event-loop/soon.ts';
import { soon } from '../event-loop/soon.ts';
import { MAX_REPLY_BYTES } from '../limits/limits.ts';
import type { AuditAction, AuditNote } from './audit-log.ts';
import type { ServiceContext } from './context.ts';
import { inputLocaleOf } from './input-locale.ts';
import type { InputOptions, Matrix, SentCells } from './inputs.ts';
import { fits, rowsOf } from './inputs.ts';
import type { FindSheet, Target } from './ranges.ts';
import { locate, parseRange, sheetFinder, withSheet } from './ranges.ts';
import type { Refusal } from './refusal.ts';
import { answerTo, INVALID_RANGE, isRefusal, RESPONSE_TOO_LARGE, SHEET_PROTECTED } from './refusal.ts';
import type { Reply } from './reply.ts';
import type { WriteRequest } from './write.ts';
import { write } from './write.ts';

/** One block of values and where it goes. */
interface Block {
  readonly range: string;
  readonly values: SentCells;
}

/** PUT: the range's first cell is the anchor, the values' shape decides what is written (contract, write rule 1). */
export async function putValues(
  context: ServiceContext,
  request: WriteRequest,
  { range, values }: Block,
  options: InputOptions,
): Promise<Reply | Refusal> {
  const read = oneMatrix(context, values, options);
  const rows = read instanceof Promise ? await read : read;
  if (isRefusal(rows)) return rows;
  return write(context, request, (head, access) => {
    const target = editable(sheetFinder(head.sheets), access, range, (area) => fits(area.top, area.left, rows));
    if (isRefusal(target)) return target;
    return {
      edits: [settingAt(target, rows, enteringOf(options, access, head.snapshot))],
      target: placeOf(target),
      describe: (done) => {
        const written = onlyWritten(done);
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
  const matrices = await inSlices(rowsOf(sent, options, context.config.limits));
  if (isRefusal(matrices)) return matrices;
  return write(context, request, (head, access) => {
    const find = sheetFinder(head.sheets);
    const entering = enteringOf(options, access, head.snapshot);
    const proposed = blocks.map(({ range }, index) =>
      setValues(find, access, range, matrices[index] as Matrix, entering),
    );
    const refusal = gravest(proposed.filter(isRefusal));
    if (refusal !== null) return refusal;
    const edits = proposed.filter((edit) => !isRefusal(edit));
    if (replyBytes(head.sheets, edits, blocks) > MAX_REPLY_BYTES) return RESPONSE_TOO_LARGE;
    return {
      edits,
      describe: (done) => {
        const sheets = new Map(done.after.map((sheet) => [sheet.id, sheet]));
        const written = done.outcomes.map((outcome) => writtenOf(sheets.get(outcome.sheet), outcome));
        const ranges = written.map(
          ({ sheet, updatedRange, updatedRows, updatedColumns, updatedCells, cells }, index) => ({
            sheet,
            range: blocks[index]?.range,
            updatedRange,
            updatedRows,
            updatedColumns,
            updatedCells,
            cells,
          }),
        );
        const cells = written.reduce((sum, figures) => sum + figures.cells, 0);
        return { body: { updated: { ranges, cells } }, notes: written.map((figures) => noteOf('update', figures)) };
      },
    };
  });
}

/** About how long the answer will be: each block's entry has its range as sent, and its sheet's name twice. */
function replyBytes(sheets: readonly SheetEntry[], edits: readonly ValuesEdit[], blocks: readonly Block[]): number {
  const names = new Map(sheets.map(({ id, name }) => [id, Buffer.byteLength(JSON.stringify(name))]));
  return edits.reduce(
    (sum, { sheet }, index) =>
      sum + ENTRY_BYTES + 2 * (names.get(sheet) ?? 0) + Buffer.byteLength(JSON.stringify(blocks[index]?.range)),
    0,
  );
}

/** Bytes of the answer's entry for a block, names and the range as sent not counted. */
const ENTRY_BYTES = 128;

/** Below the last filled row of the whole sheet; the range gives the sheet and the first column. */
export async function appendValues(
  context: ServiceContext,
  request: WriteRequest,
  { range, values }: Block,
  options: InputOptions,
): Promise<Reply | Refusal> {
  const read = oneMatrix(context, values, options);
  const rows = read instanceof Promise ? await read : read;
  if (isRefusal(rows)) return rows;
  return write(context, request, (head, access) => {
    const target = editable(sheetFinder(head.sheets), access, range, (area) => fits(0, area.left, rows));
    if (isRefusal(target)) return target;
    const column = target.area.left;
    const entering = enteringOf(options, access, head.snapshot);
    return {
      target: placeOf(target),
      edits: [{ kind: 'append', sheet: target.sheet.id, column, values: rows, ...entering }],
      describe: (done) => {
        const outcome = firstOutcome(done);
        const { sheet, ...figures } = onlyWritten(done);
        const updated = { sheet, startRow: (outcome.area?.top ?? 0) + 1, ...figures };
        return { body: { updated }, notes: [noteOf('append', figures)] };
      },
    };
  });
}

function oneMatrix(context: ServiceContext, values: SentCells, options: InputOptions): Soon<Matrix | Refusal> {
  const reading = rowsOf([{ field: 'values', values }], options, context.config.limits);
  return soon(inSlices(reading), (matrices) => (isRefusal(matrices) ? matrices : (matrices[0] as Matrix)));
}

/** Removes filled cells; number formats stay. */
export async function clearValues(
  context: ServiceContext,
  request: WriteRequest,
  range: string,
): Promise<Reply | Refusal> {
  return write(context, request, (head, access) => {
    const target = editable(sheetFinder(head.sheets), access, range, () => true);
    if (isRefusal(target)) return target;
    const { sheet, area } = target;
    return {
      target: placeOf(target),
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
  find: FindSheet<SheetEntry>,
  access: DocumentAccess,
  text: string,
  fitting: (area: OpenArea) => boolean,
): Target<SheetEntry> | Refusal {
  const range = parseRange(text);
  if (isRefusal(range)) return range;
  if (!fitting(range.area)) return INVALID_RANGE;
  const target = locate(find, range);
  if (isRefusal(target)) return target;
  return access.lockedSheets.has(target.sheet.id) ? SHEET_PROTECTED : target;
}

type ValuesEdit = Extract<Edit, { readonly kind: 'setValues' }>;

function setValues(
  find: FindSheet<SheetEntry>,
  access: DocumentAccess,
  range: string,
  rows: Matrix,
  entering: Entering,
): ValuesEdit | Refusal {
  const target = editable(find, access, range, (area) => fits(area.top, area.left, rows));
  return isRefusal(target) ? target : settingAt(target, rows, entering);
}

function settingAt({ sheet, area }: Target<SheetEntry>, values: Matrix, entering: Entering): ValuesEdit {
  return { kind: 'setValues', sheet: sheet.id, row: area.top, column: area.left, values, ...entering };
}

/** How the engine is to read what was sent. */
function enteringOf({ mode, inputLocale }: InputOptions, access: DocumentAccess, snapshot: Snapshot): Entering {
  const locale = mode === 'raw' ? null : inputLocaleOf(inputLocale, access, snapshot);
  return locale === null ? { mode } : { mode, locale };
}

function placeOf({ sheet, area }: Target<SheetEntry>) {
  return { sheet: sheet.id, area };
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

function onlyWritten(done: Done): Written {
  const outcome = firstOutcome(done);
  return writtenOf(
    done.after.find(({ id }) => id === outcome.sheet),
    outcome,
  );
}

function writtenOf(sheet: SheetEntry | undefined, { area, cells }: EditOutcome): Written {
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
