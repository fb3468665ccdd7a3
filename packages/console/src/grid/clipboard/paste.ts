import { type Area, areaText, cellText, MAX_COLUMNS, MAX_ROWS, quoteSheetName } from '@cellwire/engine';
import { readClipboard } from '../../data/clipboard.ts';
import type { Failure } from '../../data/http.ts';
import { t } from '../../text/index.ts';
import { findCopyId, type PastedCell, type PastedTable } from '../clipboard-formats/pasted-table.ts';
import { finishAtOnce, runInSlices } from '../clipboard-formats/sliced-work.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { planForSelection } from '../controller/held-selection.ts';
import { findNextVisibleRows, listVisibleRowSpans } from '../controller/selected-areas.ts';
import {
  type ActionResult,
  type CellEdit,
  editAreas,
  MAX_EDITS,
  sendEdits,
  toActionResult,
} from '../editing/cell-edits.ts';
import { type Selection, toSelectedArea } from '../selection/selection.ts';
import {
  groupStretches,
  isFilteredOut,
  iterateRows,
  type RowStretch,
  repeatSourceRows,
} from '../selection/visible-rows.ts';
import { toApiValue } from '../session/api-values.ts';
import { createRefusal } from '../session/cell-refusals.ts';
import { extendUsedArea, type OpenSheet } from '../session/open-sheet.ts';
import type { SharedChoice } from '../session/session-state.ts';
import { formatSheetRange } from '../session/sheet-ranges.ts';
import { PART_CELLS, splitIntoParts, writeParts } from './bulk-transfer.ts';
import { MAX_CLIPBOARD_CELLS } from './copy-cells.ts';
import { TransferProgress } from './progress.ts';
import { type ClipboardTexts, type PasteContent, readPaste } from './read-paste.ts';

/** Characters of the clipboard that are read without a pause. More are read in slices, with progress. */
const MAX_CHARACTERS_AT_ONCE = 300_000;

/**
 * Pastes cells as one write. Copied cells keep formulas and formats. Other HTML determines the content of its cells;
 * plain text is entered as if it were typed. `isValues` pastes values only. Rows that a filter hides are skipped.
 */
export async function pasteCells(
  controller: GridController,
  texts: ClipboardTexts,
  isValues = false,
): Promise<Failure | null> {
  const { copied, selection, otherAreas } = controller.state;
  const { text, html = '', own = '' } = texts;
  if (otherAreas.length > 0) return createRefusal(t.grid.oneArea);
  if (isActiveRowHidden(controller, selection)) return createRefusal(t.grid.filteredOut);
  if (copied !== null && !isValues && findCopyId(html) === copied.table.id) return pasteCopied(controller, copied);
  const readFor = (target: Selection) => {
    const [top, left] = computePasteTarget(target);
    const { locale, dateSystem } = controller.inputLocale;
    return readPaste(texts, { copied: controller.state.copied, isValues, locale, dateSystem, top, left });
  };
  const size = Math.max(text.length, html.length, own.length);
  if (size <= MAX_CHARACTERS_AT_ONCE) return pasteContent(controller, finishAtOnce(readFor(selection)), selection);
  const progress = new TransferProgress(controller, 'readClipboard', size);
  let read = 0;
  const pause = async (done: number) => {
    read = Math.max(read, done);
    await progress.show(read);
    return progress.isCancelled;
  };
  const planned = await planForSelection(controller, async (target) => {
    const content = await runInSlices(readFor(target), pause);
    return { content, target };
  }).finally(() => progress.end());
  if (progress.isCancelled) return null;
  if (planned === null || planned.content === null) return createRefusal(t.grid.interrupted);
  return pasteContent(controller, planned.content, planned.target);
}

/** `selection`: where to paste. The person may have selected other cells since. */
async function pasteContent(
  controller: GridController,
  content: PasteContent,
  selection: Selection,
): Promise<Failure | null> {
  if (content === 'nothing') return createRefusal(t.grid.nothingToPaste);
  if (content === 'tooLarge') return createRefusal(t.grid.tooManyToPaste(MAX_CLIPBOARD_CELLS));
  if (isActiveRowHidden(controller, selection)) return createRefusal(t.grid.filteredOut);
  if (content !== 'copied') return writeTable(controller, content, selection);
  const { copied } = controller.state;
  const isHeld = copied !== null && controller.state.selection === selection;
  return isHeld ? pasteCopied(controller, copied) : createRefusal(t.grid.interrupted);
}

