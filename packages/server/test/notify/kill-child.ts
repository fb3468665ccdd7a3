import { readFileSync } from 'node:fs';
import { elementAt } from '../../../../test/elements.ts';
import { startServer } from '../../src/compose/server.ts';
import type { Config } from '../../src/config/types.ts';

/**
 * The process that `kill.test.ts` kills: a complete service that writes to the documents on its command line,
 * alternating between two sources. It prints `document revision` for each acknowledged commit.
 */
const [configFile = '', ...ids] = process.argv.slice(2);
const server = await startServer(JSON.parse(readFileSync(configFile, 'utf8')) as Config);
const PAUSE_MS = 3;
const SOURCES = [
  { userId: 1, origin: 'api', tokenId: 1, tokenName: 'test token' },
  { userId: 1, origin: 'browser', tokenId: null, tokenName: null },
];

async function writeContinuously(id: string): Promise<void> {
  const document = await server.service.context.documents.open(id);
  if (document === null) throw new Error(`no document ${id}`);
  for (;;) {
    const outcome = await document.write((head) => ({
      kind: 'proposal',
      edits: [
        {
          kind: 'setValues',
          sheet: head.sheets[0]?.id ?? 0,
          row: head.revision,
          column: 0,
          values: [[head.revision + 1]],
          mode: 'raw',
        },
      ],
      author: elementAt(SOURCES, head.revision % SOURCES.length),
      finish: (_, commit) => ({ reply: commit.revision, statements: [] }),
    }));
    if (outcome.kind !== 'written') throw new Error(`document ${id}: ${outcome.kind}`);
    process.stdout.write(`${id} ${outcome.reply}\n`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

await Promise.all(ids.map(writeContinuously));
