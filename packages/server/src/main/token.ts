import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { isScope, SCOPE_TEXTS, SCOPES } from '../access/scopes.ts';
import { isRefusal } from '../service/refusal.ts';
import {
  addExamples,
  createCursorOption,
  createLimitOption,
  formatPage,
  type PageOptions,
  parseCommaList,
  parseWholeNumber,
} from './options.ts';
import { runOnService } from './run.ts';
import { formatTable } from './table.ts';

const NAME_WIDTH = Math.max(...SCOPES.map(({ length }) => length));
const SCOPE_LINES = SCOPE_TEXTS.map(({ name, allows }) => `  ${name.padEnd(NAME_WIDTH)}  ${allows}`);

const EXAMPLES = `
Scopes:
${SCOPE_LINES.join('\n')}

Examples:
  cellwire token create --user anna@example.com --name import --scopes sheets.read,sheets.write
  cellwire token create --user 1 --name report --scopes sheets.read --expires-at 2027-01-01T00:00:00Z
  cellwire token list --user anna@example.com
  cellwire token revoke --id 7`;

interface TokenCreateOptions {
  readonly user: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly documents?: readonly string[];
  readonly expiresAt?: string;
  readonly inputLocale?: string;
  readonly propose?: boolean;
}

/** `token create|list|revoke`. */
export function addTokenCommands(program: Command): void {
  const token = program.command('token').description('manage the tokens of programs that call the API');
  token
    .command('create')
    .description('create a token with the rights of its user; it is shown only once')
    .requiredOption('--user <id or e-mail>', 'the user whose rights the token has')
    .requiredOption('--name <name>', 'name of the token, which the audit log shows')
    .requiredOption('--scopes <list>', `scopes, separated by commas: ${SCOPES.join(', ')}`, parseScopes)
    .option(
      '--documents <ids>',
      'limit it to these documents, separated by commas (default: all documents of the user)',
      parseCommaList,
    )
    .option(
      '--expires-at <time>',
      'ISO 8601 time at which it expires, in UTC unless a time zone is given (default: never)',
    )
    .option(
      '--input-locale <locale>',
      'locale for typed texts and formulas, such as en-US; document: the locale of each document',
    )
    .option('--propose', 'require consent: each write becomes a proposal that a person applies or rejects')
    .action(createToken);
  token
    .command('list')
    .description('list the tokens of a user, without their secrets')
    .requiredOption('--user <id or e-mail>', 'the user')
    .addOption(createLimitOption())
    .addOption(createCursorOption())
    .action(listTokens);
  token
    .command('revoke')
    .description('revoke a token; it is refused from the next request on')
    .requiredOption('--id <id>', 'id of the token, from token list', parseWholeNumber)
    .action(revokeToken);
  addExamples(token, EXAMPLES);
}

function parseScopes(text: string): readonly string[] {
  const scopes = parseCommaList(text);
  const unknown = scopes.find((scope) => !isScope(scope));
  if (unknown === undefined) return scopes;
  throw new InvalidArgumentError(`There is no scope ${unknown}; scopes are ${SCOPES.join(', ')}.`);
}

function createToken(options: TokenCreateOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const token = await (await import('../service/operator/tokens.ts')).createToken(context, options);
    if (isRefusal(token)) return token;
    const limits = [
      token.documents === null ? 'every document of its user' : `the documents ${token.documents.join(', ')}`,
      token.expiresAt === null ? 'no expiry' : `until ${token.expiresAt}`,
      ...(token.propose ? ['writes need consent'] : []),
    ];
    const text = `Token ${token.id}, ${token.name}: ${token.scopes.join(', ')}; for ${limits.join(', ')}.
Shown this once: ${token.token}`;
    return { json: token, text };
  });
}

function listTokens(options: PageOptions & { readonly user: string }, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const listed = await (await import('../service/operator/tokens.ts')).readTokenPage(context, options);
    if (isRefusal(listed)) return listed;
    const rows = listed.tokens.map((token) => [
      String(token.id),
      token.name,
      token.scopes.join(','),
      token.documents === null ? 'all' : token.documents.join(','),
      token.expiresAt ?? 'never',
      token.revokedAt ?? '',
      token.createdAt,
      token.propose ? 'yes' : '',
    ]);
    const headings = ['ID', 'NAME', 'SCOPES', 'DOCUMENTS', 'EXPIRES', 'REVOKED', 'CREATED', 'CONSENT'];
    return {
      json: listed,
      text: formatPage(formatTable(headings, rows, 'The user has no tokens.'), listed.nextCursor),
    };
  });
}

function revokeToken({ id }: { readonly id: number }, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const revoked = await (await import('../service/operator/tokens.ts')).revokeToken(context, id);
    if (isRefusal(revoked)) return revoked;
    return { json: revoked, text: `Token ${revoked.id} is revoked since ${revoked.revokedAt}.` };
  });
}
