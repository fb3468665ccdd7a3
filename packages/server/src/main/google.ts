import { writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { describeError, isSystemError } from '../service/operator/system-error.ts';
import { invalidRequest, isRefusal } from '../service/refusal.ts';
import { addExamples, parseHttpAddress, parseWholeNumber } from './options.ts';
import { readConfig, reportFailure, runOnService } from './run.ts';
import { onStopSignal } from './signals.ts';
import { formatTable } from './table.ts';
import { findTerminal } from './terminal.ts';

const KEY_EXAMPLES = `
Examples:
  cellwire google-key create --user anna@example.com --name reports --out key.json
  cellwire google-key list
  cellwire google-key revoke --id 7`;

const ALIAS_EXAMPLES = `
Examples:
  cellwire google-alias set --document DOC --alias 1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms
  cellwire google-alias list
  cellwire google-alias remove --alias 1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms`;

const PROXY_EXAMPLES = `
Programs with Google's addresses built in reach Cellwire through it. It is for this machine only: see docs/google.md.

Examples:
  cellwire google-proxy
  cellwire google-proxy --listen 127.0.0.1:0 --server http://127.0.0.1:8080 --ca-dir ./proxy-ca`;

const PRIVATE_FILE = 0o600;

interface GoogleKeyCreateOptions {
  readonly user: string;
  readonly name?: string;
  readonly readOnly?: boolean;
  readonly out?: string;
}

/** `google-key create|list|revoke`. */
export function addGoogleKeyCommands(program: Command): void {
  const key = program.command('google-key').description("service-account keys for programs that speak Google's API");
  key
    .command('create')
    .description('create a key that acts as a user; the private key is shown only once')
    .requiredOption('--user <id or e-mail>', 'the user whose rights the key has')
    .option('--name <name>', 'name of the key, which the audit log shows')
    .option('--read-only', 'allow only reading')
    .option('--out <file>', 'write the key file there, readable by its owner only (default: standard output)')
    .action(createKey);
  key.command('list').description('list all keys, without their private keys').action(listKeys);
  key
    .command('revoke')
    .description('revoke a key; it is refused from the next request on')
    .requiredOption('--id <id>', 'id of the key, from google-key list', parseWholeNumber)
    .action(revokeKey);
  addExamples(key, KEY_EXAMPLES);
}

function createKey(options: GoogleKeyCreateOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const { createGoogleKey, revokeGoogleKey } = await import('../service/google/keys.ts');
    const result = await createGoogleKey(context, options);
    if (isRefusal(result)) return result;
    const { keyFile, ...shown } = result;
    const text = `${JSON.stringify(keyFile, null, 2)}\n`;
    const { out } = options;
    if (out === undefined) return { json: { ...shown, file: null, key: keyFile }, text: text.trimEnd() };
    try {
      await writeFile(out, text, { mode: PRIVATE_FILE, flag: 'wx' });
    } catch (error) {
      // The private key is lost, so the key is useless.
      await revokeGoogleKey(context, result.id);
      if (!isSystemError(error)) throw error;
      return invalidRequest('out', describeError(error));
    }
    return {
      json: { ...shown, file: out },
      text: [
        `Key ${result.id}, ${result.name}, for ${result.user} is in ${out}.`,
        `Documents can be shared with ${result.clientEmail}.`,
        `Programs request access tokens at ${keyFile.token_uri}. If the service has another address, set CELLWIRE_PUBLIC_URL and create the key again.`,
      ].join('\n'),
    };
  });
}

function listKeys(_options: object, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const keys = await (await import('../service/google/keys.ts')).listGoogleKeys(context);
    const rows = keys.map((key) => [
      String(key.id),
      key.name,
      key.user,
      key.clientEmail,
      key.readOnly ? 'read' : 'write',
      key.lastUsedAt ?? 'never',
      key.revokedAt ?? '',
    ]);
    const headings = ['ID', 'NAME', 'USER', 'ADDRESS', 'MAY', 'USED', 'REVOKED'];
    return { json: { keys }, text: formatTable(headings, rows, 'There are no keys.') };
  });
}

function revokeKey({ id }: { readonly id: number }, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const revoked = await (await import('../service/google/keys.ts')).revokeGoogleKey(context, id);
    if (isRefusal(revoked)) return revoked;
    return { json: revoked, text: `Key ${revoked.id} is revoked since ${revoked.revokedAt}.` };
  });
}

