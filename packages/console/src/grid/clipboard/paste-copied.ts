import { type Area, cellText, MAX_COLUMNS, quoteSheetName } from '@cellwire/engine';
import { showToast } from '../../components/toasts.tsx';
import { t } from '../../text/index.ts';
import { toPastedTable } from '../clipboard-formats/pasted-table.ts';
import { runInSlices } from '../clipboard-formats/sliced-work.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { findNextVisibleRows } from '../controller/selected-areas.ts';
import { type ActionResult, type CellEdit, editAreas, reportFailure, toActionResult } from '../editing/cell-edits.ts';
import type { GridPosition, Selection } from '../selection/selection.ts';
import { groupStretches, repeatSourceRows } from '../selection/visible-rows.ts';
import { createRefusal } from '../session/cell-refusals.ts';
import { formatSheetRange } from '../session/sheet-ranges.ts';
import { computePasteTarget, countRepeats, isConsecutive } from './paste-target.ts';
import { writeTable } from './write-table.ts';

type HeldCopy = NonNullable<GridController['state']['copied']>;

/** Pastes a copy of this page. If its cells were deleted, their content is pasted; for cut cells, the person decides. */
export async function pasteHeldCopy(controller: GridController, copied: HeldCopy, selection: Selection): ActionResult {
  const { isSheetReplaced, isCut } = copied;
  if (!isCut && (isSheetReplaced || copied.lastRevision !== null))
    return pasteContentAtCopying(controller, copied, selection);
  if (isSheetReplaced) return offerToPasteContent(controller, copied);
  const failure = await pasteCopied(controller, copied);
  if (failure === null || !isCut) return failure;
  // The deletion that the service refused may not be known here yet.
  await controller.session.revisions.catchUp();
  const now = controller.state.copied;
  if (now?.table.id !== copied.table.id || (now.lastRevision === null && !now.isSheetReplaced)) return failure;
  return offerToPasteContent(controller, now);
}

/** Says that the cut cells are gone, and offers to paste their content. */
function offerToPasteContent(controller: GridController, copied: HeldCopy): null {
  const pasteContentHere = () =>
    reportFailure(controller, pasteContentAtCopying(controller, copied, controller.state.selection));
  showToast('bad', t.grid.cutLost, { text: t.grid.pasteCopy, onPick: pasteContentHere });
  return null;
}

/** Pastes values and formulas of copied cells as they were when they were copied. */
async function pasteContentAtCopying(controller: GridController, { table }: HeldCopy, target: Selection): ActionResult {
  if (table.cells.length === 0) return createRefusal(t.grid.nothingToPaste);
  const [top, left] = computePasteTarget(target);
  const { dateSystem } = controller.inputLocale;
  const content = await runInSlices(toPastedTable(table, { valuesOnly: false, dateSystem, top, left }), yieldToPage);
  const isSelected = controller.state.selection === target;
  return content !== null && isSelected ? writeTable(controller, content, target) : createRefusal(t.grid.interrupted);
}

/** Lets the page draw and handle input. Returns false: the work continues. */
async function yieldToPage(): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve));
  return false;
}

/** Pastes a copy of this page on the server, with formulas, formats and styles. */
async function pasteCopied(controller: GridController, copied: HeldCopy): ActionResult {
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
      ? await pasteWholeRange(controller, copied, target)
      : await editAreas(controller, buildCopyEdits(controller, copied, targets, left, across), [target]);
  if (failure !== null) return failure;
  // A cut selection follows its cells when other people move them.
  if (copied.isCut && controller.state.copied?.table.id === copied.table.id) controller.setState({ copied: null });
  // The selection stays if the person has changed it since.
  if (controller.state.selection === selection && controller.state.draft === null) controller.selectArea(target);
  return null;
}

/** Copies or moves a consecutive range on the server, once for each repetition in the target. */
function pasteWholeRange(controller: GridController, copied: HeldCopy, target: Area): ActionResult {
  const { area } = copied;
  const operations: Record<string, unknown>[] = [];
  const base = Math.min(copied.lastRevision ?? controller.editBase, controller.editBase);
  const source = findEarlierCell(controller, copied.sheet, area, { base, last: copied.lastRevision });
  if (source === null) return Promise.resolve(createRefusal(t.grid.interrupted));
  const [high, wide] = [area.bottom - area.top + 1, area.right - area.left + 1];
  const { row, column } = source;
  const from = formatSheetRange(copied.sheet, {
    top: row,
    left: column,
    bottom: row + high - 1,
    right: column + wide - 1,
  });
  const { sheet, lastRevision } = controller.state;
  for (let top = target.top; top <= target.bottom; top += high) {
    for (let left = target.left; left <= target.right; left += wide) {
      const place = findEarlierCell(controller, sheet, { top, left }, { base, last: lastRevision });
      if (place === null) return Promise.resolve(createRefusal(t.grid.interrupted));
      const to = `${quoteSheetName(sheet)}!${cellText(place.row, place.column)}`;
      operations.push({ [copied.isCut ? 'cut' : 'copy']: { from, to } });
    }
  }
  return toActionResult(controller.session.changeStructure(operations, base));
}

/**
 * Position of a cell at the revision `base`; null if it is newer. `last`: revision of the given position; null for the
 * page's revision.
 */
function findEarlierCell(
  { session }: GridController,
  sheet: string,
  { top, left }: Pick<Area, 'top' | 'left'>,
  { base, last }: { readonly base: number; readonly last: number | null },
): GridPosition | null {
  const cell = { row: top, column: left };
  const revision = last ?? session.revisions.revision;
  if (base === revision) return cell;
  return session.revisions.findPreviousCell(session.getOpenSheet(sheet).id, cell, base, revision);
}

/** Copies non-consecutive rows and columns as separate stretches. */
function buildCopyEdits(
  controller: GridController,
  copied: HeldCopy,
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