function isActiveRowHidden({ state: { filter, sheet } }: GridController, { active }: Selection): boolean {
  return isFilteredOut(filter, sheet, active.row);
}

function computePasteTarget(selection: Selection): readonly [top: number, left: number] {
  const { top, left } = toSelectedArea(selection);
  return [selection.kind === 'columns' || selection.kind === 'all' ? top : Math.min(top, selection.active.row), left];
}

/** How often the table fits into the selection in each direction; 1 if it does not fit evenly. */
function countRepeats(
  controller: GridController,
  selection: Selection,
  high: number,
  wide: number,
): { readonly down: number; readonly across: number } {
  const { left, right } = toSelectedArea(selection);
  if (selection.kind !== 'cells') return { down: 1, across: 1 };
  const rows = [...iterateRows(listVisibleRowSpans(controller, toSelectedArea(selection)))].length;
  const [down, across] = [rows / high, (right - left + 1) / wide];
  const isWhole =
    Number.isInteger(down) && Number.isInteger(across) && rows * (right - left + 1) <= MAX_CLIPBOARD_CELLS;
  return isWhole ? { down, across } : { down: 1, across: 1 };
}

function repeatLines(lines: PastedLines, down: number, across: number): PastedLines {
  const repeatAcross = (cells: readonly PastedCell[]) => Array.from({ length: across }, () => cells).flat();
  const wide = across === 1 ? lines : lines.map(repeatAcross);
  return down === 1 ? wide : Array.from({ length: down }, () => wide).flat();
}

async function writeTable(controller: GridController, table: PastedTable, selection: Selection): ActionResult {
  const high = table.cells.length;
  const wide = table.cells[0]?.length ?? 0;
  if (high === 0 || wide === 0) return null;
  const { down, across } = countRepeats(controller, selection, high, wide);
  if (high * down * wide * across > MAX_CLIPBOARD_CELLS)
    return createRefusal(t.grid.tooManyToPaste(MAX_CLIPBOARD_CELLS));
  const lines = repeatLines(table.cells, down, across);
  const [top, left] = computePasteTarget(selection);
  const rows = findNextVisibleRows(controller, top, lines.length);
  if (rows.length < lines.length || left + wide * across > MAX_COLUMNS) return createRefusal(t.grid.beyondGrid);
  const right = left + wide * across - 1;
  const { sheet } = controller.state;
  // The selection stays if the person has changed it, or types in it, since.
  const isSelected = areaText(toSelectedArea(controller.state.selection)) === areaText(toSelectedArea(selection));
  if (isSelected && controller.state.draft === null)
    controller.selectTarget({ top, left, bottom: rows.at(-1) ?? top, right });
  if (lines.length * wide * across > PART_CELLS || lines.length > computeMaxRowsPerRequest(rows, wide * across))
    return writeLarge(controller, { lines, rows, left, locale: table.locale });
  if (hasTypedInputs(lines) && isConsecutive(rows) && table.locale === null) {
    return controller.writeCells(sheet, { row: top, column: left }, readTypedInputs(lines));
  }
  const stretches = groupStretches(rows.map((to, from) => ({ from, to })));
  const { cells } = controller.sheet;
  const toStretchArea = ({ to, count }: RowStretch) => ({ top: to, left, bottom: to + count - 1, right });
  const areas = stretches.map(toStretchArea);
  const edits = stretches.flatMap((stretch) =>
    createStretchEdits(
      controller.sheet,
      lines.slice(stretch.from, stretch.from + stretch.count),
      toStretchArea(stretch),
    ),
  );
  const expected = stretches.map(({ from, to, count }) =>
    cells.showPending(
      to,
      left,
      lines.slice(from, from + count).map((one) => one.map(({ shown }) => shown)),
    ),
  );
  const failure = await editAreas(controller, edits, areas, table.locale);
  await Promise.all(areas.map((area, i) => cells.endPendingWrite(area, expected[i] ?? null)));
  return failure;
}

/** Maximum rows of one request. Each run of consecutive rows needs an edit for its values and edits for its formats. */
function computeMaxRowsPerRequest(rows: readonly number[], width: number): number {
  return isConsecutive(rows) ? MAX_ROWS : Math.max(1, Math.floor(MAX_EDITS / (1 + width)));
}

