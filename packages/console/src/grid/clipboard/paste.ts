import { type Area, cellText, MAX_COLUMNS, MAX_ROWS, quoteSheetName } from '@cellwire/engine';
import { readClipboard } from '../../data/clipboard.ts';
import type { Failure } from '../../data/http.ts';
import { t } from '../../text/index.ts';
import { readOwn } from '../clipboard-formats/copied-table.ts';
import {
  copyIdOf,
  htmlText,
  type PastedCell,
  type PastedTable,
  pastedFromCopy,
  readHtml,
} from '../clipboard-formats/pasted-table.ts';
import { parseTsv } from '../clipboard-formats/tsv.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { nextShownRows, shownRows } from '../controller/selected-areas.ts';
import { type CellEdit, editAreas, type Outcome, outcomeOf, sendEdits } from '../editing/cell-edits.ts';
import { areaOf, selectionOf } from '../selection/selection.ts';
import { isFilteredOut, type RowStretch, repeatedPairs, rowsIn, stretchesOf } from '../selection/visible-rows.ts';
import { sentValue } from '../session/api-values.ts';
import { refusal } from '../session/cell-refusals.ts';
import { extendUsedArea } from '../session/open-sheet.ts';
import { rangeOf } from '../session/sheet-ranges.ts';
import { PART_CELLS, partsOf, writeParts } from './bulk-transfer.ts';
import { MAX_CELLS } from './copied-cells.ts';

/** What the clipboard gives, as far as it has it. */
interface ClipboardTexts {
  readonly text: string;
  readonly html?: string | undefined;
  readonly own?: string | undefined;
}

/**
 * One paste is one write. Cells that were copied here come with all that they are; other clipboards give what they say of
 * their cells, and a plain text counts as typed. `isValues`: values alone. Rows that a filter hides are left out.
 */
export async function paste(desk: Desk, { text, html = '', own = '' }: ClipboardTexts, isValues = false): Outcome {
  const { taken, selection, filter, sheet, others } = desk.state;
  if (others.length > 0) return refusal(t.grid.oneArea);
  if (isFilteredOut(filter, sheet, selection.active.row)) return refusal(t.grid.filteredOut);
  if (taken !== null && !isValues && copyIdOf(html) === taken.table.id) return pasteTaken(desk, taken);
  const read = html === '' ? null : readHtml(html);
  const copy = (own === '' ? null : readOwn(own)) ?? (read !== null && 'own' in read ? read.own : null);
  const isTaken = taken !== null && (copy === null ? taken.text === plainText(text) : copy.id === taken.table.id);
  if (isTaken && !isValues) return pasteTaken(desk, taken);
  const [top, left] = targetOf(desk);
  const options = { isValues, dateSystem: desk.book.dateSystem, top, left };
  const source = isTaken ? taken.table : copy;
  if (source !== null) return writeTable(desk, pastedFromCopy(source, options));
  if (read !== null && 'foreign' in read) return writeTable(desk, read.foreign);
  const typed = text === '' && html !== '' ? htmlText(html) : text;
  return typed === '' ? refusal(t.grid.nothingToPaste) : writeTable(desk, typedTable(typed));
}

function plainText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '');
}

function typedTable(text: string): PastedTable {
  const rows = parseTsv(text);
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const cells = rows.map((row) =>
    Array.from({ length: width }, (_, i): PastedCell => {
      const input = row[i] ?? '';
      return { input, format: undefined, shown: input };
    }),
  );
  return { cells, locale: null };
}

function targetOf(desk: Desk): readonly [top: number, left: number] {
  const { selection } = desk.state;
  const { top, left } = areaOf(selection);
  return [selection.kind === 'columns' || selection.kind === 'all' ? top : Math.min(top, selection.active.row), left];
}

/** How often a table fits into the selection in whole, each way: 1 where it does not. */
function repeats(desk: Desk, high: number, wide: number): { readonly down: number; readonly across: number } {
  const { selection } = desk.state;
  const { left, right } = areaOf(selection);
  if (selection.kind !== 'cells') return { down: 1, across: 1 };
  const rows = [...rowsIn(shownRows(desk, areaOf(selection)))].length;
  const [down, across] = [rows / high, (right - left + 1) / wide];
  const isWhole = Number.isInteger(down) && Number.isInteger(across) && rows * (right - left + 1) <= MAX_CELLS;
  return isWhole ? { down, across } : { down: 1, across: 1 };
}

