import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import type { Api } from '../../packages/server/test/http/support.ts';
import { describeInBrowser, Stage, type Window } from './browser.ts';

const ROWS = 9;
const COLUMNS = 'two users in one document';
const STEPS = 10;

describeInBrowser('two people in one document', () => {
  let stage: Stage;
  let book: Api;
  let anna: Window;
  let ben: Window;

  before(async () => {
    stage = await Stage.begin();
    const owner = await stage.person();
    const other = await stage.person();
    const { world } = stage;
    const document = await world.document(String(owner.id));
    await world.share(document, String(other.id), 'edit');
    book = world.api(await world.token(String(owner.id)), document);
    await book.put(
      'A1',
      Array.from({ length: ROWS }, (_, i) => [...COLUMNS].map((column) => `${(i * 7) % 10}${column}${i}`)),
    );
    [anna, ben] = await Promise.all([stage.signedIn(owner), stage.signedIn(other)]);
    await Promise.all([anna.open(document), ben.open(document)]);
  });
  after(() => stage?.end());

  async function cells(): Promise<ReadonlyMap<string, string>> {
    const lines = (await book.get('A1:D14', { render: 'display' })).body['values'][
      'cells'
    ] as unknown as readonly unknown[][];
    return new Map(
      lines.flatMap((line, i) => line.map((text, j) => [`${'ABCD'[j]}${i + 1}`, String(text ?? '')] as const)),
    );
  }

  /** Waits until each visible cell of both pages equals that of the service. */
  async function waitForAgreement(): Promise<void> {
    let differing: readonly string[] = [];
    await until(
      async () => {
        const serviceCells = await cells();
        const pages = await Promise.all(
          [anna, ben].map(({ page }) => page.evaluate(READ_CELLS) as Promise<Record<string, string>>),
        );
        differing = pages.flatMap((pageCells) =>
          [...serviceCells].flatMap(([address, text]) =>
            pageCells[address] === text ? [] : [`${address}: ${text}, shown ${pageCells[address]}`],
          ),
        );
        return differing.length === 0;
      },
      () => differing.join('; '),
    );
  }

  const menu = async (window: Window, row: number, item: string) => {
    await window.page.locator(`#cell-A${row}`).click({ button: 'right' });
    await window.page.getByRole('menuitem', { name: item, exact: true }).click();
  };

  const step = fc.record({
    row: fc.integer({ min: 1, max: ROWS - 1 }),
    column: fc.constantFrom(...COLUMNS),
    other: fc.integer({ min: 2, max: ROWS - 1 }),
    deed: fc.constantFrom('Insert row above', 'Delete row', 'Move row up', 'Move row down', 'Sort A → Z', 'undo'),
    isAnna: fc.boolean(),
  });

  it('change only the cells that they see, and see the same cells after each step', async () => {
    const [steps = []] = fc.sample(fc.array(step, { minLength: STEPS, maxLength: STEPS }), 1);
    for (const [i, { row, column, other, deed: action, isAnna }] of steps.entries()) {
      const [writer, mover] = isAnna ? [anna, ben] : [ben, anna];
      const description = `step ${i}: ${JSON.stringify(steps[i])}`;
      await waitForAgreement();
      const address = `${column}${row}`;
      const oldText = (await cells()).get(address) ?? '';
      await writer.go(address);
      const revision = Number(await book.revision());
      const movement = action === 'undo' ? mover.press('Control+z') : menu(mover, other, action);
      await Promise.all([movement, writer.type(`t${i}`)]);
      await writer.press('Enter');
      await until(
        async () => Number(await book.revision()) > revision || (await writer.page.locator('.refused').count()) > 0,
        () => description,
      );
      await until(
        async () => (await saved(writer)) && (await saved(mover)),
        () => description,
      );
      const texts = [...(await cells()).values()].filter((text) => text !== '');
      const isWritten = texts.includes(`t${i}`);
      if (isWritten) assert.ok(oldText === '' || !texts.includes(oldText) || action === 'undo', description);
      assert.equal(texts.length, new Set(texts).size, `${description}: a text is there twice`);
      await writer.press('Escape');
    }
    await waitForAgreement();
  });
});

/** True if no write is pending. */
async function saved({ page }: Window): Promise<boolean> {
  return (await page.getByText('Saving …').count()) === 0;
}

/** Texts of the displayed cells by address. */
const READ_CELLS = `Object.fromEntries(
  [...document.querySelectorAll('.grid-cell')].map((cell) => [cell.id.replace('cell-', ''), cell.textContent]),
)`;

async function until(holds: () => Promise<boolean>, description: () => string): Promise<void> {
  for (let i = 0; i < 400; i++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail(`it did not come about in time: ${description()}`);
}
