import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import { type Api, memberAt } from '../../packages/server/test/http/support.ts';
import { IS_DEEP } from '../depth.ts';
import {
  type BrowserWindow,
  BrowserWorld,
  describeInBrowser,
  readCellValues,
  waitUntil,
  waitUntilSteady,
} from './browser.ts';
import {
  createWalkGrid,
  findPosition,
  formatAddress,
  formatColumn,
  listDifferences,
  measureUsedSize,
  readGridTexts,
  sortTexts,
  WALK_COLUMNS,
  WALK_ROWS,
  type WalkGrid,
} from './walk-grid.ts';
import {
  createEdit,
  createStructureChange,
  EDIT_KINDS,
  type PersonalEdit,
  STRUCTURE_CHANGES,
  type StructureChange,
} from './walk-steps.ts';

/** `WALK_STEPS=300 PROPERTY_SEED=7` performs more, and other, steps. */
const STEPS = Number(process.env['WALK_STEPS'] ?? (IS_DEEP ? 100 : 14));
/** Smallest and largest delay of the requests of a slow connection, in milliseconds. */
const SLOW_MS = { min: 300, max: 1_500 } as const;
/** Requests that change the document. */
const WRITE_PATHS = /\/console\/.*\/(?:values\/|cells$|structure$|fill$)/;
/** A step adds a few rows. */
const MAX_ROWS_BEFORE_STEP = 20;
/** Edits of several cells. Other changes may separate these cells, so they are not combined. */
const RANGE_EDITS: readonly string[] = ['clear three rows', 'fill down', 'drag the fill handle', 'paste two lines'];

/** The pages show this sheet while the first sheet is deleted. It stays empty. */
const SECOND_SHEET = 'Second';

type Texts = readonly (readonly string[])[];

