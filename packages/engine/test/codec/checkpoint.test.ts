import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedSince, type Snapshot, Workbook } from '../../src/index.ts';
import { Book, contents, contextWith, repeated, StoredDocument, storedAndRestored } from '../workbook/dialect.ts';

/** A book, and a replica that applies its deltas in another process. */
class FollowedBook {
  readonly book: Book;
  follower: Snapshot;

  constructor(book: Book) {
    this.book = book;
    this.follower = storedAndRestored(book.head);
  }

  set(ref: string, input: string | number): void {
    this.follower = repeated(this.book.set(ref, input), this.follower);
  }
}

test('every process writes the changed chunks into the next checkpoint, with the same bytes', () => {
  const book = withColumns(20);
  const followed = new FollowedBook(book);
  const stored = new StoredDocument();
  assert.equal(stored.save(book.head), 20);
  followed.set('C3', '31.12.2026');
  followed.set('B1', 7);
  const byFollower = stored.copy();
  assert.equal(byFollower.save(followed.follower), 2);
  assert.equal(stored.save(book.head), 2);
  assert.deepEqual(byFollower.bytes(), stored.bytes());
  assert.deepEqual(contents(byFollower.restored()), contents(book.head));
});

test('a batch that writes the values that cells have leaves stored bytes unchanged, on every process', () => {
  const followed = new FollowedBook(withColumns(2));
  const stored = new StoredDocument();
  stored.save(followed.book.head);
  followed.set('A1', 0);
  const byFollower = stored.copy();
  byFollower.save(followed.follower);
  stored.save(followed.book.head);
  assert.deepEqual(byFollower.bytes(), stored.bytes());
});

test('formats that were never stored are not in the checkpoints of a process that knew them', () => {
  const book = withColumns(1);
  const before = new StoredDocument();
  before.save(book.head);
  assert.equal(book.workbook.preview([book.write('A1', '12,5%')], contextWith()).kind, 'applied');
  const after = new StoredDocument();
  after.save(book.head);
  assert.deepEqual(after.bytes(), before.bytes());
});

test('cells below one with its own format keep that of their column, on every node', () => {
  const columnFormats = new Map([[0, '0.00']]);
  const cells = [{ row: 0, column: 0, value: 1 }];
  const sheet = { name: 'Sheet1', hidden: false, color: null, hiddenRows: [], columnFormats, cells };
  const settings = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;
  const workbook = Workbook.import({ settings, names: [], tables: [], sheets: [sheet] }, contextWith());
  assert.ok(workbook instanceof Workbook);
  const book = new Book('en-US');
  book.workbook = workbook;
  const followed = new FollowedBook(book);
  followed.set('A2', '2026-12-31');
  followed.set('A100', 5);
  assert.equal(book.text('A100'), '5.00');
  assert.deepEqual(contents(followed.follower), contents(book.head));
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
  const chunks = step.value.sheets[0]?.columns.map((column) => column?.chunks.list().filter(Boolean).length);
  assert.deepEqual(chunks, [1, 2, 1]);
});

/** A book with this many columns of one filled cell each. */
function withColumns(count: number): Book {
  const book = new Book();
  book.set('A1', [Array.from({ length: count }, (_, i) => i)]);
  return book;
}