async function writeTable(desk: Desk, table: PastedTable): Outcome {
  const high = table.cells.length;
  const wide = table.cells[0]?.length ?? 0;
  if (high === 0 || wide === 0) return null;
  const { down, across } = repeats(desk, high, wide);
  if (high * down * wide * across > MAX_CELLS) return refusal(t.grid.tooManyToPaste(MAX_CELLS));
  const line = (cells: readonly PastedCell[]) => Array.from({ length: across }, () => cells).flat();
  const lines = Array.from({ length: down }, () => table.cells.map(line)).flat();
  const [top, left] = targetOf(desk);
  const rows = nextShownRows(desk, top, lines.length);
  if (rows.length < lines.length || left + wide * across > MAX_COLUMNS) return refusal(t.grid.beyondGrid);
  const right = left + wide * across - 1;
  const { sheet } = desk.state;
  desk.select(selectionOf({ top, left, bottom: rows.at(-1) ?? top, right }), { row: top, column: left });
  if (lines.length * wide * across > PART_CELLS) return writeLarge(desk, { lines, rows, left, locale: table.locale });
  if (isTyped(lines) && areConsecutive(rows) && table.locale === null) {
    return desk.write(sheet, { row: top, column: left }, typedInputs(lines));
  }
  const stretches = stretchesOf(rows.map((to, from) => ({ from, to })));
  const { cells } = desk.sheet;
  const areaOfStretch = ({ to, count }: RowStretch) => ({ top: to, left, bottom: to + count - 1, right });
  const areas = stretches.map(areaOfStretch);
  const edits = stretches.flatMap((stretch) =>
    stretchEdits(desk, lines.slice(stretch.from, stretch.from + stretch.count), areaOfStretch(stretch)),
  );
  const expected = stretches.map(({ from, to, count }) =>
    cells.expect(
      to,
      left,
      lines.slice(from, from + count).map((one) => one.map(({ shown }) => shown)),
    ),
  );
  const failure = await editAreas(desk, edits, areas, table.locale);
  await Promise.all(areas.map((area, i) => cells.settle(area, expected[i] ?? null)));
  return failure;
}

type PastedLines = readonly (readonly PastedCell[])[];

/** Whether all cells are told what somebody could type. */
function isTyped(lines: PastedLines): boolean {
  return lines.every((cells) => cells.every(({ input, format }) => format === undefined && typeof input !== 'object'));
}

function typedInputs(lines: PastedLines): readonly (readonly (string | number | boolean)[])[] {
  return lines.map((cells) => cells.map(({ input }) => input as string | number | boolean));
}

function stretchEdits(desk: Desk, lines: PastedLines, area: Area): readonly CellEdit[] {
  const { sheet } = desk.state;
  const put: CellEdit = {
    put: rangeOf(sheet, { ...area, bottom: area.top, right: area.left }),
    values: lines.map(inputsOf),
  };
  return [...formatEdits(desk, lines, area), put];
}

interface LargePaste {
  readonly lines: PastedLines;
  /** Where each line goes. */
  readonly rows: readonly number[];
  readonly left: number;
  readonly locale: PastedTable['locale'];
}

/** Writes very many cells in parts, with progress. They are one for undo; one that fails or is cancelled leaves nothing. */
async function writeLarge(desk: Desk, { lines, rows, left, locale }: LargePaste): Outcome {
  const { book } = desk;
  const { sheet } = desk.state;
  const right = left + (lines[0]?.length ?? 1) - 1;
  const open = book.sheet(sheet);
  const area = { top: rows[0] ?? 0, left, bottom: rows.at(-1) ?? 0, right };
  extendUsedArea(open, area);
  const lengthOf = ({ shown }: PastedCell) => shown.length;
  const parts = partsOf(lines, lengthOf).map(({ first, count }) => ({
    cells: count * (right - left + 1),
    write: () => {
      const [own, targets] = [lines.slice(first, first + count), rows.slice(first, first + count)];
      const top = targets[0] ?? 0;
      if (isTyped(own) && areConsecutive(targets) && locale === null) {
        return book.type(rangeOf(sheet, { top, left, bottom: top, right: left }), typedInputs(own));
      }
      const edits = stretchesOf(targets.map((to, from) => ({ from, to }))).flatMap((one) =>
        stretchEdits(desk, own.slice(one.from, one.from + one.count), {
          top: one.to,
          left,
          bottom: one.to + one.count - 1,
          right,
        }),
      );
      return sendEdits(desk, edits, locale);
    },
  }));
  const failed = await writeParts(desk, lines.length * (right - left + 1), parts);
  book.layoutsSoon();
  open.cells.outdate([area]);
  return failed === null || failed.ok ? null : failed;
}

function inputsOf(line: readonly PastedCell[]): readonly unknown[] {
  return line.map(({ input }) => (typeof input === 'object' ? input : sentValue(input)));
}