type PastedLines = readonly (readonly PastedCell[])[];

/**
 * The sheet of a paste, with its name at the base revision. The person may switch to another sheet before the paste
 * ends.
 */
type TargetSheet = Pick<OpenSheet, 'name' | 'cells'>;

/** True if each cell holds an input that a person could type. */
function hasTypedInputs(lines: PastedLines): boolean {
  return lines.every((cells) => cells.every(({ input, format }) => format === undefined && typeof input !== 'object'));
}

function readTypedInputs(lines: PastedLines): readonly (readonly (string | number | boolean)[])[] {
  return lines.map((cells) => cells.map(({ input }) => input as string | number | boolean));
}

function createStretchEdits(sheet: TargetSheet, lines: PastedLines, area: Area): readonly CellEdit[] {
  const put: CellEdit = {
    put: formatSheetRange(sheet.name, { ...area, bottom: area.top, right: area.left }),
    values: lines.map(toApiInputs),
  };
  return [...formatEdits(sheet, lines, area), put];
}

interface LargePaste {
  readonly lines: PastedLines;
  /** Target row of each line. */
  readonly rows: readonly number[];
  readonly left: number;
  readonly locale: PastedTable['locale'];
}

/**
 * Writes many cells in parts and shows progress. Undo treats them as one write. A failed or cancelled paste leaves
 * nothing.
 */
async function writeLarge(controller: GridController, { lines, rows, left, locale }: LargePaste): ActionResult {
  const { session } = controller;
  const { sheet } = controller.state;
  // All parts name their rows as they are now, even if other people insert rows before the last part is sent.
  const { editBase: base } = controller;
  const right = left + (lines[0]?.length ?? 1) - 1;
  const open = session.getOpenSheet(sheet);
  const target: TargetSheet = { name: sheet, cells: open.cells };
  const area = { top: rows[0] ?? 0, left, bottom: rows.at(-1) ?? 0, right };
  extendUsedArea(open, area);
  const measureShownLength = ({ shown }: PastedCell) => shown.length;
  // Other people may change cells of later parts. The person decides once for all parts.
  const shared: SharedChoice = { choice: null };
  const parts = splitIntoParts(lines, measureShownLength, computeMaxRowsPerRequest(rows, right - left + 1)).map(
    ({ first, count }) => ({
      cells: count * (right - left + 1),
      write: () => {
        const [own, targets] = [lines.slice(first, first + count), rows.slice(first, first + count)];
        const top = targets[0] ?? 0;
        if (hasTypedInputs(own) && isConsecutive(targets) && locale === null) {
          const first = formatSheetRange(sheet, { top, left, bottom: top, right: left });
          return session.writeTyped(first, readTypedInputs(own), { base, shared });
        }
        const edits = groupStretches(targets.map((to, from) => ({ from, to }))).flatMap((one) =>
          createStretchEdits(target, own.slice(one.from, one.from + one.count), {
            top: one.to,
            left,
            bottom: one.to + one.count - 1,
            right,
          }),
        );
        return sendEdits(controller, edits, { inputLocale: locale, base, shared });
      },
    }),
  );
  const failed = await writeParts(controller, lines.length * (right - left + 1), parts);
  session.openSheets.scheduleLayoutReload();
  open.cells.markStale([area]);
  return failed === null || failed.ok ? null : failed;
}

function toApiInputs(line: readonly PastedCell[]): readonly unknown[] {
  return line.map(({ input }) => (typeof input === 'object' ? input : toApiValue(input)));
}

/**
 * Number formats by column; consecutive equal cells share one edit. General is set only where the cell is known to have
 * another format.
 */
function formatEdits(
  { name: sheet, cells }: TargetSheet,
  lines: readonly (readonly PastedCell[])[],
  area: Area,
): readonly CellEdit[] {
  const edits: CellEdit[] = [];
  for (let column = area.left; column <= area.right; column++) {
    const chooseFormatCode = (row: number) => {
      const code = lines[row - area.top]?.[column - area.left]?.format;
      const currentCode = cells.style(row, column)?.format ?? 'General';
      const isKnown = cells.cell(row, column) !== undefined;
      return code === undefined || (isKnown && code === currentCode) ? undefined : code;
    };
    for (let row = area.top; row <= area.bottom; ) {
      const code = chooseFormatCode(row);
      let end = row;
      while (end < area.bottom && chooseFormatCode(end + 1) === code) end++;
      const run = { top: row, bottom: end, left: column, right: column };
      if (code !== undefined) edits.push({ format: formatSheetRange(sheet, run), code });
      row = end + 1;
    }
  }
  return edits;
}

