import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Area, cellText, contains, parseArea, splitSheetPrefix } from '@cellwire/engine';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { type Api, type Json, memberAt, startWorld, type World } from '../http/support.ts';
import { toElements } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

interface MovedArea {
  readonly from: string;
  readonly to: string | null;
  readonly together?: true;
}

interface CopiedCell {
  readonly row: number;
  readonly column: number;
  readonly value: Json;
}

type CopiedCells = Map<string, CopiedCell>;

function parseReference(text: string): { readonly sheet: string; readonly area: Area } {
  const prefix = splitSheetPrefix(text);
  const area = parseArea(prefix?.rest ?? '');
  assert.ok(prefix?.sheet && area, text);
  return { sheet: prefix.sheet, area };
}

async function readDocument(api: Api): Promise<Map<string, CopiedCells>> {
  const { body } = await api.requestInDocument('GET', '/content');
  return new Map(
    toElements(body['sheets']).map((sheet) => {
      const cells: CopiedCells = new Map();
      for (const [address, { v }] of Object.entries(sheet['cells'] as unknown as Record<string, { v: Json }>)) {
        const area = parseArea(address);
        if (area !== null && v !== null) cells.set(address, { row: area.top, column: area.left, value: v });
      }
      return [String(sheet['name']), cells];
    }),
  );
}

/** A copy of a document that is updated from the change feed only. */
class DocumentCopy {
  private readonly api: Api;
  private since: number;
  sheets: Map<string, CopiedCells>;

  private constructor(api: Api, since: number, sheets: Map<string, CopiedCells>) {
    this.api = api;
    this.since = since;
    this.sheets = sheets;
  }

  static async create(api: Api): Promise<DocumentCopy> {
    return new DocumentCopy(api, Number(await api.revision()), await readDocument(api));
  }

  /** Reads the changes since the last call and applies them to the copy. */
  async applyNewChanges(): Promise<void> {
    const { body } = await this.api.requestInDocument('GET', `/changes?since=${this.since}&values=true`);
    const { next, gap } = body['changes'] as unknown as { readonly next: number; readonly gap: boolean };
    assert.equal(gap, false);
    for (const entry of toElements(memberAt(body, 'changes')['entries'])) this.apply(entry);
    this.since = next;
  }

  private apply(entry: Json): void {
    assert.equal(entry['truncated'], false);
    const moves: MovedArea[][] = [];
    for (const moved of (entry['moved'] ?? []) as unknown as readonly MovedArea[]) {
      if (moved.together) moves.at(-1)?.push(moved);
      else moves.push([moved]);
    }
    for (const move of moves) this.move(move);
    for (const { cell, after: value } of toElements(entry['cells']) as unknown as readonly {
      cell: string;
      after: Json;
    }[]) {
      const { sheet, area } = parseReference(cell);
      const at = cellText(area.top, area.left);
      if (value === null) this.getCells(sheet).delete(at);
      else this.getCells(sheet).set(at, { row: area.top, column: area.left, value });
    }
  }

  private move(areas: readonly MovedArea[]): void {
    const removed = areas.map(({ from, to }) => ({ to, from: parseReference(from), cells: this.removeCells(from) }));
    for (const { to } of areas) if (to !== null) this.removeCells(to);
    for (const { to, from, cells } of removed) {
      if (to === null) continue;
      const { sheet, area } = parseReference(to);
      for (const { row, column, value } of cells) {
        const [down, right] = [row + area.top - from.area.top, column + area.left - from.area.left];
        this.getCells(sheet).set(cellText(down, right), { row: down, column: right, value });
      }
    }
  }

  private removeCells(text: string): readonly CopiedCell[] {
    const { sheet, area } = parseReference(text);
    const matching = [...this.getCells(sheet)].filter(([, { row, column }]) => contains(area, row, column));
    for (const [at] of matching) this.getCells(sheet).delete(at);
    return matching.map(([, cell]) => cell);
  }

  private getCells(sheet: string): CopiedCells {
    return this.sheets.get(sheet) ?? new Map();
  }
}

function toComparable(sheets: Map<string, CopiedCells>): unknown {
  return [...sheets].map(([name, cells]) => [name, [...cells].map(([at, { value }]) => [at, value]).sort()]);
}

