import { cellView } from '@cellwire/engine';
import { openStore, type StoreLocation } from '@cellwire/store';
import { openDocuments } from '../../src/documents/documents.ts';

/**
 * The process that `kill.test.ts` kills. Its arguments are the location of the store and the ids of documents. It writes
 * to the documents as fast as it can and prints `document revision` for each acknowledged commit. Cell (revision − 1, 0)
 * of a document holds the revision.
 */
const [location = '', ...ids] = process.argv.slice(2);
const LIMITS = { calculationMs: 10_000, calculationCells: 1_000_000 };
/** Number of concurrent writes to one document. */
const DEPTH = 8;

const database = await openStore(JSON.parse(location) as StoreLocation, 'server');
const documents = openDocuments({
  database,
  clock: Date.now,
  limits: LIMITS,
  onError: (what, error) => console.error(what, error),
});

async function writeContinuously(id: string): Promise<void> {
  const document = await documents.open(id);
  if (document === null) throw new Error(`no document ${id}`);
  const snapshot = await document.readSnapshot();
  const sheet = snapshot?.sheets[0]?.id ?? 0;
  if (snapshot !== null && snapshot.revision > 0) {
    const last = cellView(snapshot, sheet, snapshot.revision - 1, 0);
    if (last?.v !== snapshot.revision) throw new Error(`document ${id} is damaged at ${snapshot.revision}`);
  }
  for (;;) {
    const outcome = await document.write((head) => ({
      kind: 'proposal',
      edits: [{ kind: 'setValues', sheet, row: head.revision, column: 0, values: [[head.revision + 1]], mode: 'raw' }],
      author: { userId: 1, origin: 'api', tokenId: null, tokenName: null },
      finish: (_, commit) => ({ reply: commit.revision, statements: [] }),
    }));
    if (outcome.kind !== 'written') throw new Error(`document ${id}: ${outcome.kind}`);
    process.stdout.write(`${id} ${outcome.reply}\n`);
  }
}

await Promise.all(ids.flatMap((id) => Array.from({ length: DEPTH }, () => writeContinuously(id))));
