// The service as `cellwire serve` runs it. When its parent asks, it releases the state that documents keep for writers.
// Otherwise every operation after the first large one would find the document in a calculation thread.
import '../../packages/server/bin/heap-growth.mjs';
import '../../packages/server/bin/compile-cache.mjs';

const { startServer } = await import('../../packages/server/src/compose/server.ts');
const { loadConfig } = await import('../../packages/server/src/config/config.ts');
const { Passwords } = await import('../../packages/server/src/access/passwords.ts');

const server = await startServer(loadConfig(process.env), { passwords: new Passwords({ N: 2, r: 8, p: 1 }) });
process.on('message', async ({ rest }) => {
  if (rest === undefined) return;
  (await server.service.context.documents.open(rest))?.freeWriterState();
  process.send({ rested: true });
});
process.channel?.unref();
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)));
console.log(`listening on ${server.address}`);
