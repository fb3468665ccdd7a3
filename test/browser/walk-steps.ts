import assert from 'node:assert/strict';
import type { Api } from '../../packages/server/test/http/support.ts';
import { type BrowserWindow, waitUntil } from './browser.ts';
import {
  deleteColumn,
  deleteRow,
  formatAddress,
  formatColumn,
  insertColumn,
  insertRows,
  measureUsedSize,
  moveCell,
  moveRowDown,
  readGridTexts,
  setText,
  type WalkGrid,
  type WalkPosition,
} from './walk-grid.ts';

/** Numbers that choose the details of a step. */
export interface StepChoices {
  readonly row: number;
  readonly column: number;
  readonly number: number;
}

/** A structure change by the other user. */
export interface StructureChange {
  readonly name: string;
  /** Resolves to false if it was performed only in part. */
  readonly perform: (book: Api) => Promise<unknown>;
  /** Null if only the set of texts is known afterwards. */
  readonly apply: ((grid: WalkGrid) => WalkGrid) | null;
  /** True if the change also reverts edits that were made during the change. */
  readonly revertsEdits?: true;
  /** True if the page may ignore the person's keys meanwhile. */
  readonly mayPreventEdits?: true;
}

/** An edit by the user of the page. */
export interface PersonalEdit {
  /** All cells that the edit needs. If one of them is deleted, the edit may change nothing. */
  readonly cells: readonly WalkPosition[];
  readonly prepare: (window: BrowserWindow) => Promise<void>;
  readonly perform: (window: BrowserWindow) => Promise<void>;
  /** `find` returns where a cell is that was at a position at the start; null if it was deleted. */
  readonly apply: (grid: WalkGrid, find: (position: WalkPosition) => WalkPosition | null) => WalkGrid;
}

/** Time for which a sheet is protected, in milliseconds. Ben's page may or may not notice the protection. */
const PROTECTED_MS = 300;
/** Time after which a click on a menu is tried again if the menu is still open, in milliseconds. */
const CLICK_TIMEOUT_MS = 10_000;
/** The grid must not outgrow the window. */
const MAX_USED_ROWS = 14;
const MAX_USED_COLUMNS = 6;

export const STRUCTURE_CHANGES = [
  'insert rows',
  'delete a row',
  'move a row',
  'insert a column',
  'delete a column',
  'cut a cell',
  'sort',
  'insert a row and undo it',
  'delete a row and undo it',
  'rename the sheet',
  'delete the sheet and undo it',
  'insert a row and restore the version before it',
  'restore the version before a deletion',
  'hide the values from Ben and show them',
  'lock the sheet and unlock it',
] as const;

export const EDIT_KINDS = [
  'type',
  'type into the content',
  'clear',
  'clear three rows',
  'fill down',
  'drag the fill handle',
  'cut and paste',
  'copy and paste',
  'paste two lines',
  'delete the row',
] as const;

function changeStructure(book: Api, operation: object): Promise<unknown> {
  return book.post('/structure', { operations: [operation] });
}

/** Returns false if an edit in between prevents the undo. */
async function changeAndUndo(book: Api, operation: object): Promise<boolean> {
  await changeStructure(book, operation);
  return undoLastChange(book);
}

/** Undoes the newest revision that a token wrote. Returns false if an edit in between prevents it. */
async function undoLastChange(book: Api): Promise<boolean> {
  const { entries } = (await book.listRevisions()) as unknown as {
    entries: readonly { revision: number; token: string | null }[];
  };
  const last = entries.find(({ token }) => token !== null);
  assert.ok(last !== undefined);
  return (await book.undo(last.revision)).status < 300;
}

const PROTECTION = { apply: (grid: WalkGrid) => grid, mayPreventEdits: true } as const;

/** Protects a sheet of Anna from Ben, and removes the protection. */
async function protectForAMoment(book: Api, sheet: string, body: object): Promise<void> {
  const path = `/sheets/${encodeURIComponent(sheet)}/protection`;
  await book.requestInDocument('PUT', path, { body });
  await new Promise((resolve) => setTimeout(resolve, PROTECTED_MS));
  await book.requestInDocument('DELETE', path, {});
}