interface AliasOptions {
  readonly document: string;
  readonly alias: string;
}

/** `google-alias set|list|remove`. */
export function addGoogleAliasCommands(program: Command): void {
  const alias = program
    .command('google-alias')
    .description('alternative ids of documents, for programs with a built-in id');
  alias
    .command('set')
    .description('add an alternative id to a document')
    .requiredOption('--document <id>', 'the document')
    .requiredOption('--alias <id>', 'the alternative id: 20 to 64 characters of A-Z, a-z, 0-9, _ and -')
    .action(setAlias);
  alias.command('list').description('list all aliases').action(listAliases);
  alias
    .command('remove')
    .description('remove an alias')
    .requiredOption('--alias <id>', 'the alias')
    .action(removeAlias);
  addExamples(alias, ALIAS_EXAMPLES);
}

function setAlias(options: AliasOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const set = await (await import('../service/google/aliases.ts')).setAlias(context, options);
    return isRefusal(set) ? set : { json: set, text: `${set.alias} opens the document ${set.document}.` };
  });
}

function listAliases(_options: object, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const aliases = await (await import('../service/google/aliases.ts')).listAliases(context);
    const rows = aliases.map(({ alias, document }) => [alias, document]);
    return { json: { aliases }, text: formatTable(['ALIAS', 'DOCUMENT'], rows, 'There are no aliases.') };
  });
}

function removeAlias({ alias }: Pick<AliasOptions, 'alias'>, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const result = await (await import('../service/google/aliases.ts')).removeAlias(context, alias);
    return isRefusal(result) ? result : { json: result, text: `${result.alias} is removed.` };
  });
}

interface ProxyCommandOptions {
  readonly listen: ListenAddress;
  readonly server?: URL;
  readonly caDir?: string;
}

interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** `google-proxy`. */
export function addGoogleProxyCommand(program: Command): void {
  program
    .command('google-proxy')
    .description("run a local proxy through which programs with Google's addresses reach this service")
    .option('--listen <address>', 'address to listen on', parseListenAddress, { host: '127.0.0.1', port: 8443 })
    .option(
      '--server <address>',
      'address of the service (default: http://127.0.0.1 with the configured port)',
      parseHttpAddress,
    )
    .option('--ca-dir <folder>', "the folder of the proxy's own authority (default: google-proxy in the data folder)")
    .addHelpText('after', PROXY_EXAMPLES)
    .action(runProxy);
}

function parseListenAddress(text: string): ListenAddress {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? '';
  if ((isIP(host) === 0 && host !== 'localhost') || Number(port) > 65_535) {
    throw new InvalidArgumentError('It must be an address and a port such as 127.0.0.1:8443.');
  }
  return { host, port: Number(port) };
}

async function runProxy({ listen, server, caDir }: ProxyCommandOptions, command: Command): Promise<void> {
  const config = readConfig(command);
  if (config === null) return;
  const { stdout } = findTerminal(command);
  const { startProxy } = await import('../google/proxy/proxy.ts');
  const stopped = Promise.withResolvers<void>();
  const forgetSignals = onStopSignal(() => stopped.resolve());
  try {
    const proxy = await startProxy({
      ...listen,
      server: server ?? new URL(`http://127.0.0.1:${config.port}`),
      folder: resolve(caDir ?? join(config.dataFolder, 'google-proxy')),
      onListening: ({ url, certificatePath }) => stdout.write(formatProxyVariables(url, certificatePath)),
    });
    await stopped.promise;
    await proxy.close();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'EADDRINUSE') throw error;
    reportFailure(command, `Port ${listen.port} of ${listen.host} is in use; choose another port with --listen.`);
  } finally {
    forgetSignals();
  }
}

/** Shell commands that set the environment of programs that use the proxy. */
function formatProxyVariables(url: string, certificatePath: string): string {
  const values = {
    HTTPS_PROXY: url,
    REQUESTS_CA_BUNDLE: certificatePath,
    NODE_EXTRA_CA_CERTS: certificatePath,
    NODE_USE_ENV_PROXY: '1',
    HTTPLIB2_CA_CERTS: certificatePath,
  };
  return Object.entries(values)
    .map(([name, value]) => `export ${name}=${quoteForShell(value)}\n`)
    .join('');
}

function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
