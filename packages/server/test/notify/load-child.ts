import { readFileSync } from 'node:fs';
import { startServer } from '../../src/compose/server.ts';
import type { Config } from '../../src/config/types.ts';

/** The service that `load.test.ts` measures, in a process of its own. Ends when its standard input does. */
const [configFile = ''] = process.argv.slice(2);
const server = await startServer(JSON.parse(readFileSync(configFile, 'utf8')) as Config);
process.stdout.write(`${server.address}\n`);
process.stdin.resume().on('end', () => void server.close());