/** Number formats by column, those of neighbours below one another at once; General only where another is known. */
function formatEdits(desk: Desk, lines: readonly (readonly PastedCell[])[], area: Area): readonly CellEdit[] {
  const { sheet } = desk.state;
  const { cells } = desk.sheet;
  const edits: CellEdit[] = [];
  for (let column = area.left; column <= area.right; column++) {
    const codeAt = (row: number) => {
      const code = lines[row - area.top]?.[column - area.left]?.format;
      const held = cells.look(row, column)?.format ?? 'General';
      const isKnown = cells.cell(row, column) !== undefined;
      return code === undefined || (isKnown && code === held) ? undefined : code;
    };
    for (let row = area.top; row <= area.bottom; ) {
      const code = codeAt(row);
      let end = row;
      while (end < area.bottom && codeAt(end + 1) === code) end++;
      const run = { top: row, bottom: end, left: column, right: column };
      if (code !== undefined) edits.push({ format: rangeOf(sheet, run), code });
      row = end + 1;
    }
  }
  return edits;
}

/** What was copied or cut on this page: with formulas, formats and styles, by the service itself. */
async function pasteTaken(desk: Desk, taken: NonNullable<Desk['state']['taken']>): Outcome {
  const { selection } = desk.state;
  const { rows, columns } = taken.table;
  const isWhole = areConsecutive(rows) && areConsecutive(columns);
  const { down, across } = taken.isCut ? { down: 1, across: 1 } : repeats(desk, rows.length, columns.length);
  const [top, left] = targetOf(desk);
  const targets = nextShownRows(desk, top, rows.length * down);
  const right = left + columns.length * across - 1;
  if (targets.length < rows.length * down || right >= MAX_COLUMNS) return refusal(t.grid.beyondGrid);
  const bottom = targets.at(-1) ?? top;
  const target = { top, left, bottom, right };
  if (taken.isCut && (!isWhole || !areConsecutive(targets))) return refusal(t.grid.hasHiddenRows);
  const failure =
    isWhole && areConsecutive(targets)
      ? await pasteWhole(desk, taken, target)
      : await editAreas(desk, copyEdits(desk, taken, targets, left, across), [target]);
  // It has followed the cells to their new place.
  if (taken.isCut && desk.state.taken?.table.id === taken.table.id) desk.become({ taken: null });
  // Who has gone on meanwhile stays there.
  if (desk.state.selection === selection && desk.state.draft === null) desk.selectArea(target);
  return failure;
}

function pasteWhole(desk: Desk, taken: NonNullable<Desk['state']['taken']>, target: Area): Outcome {
  const { area } = taken;
  const from = rangeOf(taken.sheet, area);
  const operations: Record<string, unknown>[] = [];
  const [high, wide] = [area.bottom - area.top + 1, area.right - area.left + 1];
  for (let top = target.top; top <= target.bottom; top += high) {
    for (let left = target.left; left <= target.right; left += wide) {
      const to = `${quoteSheetName(desk.state.sheet)}!${cellText(top, left)}`;
      operations.push({ [taken.isCut ? 'cut' : 'copy']: { from, to } });
    }
  }
  return outcomeOf(desk.book.structure(operations));
}

/** Rows and columns between which others lie are copied stretch by stretch. */
function copyEdits(
  desk: Desk,
  taken: NonNullable<Desk['state']['taken']>,
  targets: readonly number[],
  left: number,
  across: number,
): readonly CellEdit[] {
  const { rows, columns } = taken.table;
  const pairs = repeatedPairs(rows, targets);
  const targetColumns = Array.from({ length: columns.length * across }, (_, i) => left + i);
  const columnPairs = repeatedPairs(columns, targetColumns);
  return stretchesOf(pairs).flatMap((down) =>
    stretchesOf(columnPairs).map((beside): CellEdit => {
      const [top, first] = [down.from, beside.from];
      const from = { top, left: first, bottom: top + down.count - 1, right: first + beside.count - 1 };
      return {
        copy: rangeOf(taken.sheet, from),
        to: `${quoteSheetName(desk.state.sheet)}!${cellText(down.to, beside.to)}`,
      };
    }),
  );
}

function areConsecutive(lines: readonly number[]): boolean {
  return (lines.at(-1) ?? 0) - (lines[0] ?? 0) === lines.length - 1 && lines.length <= MAX_ROWS;
}

/** Browsers give such a paste nothing but the text: the other forms are read where the page may. */
export async function pasteValues(desk: Desk, given?: ClipboardTexts): Promise<Failure | null> {
  const isKnown = given !== undefined && (given.html || given.own || desk.state.taken?.text === given.text);
  const read = isKnown ? null : await readClipboard();
  const forms = read ?? given;
  return forms === undefined ? refusal(t.grid.pasteHint) : paste(desk, forms, true);
}
