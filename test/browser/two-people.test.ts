import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import type { Api } from '../../packages/server/test/http/support.ts';
import { describeInBrowser, Stage, type Window } from './browser.ts';

const ROWS = 9;
const COLUMNS = 'ABC';
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

  /** Checks that each visible cell of both pages equals that of the service. */
  async function agree(): Promise<void> {
    let differing: readonly string[] = [];
    await until(
      async () => {
        const held = await cells();
        const pages = await Promise.all(
          [anna, ben].map(({ page }) => page.evaluate(SHOWN) as Promise<Record<string, string>>),
        );
        differing = pages.flatMap((shown) =>
          [...held].flatMap(([address, text]) =>
            shown[address] === text ? [] : [`${address}: ${text}, shown ${shown[address]}`],
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

  it('change only the cells that they see, and agree after each step', async () => {
    const [walk = []] = fc.sample(fc.array(step, { minLength: STEPS, maxLength: STEPS }), 1);
    for (const [i, { row, column, other, deed, isAnna }] of walk.entries()) {
      const [writer, mover] = isAnna ? [anna, ben] : [ben, anna];
      const told = `step ${i}: ${JSON.stringify(walk[i])}`;
      await agree();
      const address = `${column}${row}`;
      const seen = (await cells()).get(address) ?? '';
      await writer.go(address);
      const revision = Number(await book.revision());
      const moved = deed === 'undo' ? mover.press('Control+z') : menu(mover, other, deed);
      await Promise.all([moved, writer.type(`t${i}`)]);
      await writer.press('Enter');
      await until(
        async () => Number(await book.revision()) > revision || (await writer.page.locator('.refused').count()) > 0,
        () => told,
      );
      await until(
        async () => (await saved(writer)) && (await saved(mover)),
        () => told,
      );
      const texts = [...(await cells()).values()].filter((text) => text !== '');
      const isWritten = texts.includes(`t${i}`);
      if (isWritten) assert.ok(seen === '' || !texts.includes(seen) || deed === 'undo', told);
      assert.equal(texts.length, new Set(texts).size, `${told}: a text is there twice`);
      await writer.press('Escape');
    }
    await agree();
  });
});

/** True if no write is pending. */
async function saved({ page }: Window): Promise<boolean> {
  return (await page.getByText('Saving …').count()) === 0;
}

/** Texts of the drawn cells by address. */
const SHOWN = `Object.fromEntries(
  [...document.querySelectorAll('.grid-cell')].map((cell) => [cell.id.replace('cell-', ''), cell.textContent]),
)`;

async function until(holds: () => Promise<boolean>, told: () => string): Promise<void> {
  for (let i = 0; i < 400; i++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail(`it did not come about in time: ${told()}`);
}