/** Pastes a copy of this page on the server, with formulas, formats and styles. */
async function pasteCopied(
  controller: GridController,
  copied: NonNullable<GridController['state']['copied']>,
): ActionResult {
  const { selection } = controller.state;
  const { rows, columns } = copied.table;
  const isWhole = isConsecutive(rows) && isConsecutive(columns);
  const { down, across } = copied.isCut
    ? { down: 1, across: 1 }
    : countRepeats(controller, selection, rows.length, columns.length);
  const [top, left] = computePasteTarget(selection);
  const targets = findNextVisibleRows(controller, top, rows.length * down);
  const right = left + columns.length * across - 1;
  if (targets.length < rows.length * down || right >= MAX_COLUMNS) return createRefusal(t.grid.beyondGrid);
  const bottom = targets.at(-1) ?? top;
  const target = { top, left, bottom, right };
  if (copied.isCut && (!isWhole || !isConsecutive(targets))) return createRefusal(t.grid.hasHiddenRows);
  const failure =
    isWhole && isConsecutive(targets)
      ? await pasteWhole(controller, copied, target)
      : await editAreas(controller, buildCopyEdits(controller, copied, targets, left, across), [target]);
  // A cut selection follows its cells when other people move them.
  if (copied.isCut && controller.state.copied?.table.id === copied.table.id) controller.setState({ copied: null });
  // The selection stays if the person has changed it since.
  if (controller.state.selection === selection && controller.state.draft === null) controller.selectArea(target);
  return failure;
}

function pasteWhole(
  controller: GridController,
  copied: NonNullable<GridController['state']['copied']>,
  target: Area,
): ActionResult {
  const { area } = copied;
  const from = formatSheetRange(copied.sheet, area);
  const operations: Record<string, unknown>[] = [];
  const [high, wide] = [area.bottom - area.top + 1, area.right - area.left + 1];
  for (let top = target.top; top <= target.bottom; top += high) {
    for (let left = target.left; left <= target.right; left += wide) {
      const to = `${quoteSheetName(controller.state.sheet)}!${cellText(top, left)}`;
      operations.push({ [copied.isCut ? 'cut' : 'copy']: { from, to } });
    }
  }
  return toActionResult(controller.session.changeStructure(operations, controller.editBase));
}

/** Copies non-consecutive rows and columns as separate stretches. */
function buildCopyEdits(
  controller: GridController,
  copied: NonNullable<GridController['state']['copied']>,
  targets: readonly number[],
  left: number,
  across: number,
): readonly CellEdit[] {
  const { rows, columns } = copied.table;
  const pairs = repeatSourceRows(rows, targets);
  const targetColumns = Array.from({ length: columns.length * across }, (_, i) => left + i);
  const columnPairs = repeatSourceRows(columns, targetColumns);
  return groupStretches(pairs).flatMap((down) =>
    groupStretches(columnPairs).map((beside): CellEdit => {
      const [top, first] = [down.from, beside.from];
      const from = { top, left: first, bottom: top + down.count - 1, right: first + beside.count - 1 };
      return {
        copy: formatSheetRange(copied.sheet, from),
        to: `${quoteSheetName(controller.state.sheet)}!${cellText(down.to, beside.to)}`,
      };
    }),
  );
}

function isConsecutive(lines: readonly number[]): boolean {
  return (lines.at(-1) ?? 0) - (lines[0] ?? 0) === lines.length - 1 && lines.length <= MAX_ROWS;
}

/**
 * The browser's paste event contains only plain text here. The other formats are read from the clipboard if the page
 * has the permission.
 */
export async function pasteValues(controller: GridController, eventTexts?: ClipboardTexts): Promise<Failure | null> {
  const isKnown =
    eventTexts !== undefined &&
    (eventTexts.html || eventTexts.own || controller.state.copied?.text === eventTexts.text);
  const read = isKnown ? null : await readClipboard();
  const forms = read ?? eventTexts;
  return forms === undefined ? createRefusal(t.grid.pasteHint) : pasteCells(controller, forms, true);
}
