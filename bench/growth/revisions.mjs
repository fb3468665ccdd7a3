// Creates many revisions of a document in the data folder of a stopped service. Arguments: data folder, document, number
// of revisions. Writes through the service's documents, without HTTP, because requests would take four times as long.
import { DEFAULTS } from '../../packages/server/src/config/defaults.ts';
import { openDocuments } from '../../packages/server/src/documents/documents.ts';
import { openStore } from '../../packages/store/src/index.ts';

/** Writes that wait at the same time. The database commits waiting writes in one transaction. */
const WRITERS = 128;
const OWNER_ID = 1;
const AUTHOR = { userId: OWNER_ID, origin: 'api', tokenId: 1, tokenName: 'bench' };

const [folder, document, count] = process.argv.slice(2);
const database = await openStore({ kind: 'sqlite', folder }, 'server');
const documents = openDocuments({
  database,
  clock: Date.now,
  limits: DEFAULTS.limits,
  onError(task, error) {
    throw new Error(task, { cause: error });
  },
});
const opened = await documents.open(document);
await write(0, 24);
const { snapshot } = await opened.readLatest();
let remaining = Number(count);
await Promise.all(Array.from({ length: WRITERS }, writeAll));
await documents.close();
await database.close();
console.log(snapshot.revision);

/** Writes the remaining revisions one after another, as one of `WRITERS` concurrent writers. */
async function writeAll() {
  while (remaining > 0) await write(remaining--, 25);
}

/** Writes a number into the first row. */
async function write(value, column) {
  const { kind } = await opened.write(({ sheets: [sheet] }) => ({
    kind: 'proposal',
    edits: [{ kind: 'setValues', sheet: sheet.id, row: 0, column, values: [[value]], mode: 'raw' }],
    author: AUTHOR,
    finish: () => ({ reply: null, statements: [] }),
  }));
  if (kind !== 'written') throw new Error(`A revision was not written: ${kind}`);
}