describe('a copy that follows the change feed', () => {
  const cell = fc.constantFrom('A1', 'B2', 'A3', 'D1', 'Other!A2');
  const values = fc.constantFrom(
    [[1]],
    [['=A1+1', 5], ['x']],
    [[''], ['=SEQUENCE(2)']],
    [['=SUM(Other!A:A)']],
    [
      [1, 'b', 3],
      ['a', 2, 'c'],
      [5, '=A1', 7],
    ],
  );
  const line = fc.integer({ min: 1, max: 4 });
  const letter = fc.constantFrom('A', 'B', 'C');
  const range = fc.constantFrom('A1:B2', 'B2:C3', 'A3:C3', 'C1:C4');
  const corner = fc.constantFrom('A1', 'B2', 'C3', 'Other!A1');
  const [sheet, count] = [fc.constant('Sheet1'), fc.integer({ min: 1, max: 2 })];
  const operation: fc.Arbitrary<object> = fc.oneof(
    fc.record({ insertRows: fc.record({ sheet, before: line, count }) }),
    fc.record({ deleteRows: fc.record({ sheet, from: line, count: fc.constantFrom(1, 1_048_570) }) }),
    fc.record({ moveRows: fc.record({ sheet, from: line, count, before: line }) }),
    fc.record({ insertColumns: fc.record({ sheet, before: letter, count }) }),
    fc.record({ deleteColumns: fc.record({ sheet, from: letter, count }) }),
    fc.record({ moveColumns: fc.record({ sheet, from: letter, count, before: letter }) }),
    fc.record({ insertCells: fc.record({ range, shift: fc.constantFrom('down', 'right') }) }),
    fc.record({ deleteCells: fc.record({ range, shift: fc.constantFrom('up', 'left') }) }),
    fc.constant({ deleteCells: { range: 'B:B', shift: 'up' } }),
    fc.record({ cut: fc.record({ from: range, to: corner }) }),
    fc.record({ copy: fc.record({ from: range, to: corner }) }),
    fc.record({ sort: fc.record({ range: fc.constant('A1:C5'), by: fc.constant([{ column: 'A' }]) }) }),
    fc.record({ removeDuplicates: fc.record({ range: fc.constant('A1:C5') }) }),
  );
  const back = fc.nat(4);
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ operations: fc.array(operation, { minLength: 1, maxLength: 3 }) }) },
    { weight: 3, arbitrary: fc.record({ cell, values }) },
    { weight: 2, arbitrary: fc.record({ undo: back }) },
    { weight: 1, arbitrary: fc.record({ restore: back }) },
  );

  async function perform(api: Api, next: typeof step extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
    const newest = Number(await api.revision());
    if ('operations' in next) await api.post('/structure', next);
    else if ('cell' in next) await api.put(next.cell, next.values);
    else if ('undo' in next) await api.undo(Math.max(2, newest - next.undo));
    else await api.restore(Math.max(1, newest - next.restore));
  }

  it('equals the document after any writes, moves, deletions and undos', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
        const api = await world.createBook();
        await api.addSheet('Other');
        const copy = await DocumentCopy.create(api);
        for (const next of steps) {
          await perform(api, next);
          await copy.applyNewChanges();
          assert.deepEqual(toComparable(copy.sheets), toComparable(await readDocument(api)), JSON.stringify(next));
        }
      }),
      { numRuns: scaleRunCount(18) },
    );
  });

  const CUTS: readonly (readonly [title: string, ...cuts: readonly (readonly [from: string, to: string])[]])[] = [
    ['from it', ['Secret!A1:B2', 'Sheet1!B2']],
    ['to it', ['Sheet1!A1:B1', 'Secret!D1']],
    ['to it and back', ['Sheet1!A1:B1', 'Secret!D1'], ['Secret!D1', 'Sheet1!C4']],
    ['from it, and within the other', ['Secret!A1:B2', 'Sheet1!B2'], ['Sheet1!B2:B3', 'Other!C1']],
    ['from it and back', ['Secret!A1:B2', 'Sheet1!B2'], ['Sheet1!B2:B3', 'Secret!A1']],
  ];
  for (const [title, ...cuts] of CUTS) {
    it(`equals the view of a user without access to a sheet when cells are cut ${title}`, async () => {
      const api = await world.createBook();
      for (const name of ['Other', 'Secret']) await api.addSheet(name);
      await api.put('Sheet1!A1', [
        [1, 2],
        [3, 4, 5],
        [6, 7, 8],
      ]);
      await api.put('Secret!A1', [
        ['first', ''],
        ['', 'last'],
      ]);
      await world.protect(api.document, 'Secret', { hideValues: true });
      const reader = await world.addMember(api.document, 'view');
      const copy = await DocumentCopy.create(reader.api);
      const since = await api.revision();
      const operations = cuts.map(([from, to]) => ({ cut: { from, to } }));
      assert.equal((await api.post('/structure', { operations })).status, 200);
      await copy.applyNewChanges();
      assert.deepEqual(toComparable(copy.sheets), toComparable(await readDocument(reader.api)));
      await api.undo(await api.revision());
      await copy.applyNewChanges();
      assert.deepEqual(toComparable(copy.sheets), toComparable(await readDocument(reader.api)));
      const { body } = await reader.api.requestInDocument('GET', `/changes?since=${since}&values=true`);
      const visibleParts = toElements(memberAt(body, 'changes')['entries']).map(({ moved, cells, ranges }) => ({
        moved,
        cells,
        ranges,
      }));
      assert.doesNotMatch(JSON.stringify(visibleParts), /Secret/);
    });
  }

  it('includes cells cut from a sheet that has been deleted since', async () => {
    const api = await world.createBook();
    await api.addSheet('Gone');
    await api.put('Gone!A1', [['first', 'second']]);
    const copy = await DocumentCopy.create(api);
    await api.post('/structure', { operations: [{ cut: { from: 'Gone!A1:B1', to: 'Sheet1!B2' } }] });
    await api.deleteSheet('Gone');
    await copy.applyNewChanges();
    copy.sheets.delete('Gone');
    assert.deepEqual(toComparable(copy.sheets), toComparable(await readDocument(api)));
  });
});
