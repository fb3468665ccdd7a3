// Creates many small documents in one process, because one command per document takes half a second. Arguments: data
// folder, owner, number of documents, rows, columns. Prints their ids as JSON.
import { composeService } from '../../packages/server/src/compose/compose.ts';
import { DEFAULTS } from '../../packages/server/src/config/defaults.ts';
import { createDocument } from '../../packages/server/src/service/operator/new-document.ts';

const [dataFolder, owner, count, rows, columns] = process.argv.slice(2);
const SETTINGS = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' };

const service = await composeService(
  { ...DEFAULTS, dataFolder },
  {
    as: 'command',
    onError(task, error) {
      throw new Error(task, { cause: error });
    },
  },
);
const ids = [];
for (let i = 0; i < Number(count); i++) {
  const outcome = await createDocument(service.context, {
    owner,
    title: `Document ${i}`,
    locale: 'en-US',
    content: { kind: 'data', data: createWorkbookData(i) },
  });
  if (outcome.id === undefined) throw new Error(JSON.stringify(outcome));
  ids.push(outcome.id);
}
await service.close();
console.log(JSON.stringify(ids));

/** Creates the content of document `i`: rows and columns of numbers. */
function createWorkbookData(i) {
  const cells = [];
  for (let column = 0; column < Number(columns); column++) {
    for (let row = 0; row < Number(rows); row++) cells.push({ row, column, value: i + row / 4 + column });
  }
  const sheet = { name: 'Sheet1', hidden: false, color: null, hiddenRows: [], columnFormats: new Map(), cells };
  return { settings: SETTINGS, names: [], tables: [], sheets: [sheet] };
}
