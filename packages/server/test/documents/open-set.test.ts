import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Measurable, OpenSet } from '../../src/documents/open-set.ts';

/** `graph`: bytes that it holds for writers. */
class Sized implements Measurable {
  readonly id: string;
  idle = true;
  graph = 0;
  private cells: number;
  private measured: number;

  constructor(id: string, cells: number) {
    this.id = id;
    this.cells = cells;
    this.measured = cells;
  }

  get bytes(): number {
    return this.measured + this.graph;
  }

  grow(cells: number): void {
    this.cells += cells;
  }

  measure(): void {
    this.measured = this.cells;
  }

  rest(): void {
    this.graph = 0;
  }
}

function open(set: OpenSet<Sized>, id: string, cells: number): Sized {
  const document = new Sized(id, cells);
  set.add(document);
  set.makeRoom();
  return document;
}

const idsOf = (set: OpenSet<Sized>) => [...set.all()].map(({ id }) => id);

test('the sum follows documents that open, grow, rest and close', async () => {
  const set = new OpenSet<Sized>({ documents: 10, workbooks: 1, bytes: 1_000 });
  const [a, b] = [open(set, 'a', 100), open(set, 'b', 50)];
  assert.equal(set.bytes, 150);
  for (const each of [a, b]) {
    each.graph = 10;
    set.noteWrite(each);
  }
  b.grow(25);
  await set.measureChanged();
  assert.equal(set.bytes, 195);
  set.makeRoom();
  assert.deepEqual([a.graph, b.graph, set.bytes], [0, 10, 185], 'one may keep its graph: the one written to last');
  set.dropById('b');
  assert.equal(set.bytes, 100);
});

test('documents over the capacity close, the least recently used first; a busy one and the last one stay', () => {
  const set = new OpenSet<Sized>({ documents: 3, workbooks: 3, bytes: 1_000 });
  open(set, 'busy', 1).idle = false;
  for (const id of ['a', 'b', 'c']) open(set, id, 1);
  assert.deepEqual(idsOf(set), ['busy', 'b', 'c']);
  set.use('b');
  open(set, 'd', 1);
  assert.deepEqual(idsOf(set), ['busy', 'b', 'd']);
  open(set, 'large', 5_000);
  assert.deepEqual(idsOf(set), ['busy', 'large']);
});
