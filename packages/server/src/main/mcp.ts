import type { Command } from 'commander';
import { addExamples } from './options.ts';
import { refuseUsage } from './run.ts';
import { findTerminal } from './terminal.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';

const EXAMPLES = `
Examples:
  CELLWIRE_TOKEN=… cellwire mcp
  CELLWIRE_TOKEN=… cellwire mcp --url https://sheets.example.com`;

/**
 * Adds the command `mcp`, which serves agents over standard input and output by calling a running service over HTTP.
 */
export function addMcp(program: Command): void {
  const mcp = program
    .command('mcp')
    .description(
      'serve agents over standard input by the Model Context Protocol; CELLWIRE_TOKEN is the token for the service',
    )
    .option('--url <address>', `the service’s address (default: CELLWIRE_URL, else ${DEFAULT_URL})`)
    .action(serveMcp);
  addExamples(mcp, EXAMPLES);
}

async function serveMcp({ url: given }: { readonly url?: string }, command: Command): Promise<void> {
  const terminal = findTerminal(command);
  const { CELLWIRE_TOKEN: token = '', CELLWIRE_URL: fallback = DEFAULT_URL } = terminal.env;
  const refuseStart = (message: string): void => refuseUsage(command, `error: ${message}`);
  if (token === '') return refuseStart('CELLWIRE_TOKEN must hold a token; cellwire token create makes one');
  const { parseEndpoint, createRemoteBackend } = await import('../mcp/remote.ts');
  const url = parseEndpoint(given ?? fallback);
  if (url === null) return refuseStart(`${given ?? fallback} is not the address of a service`);
  const { createMcpServer } = await import('../mcp/server.ts');
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const onError = (error: Error): void => void terminal.stderr.write(`${error.message}\n`);
  const backend = createRemoteBackend({ url, token });
  const handle = serveStdio(() => createMcpServer(backend), { onerror: onError, maxSubscriptions: 0 });
  await new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
  });
  await handle.close();
}
