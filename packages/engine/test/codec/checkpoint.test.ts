import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedSince, type Snapshot, Workbook } from '../../src/index.ts';
import {
  Book,
  createContext,
  describeContents,
  replayBatch,
  StoredDocument,
  storeAndRestore,
} from '../workbook/book.ts';

/** A book, and a replica that applies its deltas as another process does. */
class CheckpointedBook {
  readonly book: Book;
  follower: Snapshot;

  constructor(book: Book) {
    this.book = book;
    this.follower = storeAndRestore(book.head);
  }

  set(ref: string, input: string | number): void {
    this.follower = replayBatch(this.book.set(ref, input), this.follower);
  }
}

test('every process writes the same bytes of changed chunks into the next checkpoint', () => {
  const book = createBookWithColumns(20);
  const replicated = new CheckpointedBook(book);
  const document = new StoredDocument();
  assert.equal(document.save(book.head), 20);
  replicated.set('C3', '31.12.2026');
  replicated.set('B1', 7);
  const byFollower = document.copy();
  assert.equal(byFollower.save(replicated.follower), 2);
  assert.equal(document.save(book.head), 2);
  assert.deepEqual(byFollower.bytes(), document.bytes());
  assert.deepEqual(describeContents(byFollower.restore()), describeContents(book.head));
});

test('writing the present values of cells leaves stored bytes unchanged, in every process', () => {
  const replicated = new CheckpointedBook(createBookWithColumns(2));
  const document = new StoredDocument();
  document.save(replicated.book.head);
  replicated.set('A1', 0);
  const byFollower = document.copy();
  byFollower.save(replicated.follower);
  document.save(replicated.book.head);
  assert.deepEqual(byFollower.bytes(), document.bytes());
});

test('a checkpoint does not contain formats that only a preview used', () => {
  const book = createBookWithColumns(1);
  const before = new StoredDocument();
  before.save(book.head);
  assert.equal(book.workbook.preview([book.write('A1', '12,5%')], createContext()).kind, 'applied');
  const after = new StoredDocument();
  after.save(book.head);
  assert.deepEqual(after.bytes(), before.bytes());
});

test('cells below a cell with its own format keep the format of their column, on every node', () => {
  const columnFormats = new Map([[0, '0.00']]);
  const cells = [{ row: 0, column: 0, value: 1 }];
  const sheet = { name: 'Sheet1', hidden: false, color: null, hiddenRows: [], columnFormats, cells };
  const settings = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;
  const workbook = Workbook.import({ settings, names: [], tables: [], sheets: [sheet] }, createContext());
  assert.ok(workbook instanceof Workbook);
  const book = new Book('en-US');
  book.workbook = workbook;
  const replicated = new CheckpointedBook(book);
  replicated.set('A2', '2026-12-31');
  replicated.set('A100', 5);
  assert.equal(book.text('A100'), '5.00');
  assert.deepEqual(describeContents(replicated.follower), describeContents(book.head));
});

test('the changes since a checkpoint are few, and keep columns that have contents', () => {
  const book = new Book();
  book.set('A1', [Array.from({ length: 3 }, (_, i) => i)]);
  book.set(
    'A2',
    Array.from({ length: 2_000 }, (_, i) => [i, i, i]),
  );
  const since = book.head.revision;
  book.set('B1000', 'x');
  const steps = changedSince(book.head, since);
  let step = steps.next();
  while (!step.done) step = steps.next();
  const chunks = step.value.sheets[0]?.columns.map((column) => column?.chunks.toList().filter(Boolean).length);
  assert.deepEqual(chunks, [1, 2, 1]);
});

/** Creates a book with one filled cell in each of `count` columns. */
function createBookWithColumns(count: number): Book {
  const book = new Book();
  book.set('A1', [Array.from({ length: count }, (_, i) => i)]);
  return book;
}
