import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { type Api, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

/**
 * Creates a document with a second sheet for formulas to reference. Steps add and delete a third sheet, which no
 * formula names.
 */
async function createBook(): Promise<Api> {
  const api = await world.createBook();
  await api.addSheet('Third');
  return api;
}

async function readNewestRevision(api: Api): Promise<number> {
  return Number(await api.revision());
}

/** The document's cells, names and tables. */
async function readDocumentState(api: Api): Promise<unknown> {
  const [content, names, tables] = await Promise.all(
    ['/content', '/names', '/tables'].map((path) => api.requestInDocument('GET', path)),
  );
  return [content?.body['sheets'], names?.body['names'], tables?.body['tables']];
}

describe('a random history', () => {
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
      setName: fc.record({ name: fc.constant('area'), refersTo: range.map((area) => `=${sheet}!${area}`) }),
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

  it('can be undone to the first revision and redone through a second service', async () => {
    const secondService = await world.startSecondService();
    after(() => secondService.close());
    const steps = fc.array(write, { minLength: 2, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const api = await createBook();
        const secondApi = Object.assign(Object.create(Object.getPrototypeOf(api)), api, {
          base: secondService.address,
        }) as Api;
        const states = [await readDocumentState(api)];
        const firstRevision = await readNewestRevision(api);
        for (const step of history) {
          const revision = await readNewestRevision(api);
          await perform(api, step);
          if ((await readNewestRevision(api)) > revision) states.push(await readDocumentState(api));
        }
        const last = states.length - 1;
        for (let i = last; i > 0; i--) {
          assert.equal((await secondApi.undo(i + firstRevision)).status, 200);
          assert.deepEqual(await readDocumentState(api), states[i - 1]);
        }
        for (let i = 0; i < last; i++) {
          assert.equal((await api.undo(firstRevision + 2 * last - i)).status, 200);
          assert.deepEqual(await readDocumentState(secondApi), states[i + 1]);
        }
        for (const [i, state] of states.entries()) {
          assert.equal((await api.restore(i + firstRevision)).status, 200);
          assert.deepEqual(await readDocumentState(api), state);
        }
      }),
      { numRuns: scaleRunCount(9) },
    );
  });

  /**
   * Undoes commits in random order and postpones each commit that conflicts with a later one. Returns the revisions
   * of the undo commits; null if the remaining commits all conflict, so that only force could continue.
   */
  async function undoAll(api: Api, revisions: readonly number[], draw: () => number) {
    const undoRevisions: number[] = [];
    let remaining = revisions;
    while (remaining.length > 0) {
      const undoneRevision = await undoOne(
        api,
        remaining.toSorted(() => draw() - 500),
      );
      if (undoneRevision === null) return null;
      undoRevisions.push(await readNewestRevision(api));
      remaining = remaining.filter((revision) => revision !== undoneRevision);
    }
    return undoRevisions;
  }

  /** Undoes the first commit without a conflict and returns its revision; null if all conflict. */
  async function undoOne(api: Api, revisions: readonly number[]): Promise<number | null> {
    for (const revision of revisions) {
      const { status, body } = await api.undo(revision);
      if (status === 200) return revision;
      assert.equal(status, 412, JSON.stringify(body));
    }
    return null;
  }

  it('can be undone and redone exactly, in any order without conflicts', async () => {
    const plan = fc.tuple(fc.array(write, { minLength: 3, maxLength: 7 }), fc.infiniteStream(fc.nat(1_000)));
    await fc.assert(
      fc.asyncProperty(plan, async ([history, order]) => {
        const api = await createBook();
        const [first, firstRevision] = [await readDocumentState(api), await readNewestRevision(api)];
        for (const step of history) await perform(api, step);
        const last = await readDocumentState(api);
        const all = Array.from(
          { length: (await readNewestRevision(api)) - firstRevision },
          (_, i) => firstRevision + i + 1,
        );
        const draw = () => Number(order.next().value);
        const undoRevisions = await undoAll(api, all, draw);
        if (undoRevisions === null) return;
        assert.deepEqual(await readDocumentState(api), first);
        if ((await undoAll(api, undoRevisions, draw)) !== null) assert.deepEqual(await readDocumentState(api), last);
      }),
      { numRuns: scaleRunCount(12) },
    );
  });

  it('can be undone in any order with force, and restored afterwards', async () => {
    const plan = fc.tuple(fc.array(write, { minLength: 2, maxLength: 6 }), fc.infiniteStream(fc.nat(1_000)));
    await fc.assert(
      fc.asyncProperty(plan, async ([history, order]) => {
        const api = await createBook();
        const [first, firstRevision] = [await readDocumentState(api), await readNewestRevision(api)];
        for (const step of history) await perform(api, step);
        const last = await readNewestRevision(api);
        const state = await readDocumentState(api);
        const remaining = Array.from({ length: last - firstRevision }, (_, i) => firstRevision + i + 1);
        let isForced = false;
        while (remaining.length > 0) {
          const [revision = 0] = remaining.splice(Number(order.next().value) % remaining.length, 1);
          const unforced = await api.undo(revision);
          if (unforced.status !== 412) assert.equal(unforced.status, 200, JSON.stringify(unforced.body));
          else {
            isForced = true;
            const { status, body } = await api.undo(revision, { force: true });
            assert.equal(status, 200, JSON.stringify(body));
          }
        }
        // Only an undo with force may lose data.
        if (!isForced) assert.deepEqual(await readDocumentState(api), first, JSON.stringify(history));
        assert.equal((await api.restore(last)).status, 200);
        assert.deepEqual(await readDocumentState(api), state);
      }),
      { numRuns: scaleRunCount(9) },
    );
  });
});
