import { type Api, memberAt } from '../../packages/server/test/http/support.ts';
import type { BrowserWindow } from './browser.ts';

const ROWS = 7;
/** Anna's row and cell on the sheet `Sheet1`. */
export const ANNAS_ROW = 4;
export const ANNAS_CELL = 'B4';

/** Distinct texts whose sorted order differs from their row order. */
export function createText(row: number, column: number): string {
  return `${'xfbwkcd'[row] ?? ''}${column}${row + 1}`;
}

export const TEXTS = Array.from({ length: ROWS }, (_, row) =>
  Array.from({ length: 4 }, (_unused, column) => createText(row, column)),
);
export const ANNAS_TEXT = createText(ANNAS_ROW - 1, 1);

/** A document with `TEXTS` on its first sheet, and Ben's changes of it. */
export interface ChangedBook {
  /** Client with Ben's token. */
  readonly book: Api;
  /** The revision in which the document contains `TEXTS`. */
  readonly base: string;
  /** An earlier revision with the same texts one row lower. */
  readonly earlier: string;
}

/** Writes texts, adds a sheet and deletes a row. Returns the revisions before and after the deletion. */
export async function writeTexts(book: Api): Promise<ChangedBook> {
  await book.put('A2', TEXTS);
  await book.addSheet('Other');
  const earlier = await book.revision();
  await changeStructure(book, { deleteRows: { sheet: 'Sheet1', from: 1, count: 1 } });
  return { book, base: await book.revision(), earlier };
}

type BensChange = (changed: ChangedBook) => Promise<unknown>;

async function undoLast(book: Api): Promise<void> {
  await book.undo(await book.revision());
}

const insertRows: BensChange = ({ book }) =>
  changeStructure(book, { insertRows: { sheet: 'Sheet1', before: 2, count: 2 } });
const deleteRow: BensChange = ({ book }) =>
  changeStructure(book, { deleteRows: { sheet: 'Sheet1', from: ANNAS_ROW, count: 1 } });

/** Ben's changes. After each of them, the sheet with Anna's cell exists. */
export const CHANGES: Readonly<Record<string, BensChange>> = {
  'inserts a row above': insertRows,
  'deletes a row above': ({ book }) => changeStructure(book, { deleteRows: { sheet: 'Sheet1', from: 2, count: 1 } }),
  'deletes that row': deleteRow,
  'inserts a column before': ({ book }) =>
    changeStructure(book, { insertColumns: { sheet: 'Sheet1', before: 'A', count: 1 } }),
  'moves the row down': ({ book }) =>
    changeStructure(book, { moveRows: { sheet: 'Sheet1', from: ANNAS_ROW, count: 1, before: 7 } }),
  sorts: ({ book }) => changeStructure(book, { sort: { range: 'A1:D7', by: [{ column: 'A', order: 'ascending' }] } }),
  'cuts the row to another place': ({ book }) => changeStructure(book, { cut: { from: 'A4:D4', to: 'A10' } }),
  'cuts the row to another sheet': ({ book }) => changeStructure(book, { cut: { from: 'A4:D4', to: 'Other!A2' } }),
  'inserts a row above and takes that back': async (changed) => {
    await insertRows(changed);
    await undoLast(changed.book);
  },
  'deletes the row, and takes that back': async (changed) => {
    await deleteRow(changed);
    await undoLast(changed.book);
  },
  'renames the sheet and inserts a row': async ({ book }) => {
    await book.renameSheet('Sheet1', 'Renamed');
    await changeStructure(book, { insertRows: { sheet: 'Renamed', before: 1, count: 1 } });
  },
  'deletes the sheet, and takes that back': async ({ book }) => {
    await book.deleteSheet('Sheet1');
    await undoLast(book);
  },
  'restores an earlier version': ({ book, earlier }) => book.restore(earlier),
  'inserts a row above and restores the version before it': async (changed) => {
    await insertRows(changed);
    await changed.book.restore(changed.base);
  },
};

/** Ben's filter of the first sheet, which hides Anna's row from everyone. */
export const hideAnnasRow: BensChange = ({ book }) => {
  const values = TEXTS.map(([first = '']) => first).filter((_text, row) => row !== 0 && row !== ANNAS_ROW - 1);
  return changeStructure(book, { setFilter: { range: 'Sheet1!A1:D7', columns: { A: { values } } } });
};

export function changeStructure(book: Api, operation: object): Promise<unknown> {
  return book.post('/structure', { operations: [operation] });
}

/** Text of each cell by address, without the name of the first sheet: `B4`, `Other!A2`. */
export async function readTexts(book: Api): Promise<ReadonlyMap<string, string>> {
  const { sheets } = (await book.sheets()).body as unknown as { sheets: readonly { name: string }[] };
  const texts = new Map<string, string>();
  for (const { name } of sheets) {
    const cells = memberAt((await book.get(`'${name}'!A1:N30`, { render: 'plain' })).body, 'values', 'cells');
    const prefix = name === 'Other' ? 'Other!' : '';
    for (const [i, line] of (cells as unknown as readonly (readonly unknown[])[]).entries()) {
      for (const [j, text] of line.entries())
        if (text !== null) texts.set(`${prefix}${'ABCDEFGHIJKLMN'[j]}${i + 1}`, String(text));
    }
  }
  return texts;
}

/** Texts of cells of the first sheet. They show whether a page knows the newest state. */
export function selectSample(texts: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ['A1', 'B2', 'B3', 'B4', 'B5', 'C6', 'B7'].map((address) => [address, texts.get(address) ?? '']),
  );
}

/**
 * True for the combinations of actions (rows) and changes (columns) that run by default: each action with two of five
 * changes, and each change with two of five actions.
 */
export function isSelected(row: number, column: number): boolean {
  return (row * 2 + column) % 5 < 2;
}

export function listDifferences(
  old: ReadonlyMap<string, string>,
  current: ReadonlyMap<string, string>,
): readonly string[] {
  return [...new Set([...old.keys(), ...current.keys()])]
    .filter((address) => old.get(address) !== current.get(address))
    .map((address) => `${address}: ${old.get(address) ?? ''} → ${current.get(address) ?? ''}`);
}

/** The expected difference: Anna's text becomes `next`, if its cell still exists. */
export function listExpectedDifferences(old: ReadonlyMap<string, string>, next: string): readonly string[] {
  return [...old].filter(([, text]) => text === ANNAS_TEXT).map(([address, text]) => `${address}: ${text} → ${next}`);
}

/** Shows the sheet with Anna's cell again if the page left it, because Ben deleted it meanwhile. */
export async function showFirstSheet({ page }: BrowserWindow): Promise<void> {
  const tab = page.getByRole('tab', { name: /^(?:Sheet1|Renamed)$/ });
  await tab.waitFor();
  if ((await tab.getAttribute('aria-selected')) === 'true' || (await page.locator('.grid-editor.editing').count()) > 0)
    return;
  await tab.click();
}