describeInBrowser('two users in one document', () => {
  let stage: BrowserWorld;
  let book: Api;
  let anna: BrowserWindow;
  let ben: BrowserWindow;

  before(async () => {
    stage = await BrowserWorld.start();
    const shared = await stage.createSharedDocument();
    book = shared.annasBook;
    await book.put(
      'A1',
      Array.from({ length: 9 }, (_, i) => ['q', 'w', 'e', 'r'].map((letter) => `${letter}${(i * 7) % 9}`)),
    );
    await book.addSheet(SECOND_SHEET);
    [anna, ben] = await Promise.all([
      stage.openDocument(shared.anna, shared.id),
      stage.openDocument(shared.ben, shared.id),
    ]);
  });
  after(() => stage?.end());

  async function readSheetName(): Promise<string> {
    const { sheets } = (await book.sheets()).body as unknown as { sheets: readonly { name: string }[] };
    return sheets.find(({ name }) => name !== SECOND_SHEET)?.name ?? '';
  }

  async function readTexts(): Promise<Texts> {
    const last = formatAddress({ row: WALK_ROWS - 1, column: WALK_COLUMNS - 1 });
    const answer = await book.get(`'${(await readSheetName()).replaceAll("'", "''")}'!A1:${last}`, {
      render: 'display',
    });
    const cells = memberAt(answer.body, 'values', 'cells') as unknown as readonly (readonly (string | null)[])[];
    return Array.from({ length: WALK_ROWS }, (_, row) =>
      Array.from({ length: WALK_COLUMNS }, (_unused, column) => cells[row]?.[column] ?? ''),
    );
  }

  /** Waits until each displayed cell of both pages equals that of the service. */
  async function waitForAgreement(step: string): Promise<void> {
    let differing: readonly string[] = [];
    await waitUntil(
      async () => {
        for (const window of [anna, ben]) await showWalkedSheet(window);
        const stored = await readTexts();
        const displayed = await Promise.all([anna, ben].map(readDisplayedCells));
        differing = displayed.flatMap((cells) =>
          stored.flatMap((line, row) =>
            line.flatMap((text, column) => {
              const address = formatAddress({ row, column });
              const onPage = cells[address];
              return onPage === undefined || onPage === text ? [] : [`${address}: ${text}, shown ${onPage}`];
            }),
          ),
        );
        return differing.length === 0 && (await anna.isSaved()) && (await ben.isSaved());
      },
      () => `${step}: ${differing.join('; ')}`,
    );
  }

  /** The sheet must not become empty, and must not outgrow the model. */
  async function refill(step: number): Promise<void> {
    const stored = await readTexts();
    const { rows } = measureUsedSize(createWalkGrid(stored));
    if (rows > MAX_ROWS_BEFORE_STEP) {
      const sheet = await readSheetName();
      const deletion = { sheet, from: MAX_ROWS_BEFORE_STEP + 1, count: rows - MAX_ROWS_BEFORE_STEP };
      await book.post('/structure', { operations: [{ deleteRows: deletion }] });
    }
    if (sortTexts(stored).length > 8) return;
    const lines = Array.from({ length: 4 }, (_, i) => ['f', 'g', 'h'].map((letter) => `${letter}${step}x${i}`));
    const first = Math.min(rows, MAX_ROWS_BEFORE_STEP) + 1;
    await book.put(`'${(await readSheetName()).replaceAll("'", "''")}'!A${first}`, lines);
  }

  async function setFilter(grid: WalkGrid, { column, number }: WalkChoices): Promise<void> {
    const sheet = await readSheetName();
    const { rows, columns } = measureUsedSize(grid);
    const last = formatAddress({ row: rows - 1, column: columns - 1 });
    const at = column % columns;
    const values = readGridTexts(grid)
      .slice(1, rows)
      .filter((_line, i) => (i + number) % 3 > 0)
      .map((line) => line[at] ?? '');
    const filter = {
      range: `'${sheet.replaceAll("'", "''")}'!A1:${last}`,
      columns: { [formatColumn(at)]: { values } },
    };
    await book.post('/structure', { operations: [{ deleteFilter: { sheet } }] });
    const isSet = number % 2 === 0;
    if (isSet) await book.post('/structure', { operations: [{ setFilter: filter }] });
    const isShown = (row: number) =>
      !isSet || row === 0 || row >= rows || values.includes(readGridTexts(grid)[row]?.[at] ?? '');
    const expected = Array.from({ length: WALK_ROWS }, (_, row) => row).filter(isShown);
    let actual: readonly (readonly number[])[] = [];
    await waitUntil(
      async () => {
        for (const window of [anna, ben]) await showWalkedSheet(window);
        actual = (await Promise.all([anna, ben].map(readVisibleRows))).map((list) =>
          list.filter((row) => row < WALK_ROWS),
        );
        return actual.every((list) => String(list) === String(expected.slice(0, list.length)) && list.length > 0);
      },
      () => `a filter shows the rows ${actual.join(' | ')} instead of ${expected.join()}`,
    );
  }

  it('change only the cells that they see, lose nothing silently, and see the same cells after each step', async () => {
    const [walk = []] = fc.sample(fc.array(choices, { minLength: STEPS, maxLength: STEPS }), 1);
    for (const [i, chosen] of walk.entries()) {
      const [writer, other] = chosen.isAnna ? [anna, ben] : [ben, anna];
      const step = `step ${i}: ${JSON.stringify(chosen)}`;
      await refill(i);
      await waitForAgreement(step);
      const grid = createWalkGrid(await readTexts());
      const rows = await readVisibleRows(writer);
      const { rows: usedRows, columns } = measureUsedSize(grid);
      // A sort moves only used rows and columns.
      const beyond = chosen.change === 'sort' ? 0 : 1;
      const candidates = rows.filter((row) => row < usedRows + beyond);
      const row = candidates[chosen.row % candidates.length] ?? 0;
      const column = chosen.column % (columns + beyond);
      const edit = createEdit(chosen.edit, grid, rows, { row, column, text: `t${i}` });
      // A protected sheet has no menu.
      const hasNoMenu = chosen.edit === 'delete the row' && !chosen.isAnna && /^(?:hide|lock)/.test(chosen.change);
      const when = RANGE_EDITS.includes(chosen.edit) || hasNoMenu ? 'alone' : chosen.when;
      const change =
        when === 'alone' ? null : createStructureChange(chosen.change, grid, await readSheetName(), chosen);
      await edit.prepare(writer);
      const delay = SLOW_MS.min + ((SLOW_MS.max - SLOW_MS.min) * chosen.number) / 100;
      const isKnown = await perform(writer, edit, change, { when, delay });
      await waitUntil(
        async () => (await answerConflict(writer)) || ((await writer.isSaved()) && (await other.isSaved())),
        () => step,
      );
      await settle(step);
      const isPrevented = !chosen.isAnna && change?.mayPreventEdits === true;
      const isReported = when === 'offline' || isPrevented || (await countProblems(writer)) > 0;
      if (isKnown) assertEditApplied(await readTexts(), { grid, edit, change, isReported }, step);
      assert.deepEqual(await readCellValues(book, `${SECOND_SHEET}!A1:J30`), Array(300).fill(null), step);
      for (const window of [anna, ben]) await dismissMessages(window);
      if (chosen.number % 5 === 0) await setFilter(createWalkGrid(await readTexts()), chosen);
      if (chosen.number % 7 === 0) await undoAndRedo(writer);
    }
    await waitForAgreement('at the end');
  });

  /** Performs the edit before, after or during the change. Returns false if the change was performed only in part. */
  async function perform(
    writer: BrowserWindow,
    edit: PersonalEdit,
    change: StructureChange | null,
    { when, delay }: { readonly when: string; readonly delay: number },
  ): Promise<boolean> {
    const performChange = async () => change === null || (await change.perform(book)) !== false;
    const { page } = writer;
    switch (when) {
      case 'after': {
        const isKnown = await performChange();
        await waitForAgreement('before the edit');
        await edit.perform(writer);
        return isKnown;
      }
      case 'offline': {
        await page.context().setOffline(true);
        await page.locator('.live.lost').waitFor();
        await edit.perform(writer);
        const isKnown = await performChange();
        await page.context().setOffline(false);
        return isKnown;
      }
      case 'slow': {
        await page.route(/\/console\/.*(?<!\/events\?.*)$/, async (route) => {
          await new Promise((resolve) => setTimeout(resolve, delay));
          await route.continue();
        });
        const [isKnown] = await Promise.all([performChange(), edit.perform(writer)]);
        await waitUntil(
          () => writer.isSaved(),
          () => 'a slow edit',
        );
        await page.unrouteAll({ behavior: 'wait' });
        return isKnown;
      }
      case 'answer lost': {
        let isLost = false;
        await page.route(WRITE_PATHS, async (route) => {
          if (route.request().method() === 'GET' || isLost) return route.continue();
          isLost = true;
          await route.fetch();
          await route.abort();
        });
        const isKnown = await performChange();
        await edit.perform(writer);
        await waitUntil(
          () => writer.isSaved(),
          () => 'an edit whose answer is lost',
        );
        await page.unrouteAll({ behavior: 'wait' });
        return isKnown;
      }
      default: {
        const [isKnown] = await Promise.all([performChange(), edit.perform(writer)]);
        return isKnown;
      }
    }
  }

  /** Waits until both pages are saved and several reads in a row give the same revision. */
  async function settle(step: string): Promise<void> {
    await waitUntilSteady(
      async () => ((await anna.isSaved()) && (await ben.isSaved()) ? book.revision() : null),
      () => step,
    );
  }

  /**
   * Undoes and redoes an edit of this person. Another person's changes may prevent this; the next step checks the
   * pages.
   */
  async function undoAndRedo(writer: BrowserWindow): Promise<void> {
    await writer.press('Control+z', 'Control+y');
    await waitUntil(
      () => writer.isSaved(),
      () => 'undo and redo',
    );
    await dismissMessages(writer);
  }
});

