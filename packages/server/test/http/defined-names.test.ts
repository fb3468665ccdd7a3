import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WorkbookData } from '@cellwire/engine';
import { createDocument } from '../../src/service/operator/documents.ts';
import type { Api, World } from './support.ts';
import { startWorld } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld({ limits: { calculationCells: 100_000 } });
});
after(() => world.close());

/** A document as an imported file leaves it, with defined names; their formulas are in the grammar of files. */
async function bookWith(names: WorkbookData['names']): Promise<Api> {
  const owner = await world.user();
  const data: WorkbookData = {
    settings: { locale: 'en-US', dateSystem: '1900', timeZone: 'UTC' },
    names,
    tables: [],
    sheets: [{ name: 'Data', hidden: false, color: null, hiddenRows: [], columnFormats: new Map(), cells: [] }],
  };
  const created = await createDocument(world.server.service.context, {
    owner: owner.id,
    title: 'Names',
    content: { kind: 'data', data },
  });
  assert.ok('id' in created);
  return world.api(await world.token(owner.id), created.id);
}

/** Names that each stand for an expression of the next. */
function chain(length: number, link: (next: string) => string, end: string): WorkbookData['names'] {
  return Array.from({ length }, (_, index) => ({
    name: `name_${index}`,
    formula: index === length - 1 ? end : link(`name_${index + 1}`),
  }));
}

describe('defined names', () => {
  it('that come back to themselves are #REF!, a function that calls itself is not', async () => {
    const cases: readonly [names: WorkbookData['names'], formula: string, v: unknown][] = [
      [[{ name: 'own', formula: 'own' }], '=own', '#REF!'],
      [[{ name: 'own', formula: 'own+own' }], '=own', '#REF!'],
      [
        [
          { name: 'one_way', formula: 'other_way+1' },
          { name: 'other_way', formula: 'one_way' },
        ],
        '=other_way',
        '#REF!',
      ],
      [[{ name: 'down', formula: 'LAMBDA(n,IF(n<1,0,down(n-1)+1))' }], '=down(50)', 50],
      [[{ name: 'twice', formula: '2' }], '=twice*twice', 4],
    ];
    for (const [names, formula, v] of cases) {
      const book = await bookWith(names);
      assert.equal((await book.put('A1', [[formula]])).status, 200, formula);
      assert.equal((await book.cell('A1'))['v'], v, formula);
    }
  });

  it('pass changes on, however many stand between', async () => {
    const book = await bookWith(chain(200, (next) => `${next}+1`, 'Data!$B$1'));
    await book.put('A1', [['=name_0']]);
    await book.put('B1', [[5]]);
    assert.equal((await book.cell('A1'))['v'], 204);
  });

  it('that multiply are refused like any calculation that takes too much', async () => {
    const book = await bookWith(chain(60, (next) => `${next}+${next}`, 'Data!$B$1'));
    const { status, body } = await book.put('A1', [['=name_0']]);
    assert.deepEqual([status, body['message']], [422, 'Calculation limit exceeded']);
    assert.equal((await book.put('A1', [['=name_50']])).status, 200);
  });
});
