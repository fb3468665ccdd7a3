import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MeasuredDocument, OpenSet } from '../../src/documents/open-set.ts';

/** A document with an adjustable size. `graph`: bytes of data for writers. */
class SizedDocument implements MeasuredDocument {
  readonly id: string;
  isIdle = true;
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

  freeWriterState(): void {
    this.graph = 0;
  }
}

function openSizedDocument(set: OpenSet<SizedDocument>, id: string, cells: number): SizedDocument {
  const document = new SizedDocument(id, cells);
  set.addDocument(document);
  set.evictDocuments();
  return document;
}

const listIds = (set: OpenSet<SizedDocument>) => [...set.listDocuments()].map(({ id }) => id);

test('the total size follows documents that open, grow, rest and close', async () => {
  const set = new OpenSet<SizedDocument>({ documents: 10, workbooks: 1, bytes: 1_000 });
  const [a, b] = [openSizedDocument(set, 'a', 100), openSizedDocument(set, 'b', 50)];
  assert.equal(set.bytes, 150);
  for (const each of [a, b]) {
    each.graph = 10;
    set.recordWrite(each);
  }
  b.grow(25);
  await set.measureChanged();
  assert.equal(set.bytes, 195);
  set.evictDocuments();
  assert.deepEqual([a.graph, b.graph, set.bytes], [0, 10, 185], 'one may keep its graph: the one written to last');
  set.dropById('b');
  assert.equal(set.bytes, 100);
});

test('documents above the capacity are closed, least recently used first; a busy one and the last one stay', () => {
  const set = new OpenSet<SizedDocument>({ documents: 3, workbooks: 3, bytes: 1_000 });
  openSizedDocument(set, 'busy', 1).isIdle = false;
  for (const id of ['a', 'b', 'c']) openSizedDocument(set, id, 1);
  assert.deepEqual(listIds(set), ['busy', 'b', 'c']);
  set.findAndMarkUsed('b');
  openSizedDocument(set, 'd', 1);
  assert.deepEqual(listIds(set), ['busy', 'b', 'd']);
  openSizedDocument(set, 'large', 5_000);
  assert.deepEqual(listIds(set), ['busy', 'large']);
});