const choices = fc.record({
  isAnna: fc.boolean(),
  edit: fc.constantFrom(...EDIT_KINDS),
  change: fc.constantFrom(...STRUCTURE_CHANGES),
  when: fc.constantFrom('alone', 'together', 'together', 'after', 'slow', 'offline', 'answer lost'),
  row: fc.nat(30),
  column: fc.nat(9),
  number: fc.nat(100),
});

type WalkChoices = typeof choices extends fc.Arbitrary<infer T> ? T : never;

interface PerformedStep {
  readonly grid: WalkGrid;
  readonly edit: PersonalEdit;
  readonly change: StructureChange | null;
  /** True if the page says that the edit was not made. */
  readonly isReported: boolean;
}

/** Checks that the edit changed exactly its own cells, or that it changed none and the page says so. */
function assertEditApplied(now: Texts, { grid, edit, change, isReported }: PerformedStep, step: string): void {
  const edited = edit.apply(grid, (position) => position);
  if (change === null) return assert.deepEqual(listDifferences(readGridTexts(edited), now), [], step);
  if (change.apply === null) {
    const isReverted = isReported || change.revertsEdits === true;
    const expected = [edited, ...(isReverted ? [grid] : [])].map((possible) =>
      sortTexts(readGridTexts(possible)).join(),
    );
    const actual = sortTexts(now).join();
    return assert.ok(
      expected.includes(actual),
      `${step}, ${change.name}: ${actual} instead of ${expected.join(' or ')}`,
    );
  }
  const changed = change.apply(grid);
  const changeFirst = edit.apply(changed, (position) => findPosition(changed, position));
  const isPossible = edit.cells.every((position) => findPosition(changed, position) !== null);
  const expected = [changeFirst, change.apply(edited), ...(isReported || !isPossible ? [changed] : [])].map(
    readGridTexts,
  );
  const byOrder = expected.map((texts) => listDifferences(texts, now));
  if (byOrder.every((list) => list.length > 0)) assert.fail(`${step}, ${change.name}: ${byOrder[0]?.join('; ')}`);
}