export function createStructureChange(
  kind: (typeof STRUCTURE_CHANGES)[number],
  grid: WalkGrid,
  sheet: string,
  { row, column, number }: StepChoices,
): StructureChange {
  const { rows, columns } = measureUsedSize(grid);
  const at = row % Math.max(1, rows);
  const across = column % Math.max(1, columns);
  const name = `${kind} at ${formatAddress({ row: at, column: across })}`;
  const formatRange = (address: string) => `'${sheet.replaceAll("'", "''")}'!${address}`;
  const insertion = { insertRows: { sheet, before: at + 1, count: 1 } };
  const deletion = { deleteRows: { sheet, from: at + 1, count: 1 } };
  const restoreAfter = async (book: Api, operation: object) => {
    const revision = await book.revision();
    await changeStructure(book, operation);
    await book.restore(revision);
  };
  switch (kind) {
    case 'insert rows':
      if (rows > MAX_USED_ROWS) return createStructureChange('delete a row', grid, sheet, { row, column, number });
      return {
        name,
        perform: (book) => changeStructure(book, { insertRows: { sheet, before: at + 1, count: 2 } }),
        apply: (now) => insertRows(now, at, 2),
      };
    case 'delete a row':
      return { name, perform: (book) => changeStructure(book, deletion), apply: (now) => deleteRow(now, at) };
    case 'move a row':
      return {
        name,
        perform: (book) => changeStructure(book, { moveRows: { sheet, from: at + 1, count: 1, before: at + 3 } }),
        apply: (now) => moveRowDown(now, at),
      };
    case 'insert a column':
      if (columns > MAX_USED_COLUMNS)
        return createStructureChange('delete a column', grid, sheet, { row, column, number });
      return {
        name,
        perform: (book) => changeStructure(book, { insertColumns: { sheet, before: formatColumn(across), count: 1 } }),
        apply: (now) => insertColumn(now, across),
      };
    case 'delete a column':
      return {
        name,
        perform: (book) => changeStructure(book, { deleteColumns: { sheet, from: formatColumn(across), count: 1 } }),
        apply: (now) => deleteColumn(now, across),
      };
    case 'cut a cell': {
      const [from, to] = [
        { row: at, column: across },
        { row: rows + 2, column: across },
      ];
      return {
        name,
        perform: (book) =>
          changeStructure(book, {
            cut: { from: formatRange(formatAddress(from)), to: formatRange(formatAddress(to)) },
          }),
        apply: (now) => moveCell(now, from, to),
      };
    }
    case 'sort': {
      const last = formatAddress({ row: Math.max(1, rows - 1), column: Math.max(1, columns - 1) });
      const by = [{ column: formatColumn(across), order: number % 2 === 0 ? 'ascending' : 'descending' }];
      return {
        name,
        perform: (book) => changeStructure(book, { sort: { range: formatRange(`A1:${last}`), by } }),
        apply: null,
      };
    }
    case 'insert a row and undo it':
      return { name, perform: (book) => changeAndUndo(book, insertion), apply: null };
    case 'delete a row and undo it':
      return { name, perform: (book) => changeAndUndo(book, deletion), apply: null };
    case 'delete the sheet and undo it':
      return {
        name,
        perform: async (book) => {
          const revision = await book.revision();
          await book.deleteSheet(sheet);
          const isUndone = await undoLastChange(book);
          // The walk needs the sheet.
          if (!isUndone) await book.restore(revision);
          return isUndone;
        },
        apply: null,
      };
    case 'insert a row and restore the version before it':
      return { name, perform: (book) => restoreAfter(book, insertion), apply: null, revertsEdits: true };
    case 'restore the version before a deletion':
      return { name, perform: (book) => restoreAfter(book, deletion), apply: null, revertsEdits: true };
    case 'hide the values from Ben and show them':
      return { name, perform: (book) => protectForAMoment(book, sheet, { hideValues: true }), ...PROTECTION };
    case 'lock the sheet and unlock it':
      return { name, perform: (book) => protectForAMoment(book, sheet, { lock: true }), ...PROTECTION };
    case 'rename the sheet':
      return { name, perform: (book) => book.renameSheet(sheet, `Person's ${number}`), apply: (now) => now };
  }
}

/** The text that a fill writes below a text: a number at its end counts up. */
function computeNextInSeries(text: string): string {
  const [, head = '', digits = ''] = /^(.*?)(\d*)$/.exec(text) ?? [];
  return digits === '' ? text : head + String(Number(digits) + 1).padStart(digits.length, '0');
}

