import { readFileSync } from 'node:fs';
import { startServer } from '../../src/compose/server.ts';
import type { Config } from '../../src/config/types.ts';

/** The service that `load.test.ts` measures, as a separate process. Ends with its standard input. */
const [configFile = ''] = process.argv.slice(2);
const server = await startServer(JSON.parse(readFileSync(configFile, 'utf8')) as Config);
process.stdout.write(`${server.address}\n`);
process.stdin.resume().on('end', () => void server.close());
