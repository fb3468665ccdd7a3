import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { type Api, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

/** A document with a second sheet, which formulas may name; another one comes and goes, and is named by none. */
async function book(): Promise<Api> {
  const api = await world.book();
  await api.addSheet('Third');
  return api;
}

async function newest(api: Api): Promise<number> {
  return Number(await api.revision());
}

/** What the cells of a document's sheets hold, its names and its tables. */
async function everything(api: Api): Promise<unknown> {
  const [content, names, tables] = await Promise.all(
    ['/content', '/names', '/tables'].map((of) => api.here('GET', of)),
  );
  return [content?.body['sheets'], names?.body['names'], tables?.body['tables']];
}

describe('any history', () => {
  const cell = fc.constantFrom('A1', 'B2', 'A1:B2', 'Other!A1', 'Third!A2', 'A3');
  const values = fc.constantFrom(
    [[1]],
    [['=A1+1', 5], ['x']],
    [[''], ['=SEQUENCE(2)']],
    [['01.02.2026', '7%']],
    [['=SUM(Third!A:A)']],
    [['=SUM(A1:C3)', '=A2', '=COUNTA(area)']],
    [['=SUM(Sheet1:Third!A1:B4)', '=ROWS(Sheet1!A2:A4)', '=SUM(A:A)']],
    [['=COUNTA(Sales)', '=SUM(B1:B4)']],
    [
      [1, 'b', 3],
      ['a', 2, 'c'],
      [5, '=A1', 7],
    ],
  );
  const line = fc.integer({ min: 1, max: 4 });
  const count = fc.integer({ min: 1, max: 2 });
  const letter = fc.constantFrom('A', 'B', 'C');
  const corner = fc.constantFrom('A1', 'B2', 'C3', 'A4');
  const range = fc.constantFrom('A1:B2', 'B2:C3', 'A3:C3', 'C1:C4');
  const sheet = 'Sheet1';
  const operation: fc.Arbitrary<object> = fc.oneof(
    fc.record({ insertRows: fc.record({ sheet: fc.constant(sheet), before: line, count }) }),
    fc.record({ deleteRows: fc.record({ sheet: fc.constant(sheet), from: line, count }) }),
    fc.record({ moveRows: fc.record({ sheet: fc.constant(sheet), from: line, count, before: line }) }),
    fc.record({ insertColumns: fc.record({ sheet: fc.constant(sheet), before: letter, count }) }),
    fc.record({ deleteColumns: fc.record({ sheet: fc.constant(sheet), from: letter, count }) }),
    fc.record({ moveColumns: fc.record({ sheet: fc.constant(sheet), from: letter, count, before: letter }) }),
    fc.record({ insertCells: fc.record({ range, shift: fc.constantFrom('down', 'right') }) }),
    fc.record({ deleteCells: fc.record({ range, shift: fc.constantFrom('up', 'left') }) }),
    fc.record({ cut: fc.record({ from: range, to: corner }) }),
    fc.record({ copy: fc.record({ from: range, to: corner }) }),
    fc.record({ sort: fc.record({ range: fc.constant('A1:C5'), by: fc.constant([{ column: 'A' }]) }) }),
    fc.record({ removeDuplicates: fc.record({ range: fc.constant('A1:C5') }) }),
    fc.record({
      setName: fc.record({ name: fc.constant('area'), refersTo: range.map((held) => `=${sheet}!${held}`) }),
    }),
    fc.record({ setTable: fc.record({ name: fc.constant('Sales'), range: fc.constant('Sheet1!A1:B3') }) }),
  );
  const write = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('structure' as const), operation }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), cell, values }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('append' as const), values }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('clear' as const), cell }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'add' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'delete' as const }) },
  );

  async function perform(api: Api, step: typeof write extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
    switch (step.kind) {
      case 'structure':
        await api.post('/structure', { operations: [step.operation] });
        return;
      case 'put':
        await api.put(step.cell, step.values);
        return;
      case 'append':
        await api.append('A1', step.values);
        return;
      case 'clear':
        await api.clear(step.cell);
        return;
      case 'add':
        await api.addSheet('Other');
        return;
      case 'delete':
        await api.deleteSheet('Other');
    }
  }

  it('can be taken back to the first revision and forward again, also by another process', async () => {
    const beside = await world.beside();
    after(() => beside.close());
    const steps = fc.array(write, { minLength: 2, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const api = await book();
        const there = Object.assign(Object.create(Object.getPrototypeOf(api)), api, { base: beside.address }) as Api;
        const states = [await everything(api)];
        const begun = await newest(api);
        for (const step of history) {
          const revision = await newest(api);
          await perform(api, step);
          if ((await newest(api)) > revision) states.push(await everything(api));
        }
        const last = states.length - 1;
        for (let i = last; i > 0; i--) {
          assert.equal((await there.undo(i + begun)).status, 200);
          assert.deepEqual(await everything(api), states[i - 1]);
        }
        for (let i = 0; i < last; i++) {
          assert.equal((await api.undo(begun + 2 * last - i)).status, 200);
          assert.deepEqual(await everything(there), states[i + 1]);
        }
        for (const [i, state] of states.entries()) {
          assert.equal((await api.restore(i + begun)).status, 200);
          assert.deepEqual(await everything(api), state);
        }
      }),
      { numRuns: 6 },
    );
  });

  /**
   * Takes commits back in an order that draws decide, those left for later that something is in the way of. What takes
   * them back in its turn; null where commits are in one another's way and only force would go on.
   */
  async function takeBackAll(api: Api, revisions: readonly number[], draw: () => number) {
    const undone: number[] = [];
    let left = revisions;
    while (left.length > 0) {
      const taken = await takeBackOne(
        api,
        left.toSorted(() => draw() - 500),
      );
      if (taken === null) return null;
      undone.push(await newest(api));
      left = left.filter((revision) => revision !== taken);
    }
    return undone;
  }

  /** The first that nothing is in the way of. */
  async function takeBackOne(api: Api, revisions: readonly number[]): Promise<number | null> {
    for (const revision of revisions) {
      const { status, body } = await api.undo(revision);
      if (status === 200) return revision;
      assert.equal(status, 412, JSON.stringify(body));
    }
    return null;
  }

  it('is exactly undone and redone without force, in any order in which nothing is in the way', async () => {
    const plan = fc.tuple(fc.array(write, { minLength: 3, maxLength: 7 }), fc.infiniteStream(fc.nat(1_000)));
    await fc.assert(
      fc.asyncProperty(plan, async ([history, order]) => {
        const api = await book();
        const [first, begun] = [await everything(api), await newest(api)];
        for (const step of history) await perform(api, step);
        const last = await everything(api);
        const all = Array.from({ length: (await newest(api)) - begun }, (_, i) => begun + i + 1);
        const draw = () => Number(order.next().value);
        const undone = await takeBackAll(api, all, draw);
        if (undone === null) return;
        assert.deepEqual(await everything(api), first);
        if ((await takeBackAll(api, undone, draw)) !== null) assert.deepEqual(await everything(api), last);
      }),
      { numRuns: 8 },
    );
  });

  it('can be taken back in any order with force, and restored all the same', async () => {
    const plan = fc.tuple(fc.array(write, { minLength: 2, maxLength: 6 }), fc.infiniteStream(fc.nat(1_000)));
    await fc.assert(
      fc.asyncProperty(plan, async ([history, order]) => {
        const api = await book();
        const [first, begun] = [await everything(api), await newest(api)];
        for (const step of history) await perform(api, step);
        const last = await newest(api);
        const state = await everything(api);
        const left = Array.from({ length: last - begun }, (_, i) => begun + i + 1);
        let isForced = false;
        while (left.length > 0) {
          const [revision = 0] = left.splice(Number(order.next().value) % left.length, 1);
          const free = await api.undo(revision);
          if (free.status !== 412) assert.equal(free.status, 200, JSON.stringify(free.body));
          else {
            isForced = true;
            const { status, body } = await api.undo(revision, { force: true });
            assert.equal(status, 200, JSON.stringify(body));
          }
        }
        // Nothing else than what was said to be in the way may be lost.
        if (!isForced) assert.deepEqual(await everything(api), first, JSON.stringify(history));
        assert.equal((await api.restore(last)).status, 200);
        assert.deepEqual(await everything(api), state);
      }),
      { numRuns: 6 },
    );
  });
});