export function createEdit(
  kind: (typeof EDIT_KINDS)[number],
  grid: WalkGrid,
  visibleRows: readonly number[],
  { row, column, text }: { readonly row: number; readonly column: number; readonly text: string },
): PersonalEdit {
  const { rows } = measureUsedSize(grid);
  const position = { row, column };
  const address = formatAddress(position);
  const getPositionBelow = (by: number) => ({ row: row + by, column });
  const nextRow = visibleRows.find((one) => one > row) ?? row + 1;
  const next = { row: nextRow, column };
  const away = { row: rows + 4, column };
  const old = readGridTexts(grid)[row]?.[column] ?? '';
  const goToRange = (range: string) => (window: BrowserWindow) => window.goToRange(range);
  const press = (key: string) => (window: BrowserWindow) => window.press(key);
  switch (kind) {
    case 'type':
      return {
        cells: [position],
        prepare: goToRange(address),
        perform: (window) => window.type(text).then(() => window.press('Enter')),
        apply: (now, find) => setText(now, find(position), text),
      };
    case 'type into the content':
      return {
        cells: [position],
        prepare: goToRange(address),
        perform: async (window) => {
          await window.press('F2');
          await window.type(text);
          await window.press('Tab');
        },
        apply: (now, find) => setText(now, find(position), old + text),
      };
    case 'clear':
      return {
        cells: [position],
        prepare: goToRange(address),
        perform: press('Delete'),
        apply: (now, find) => setText(now, find(position), ''),
      };
    case 'clear three rows':
      return {
        cells: [position],
        prepare: goToRange(`${address}:${formatAddress(getPositionBelow(2))}`),
        perform: press('Delete'),
        apply: (now, find) =>
          [0, 1, 2]
            .filter((by) => visibleRows.includes(row + by))
            .reduce((cleared, by) => setText(cleared, find(getPositionBelow(by)), ''), now),
      };
    case 'fill down':
      return {
        cells: [position, next],
        prepare: goToRange(`${address}:${formatAddress(next)}`),
        perform: press('Control+d'),
        apply: (now, find) => setText(now, find(next), old),
      };
    case 'drag the fill handle':
      return {
        cells: [position, next],
        prepare: goToRange(address),
        perform: (window) => window.dragFillHandle(formatAddress(next)),
        apply: (now, find) => setText(now, find(next), computeNextInSeries(old)),
      };
    case 'cut and paste':
      return {
        cells: [position, away],
        prepare: async (window) => {
          await window.goToRange(address);
          await window.press('Control+x');
          await window.goToRange(formatAddress(away));
        },
        perform: press('Control+v'),
        apply: (now, find) => {
          const [from, to] = [find(position), find(away)];
          return from === null || to === null ? now : moveCell(now, from, to);
        },
      };
    case 'copy and paste':
      return {
        cells: [away],
        prepare: async (window) => {
          await window.goToRange(address);
          await window.press('Control+c');
          await window.goToRange(formatAddress(away));
        },
        perform: press('Control+v'),
        apply: (now, find) => setText(now, find(away), old),
      };
    case 'paste two lines':
      return {
        cells: [position, next],
        prepare: async (window) => {
          await window.page.evaluate(`navigator.clipboard.writeText('${text}a\\n${text}b')`);
          await window.goToRange(address);
        },
        perform: press('Control+v'),
        apply: (now, find) => setText(setText(now, find(position), `${text}a`), find(next), `${text}b`),
      };
    case 'delete the row':
      return {
        cells: [position],
        prepare: goToRange(address),
        perform: async (window) => {
          const item = window.page.getByRole('menuitem', { name: 'Delete row', exact: true });
          const problem = window.page.locator('.toasts .notice.bad');
          await window.press('Shift+F10');
          await item.or(problem).first().waitFor();
          // The menu closes only with its sheet, and the page says that another person deleted the sheet.
          const isSheetDeleted = async () => (await problem.count()) > 0;
          await waitUntil(async () => {
            if (await isSheetDeleted()) return true;
            return item.click({ timeout: CLICK_TIMEOUT_MS }).then(
              () => true,
              () => false,
            );
          });
        },
        apply: (now, find) => {
          const remainingCell = find(position) ?? find({ row, column: column === 0 ? 1 : 0 });
          return remainingCell === null ? now : deleteRow(now, remainingCell.row);
        },
      };
  }
}
