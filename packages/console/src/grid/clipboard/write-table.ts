import { type Area, areaText, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import { t } from '../../text/index.ts';
import { MAX_COPIED_CELLS } from '../clipboard-formats/copied-table.ts';
import type { PastedCell, PastedTable } from '../clipboard-formats/pasted-table.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { findNextVisibleRows } from '../controller/selected-areas.ts';
import { type ActionResult, type CellEdit, editAreas, MAX_EDITS, sendEdits } from '../editing/cell-edits.ts';
import { computeSelectedArea, type Selection } from '../selection/selection.ts';
import { groupStretches, type RowStretch } from '../selection/visible-rows.ts';
import { toApiValue } from '../session/api-values.ts';
import { createRefusal } from '../session/cell-refusals.ts';
import { extendUsedArea, type OpenSheet } from '../session/open-sheet.ts';
import type { SharedChoice } from '../session/session-state.ts';
import { formatSheetRange } from '../session/sheet-ranges.ts';
import { PART_CELLS, splitIntoParts, writeParts } from './bulk-transfer.ts';
import { computePasteTarget, countRepeats, isConsecutive } from './paste-target.ts';

/** Repeats a table below itself and to its right. */
function repeatLines(lines: PastedLines, down: number, across: number): PastedLines {
  const repeatAcross = (cells: readonly PastedCell[]) => Array.from({ length: across }, () => cells).flat();
  const wide = across === 1 ? lines : lines.map(repeatAcross);
  return down === 1 ? wide : Array.from({ length: down }, () => wide).flat();
}

/** Writes a table at a selection. */
export async function writeTable(controller: GridController, table: PastedTable, selection: Selection): ActionResult {
  const high = table.cells.length;
  const wide = table.cells[0]?.length ?? 0;
  if (high === 0 || wide === 0) return null;
  const { down, across } = countRepeats(controller, selection, high, wide);
  if (high * down * wide * across > MAX_COPIED_CELLS) return createRefusal(t.grid.tooManyToPaste(MAX_COPIED_CELLS));
  const lines = repeatLines(table.cells, down, across);
  const [top, left] = computePasteTarget(selection);
  const rows = findNextVisibleRows(controller, top, lines.length);
  if (rows.length < lines.length || left + wide * across > MAX_COLUMNS) return createRefusal(t.grid.beyondGrid);
  const right = left + wide * across - 1;
  const { sheet } = controller.state;
  // The selection stays if the person has changed it, or types in it, since.
  const isSelected =
    areaText(computeSelectedArea(controller.state.selection)) === areaText(computeSelectedArea(selection));
  if (isSelected && controller.state.draft === null)
    controller.selectTarget({ top, left, bottom: rows.at(-1) ?? top, right });
  if (lines.length * wide * across > PART_CELLS || lines.length > computeMaxRowsPerRequest(rows, wide * across))
    return writeLargeTable(controller, { lines, rows, left, locale: table.locale });
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

/** Returns the inputs of lines for which `hasTypedInputs` is true. */
function readTypedInputs(lines: PastedLines): readonly (readonly (string | number | boolean)[])[] {
  return lines.map((cells) => cells.map(({ input }) => input as string | number | boolean));
}

/** Creates the edits that write lines to consecutive rows: values, and formats. */
function createStretchEdits(sheet: TargetSheet, lines: PastedLines, area: Area): readonly CellEdit[] {
  const put: CellEdit = {
    put: formatSheetRange(sheet.name, { ...area, bottom: area.top, right: area.left }),
    values: lines.map(toApiInputs),
  };
  return [...createFormatEdits(sheet, lines, area), put];
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
async function writeLargeTable(controller: GridController, { lines, rows, left, locale }: LargePaste): ActionResult {
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
          return session.writeTypedCells(first, readTypedInputs(own), { base, shared });
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

/** Converts the inputs of a line to the API's form. */
function toApiInputs(line: readonly PastedCell[]): readonly unknown[] {
  return line.map(({ input }) => (typeof input === 'object' ? input : toApiValue(input)));
}

/**
 * Number formats by column; consecutive equal cells share one edit. General is set only where the cell is known to have
 * another format.
 */
function createFormatEdits(
  { name: sheet, cells }: TargetSheet,
  lines: readonly (readonly PastedCell[])[],
  area: Area,
): readonly CellEdit[] {
  const edits: CellEdit[] = [];
  for (let column = area.left; column <= area.right; column++) {
    const chooseFormatCode = (row: number) => {
      const code = lines[row - area.top]?.[column - area.left]?.format;
      const currentCode = cells.getStyle(row, column)?.format ?? 'General';
      const isKnown = cells.getCell(row, column) !== undefined;
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