/** Returns to the first sheet after another person deleted and restored it. An open draft stays open. */
async function showWalkedSheet({ page }: BrowserWindow): Promise<void> {
  const tab = page.getByRole('tab').filter({ hasNotText: SECOND_SHEET });
  const isElsewhere = (await tab.count()) === 1 && (await tab.getAttribute('aria-selected')) !== 'true';
  if (isElsewhere && (await page.locator('.grid-editor.editing').count()) === 0) await tab.click();
}

async function readDisplayedCells({ page }: BrowserWindow): Promise<Readonly<Record<string, string>>> {
  return page.evaluate(`Object.fromEntries(
    [...document.querySelectorAll('.grid-cell')].map((cell) => [cell.id.replace('cell-', ''), cell.textContent]),
  )`);
}

async function readVisibleRows(window: BrowserWindow): Promise<readonly number[]> {
  const rows = Object.keys(await readDisplayedCells(window)).map((address) => Number(/\d+/.exec(address)?.[0]) - 1);
  return [...new Set(rows)].filter((row) => row >= 0).toSorted((a, b) => a - b);
}

/** Keeps the other person's value if the page asks. */
async function answerConflict({ page }: BrowserWindow): Promise<boolean> {
  const keep = page.getByRole('button', { name: 'Keep theirs', exact: true });
  if ((await keep.count()) === 0) return false;
  await keep.click();
  return true;
}

async function countProblems({ page }: BrowserWindow): Promise<number> {
  return (await page.locator('.grid-editor.refused').count()) + (await page.locator('.toasts .notice.bad').count());
}

async function dismissMessages(window: BrowserWindow): Promise<void> {
  await window.press('Escape', 'Escape');
  await window.closeMessages();
}
