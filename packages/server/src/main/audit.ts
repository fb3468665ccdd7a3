import { type Command, Option } from 'commander';
import { DEFAULT_AUDIT_PAGE } from '../limits/requests.ts';
import { isRefusal } from '../service/refusal.ts';
import { createCursorOption, formatPage, parsePositiveNumber, parseWholeNumber } from './options.ts';
import { runOnService } from './run.ts';
import { formatTable } from './table.ts';

interface AuditOptions {
  readonly document?: string;
  readonly user?: string;
  readonly offset?: number;
  readonly limit: number;
  readonly cursor?: string;
}

/** `audit`. */
export function addAudit(program: Command): void {
  program
    .command('audit')
    .description('show who did what, newest first: in all documents and accounts, in one document, or by one user')
    .option('--document <id>', 'the document; also a deleted document, while its log is kept')
    .option('--user <id or e-mail>', 'the user who made the change, or whose account was changed')
    .addOption(new Option('--offset <n>', 'entries to skip').argParser(parseWholeNumber))
    .option('--limit <n>', 'entries to show', parsePositiveNumber, DEFAULT_AUDIT_PAGE)
    .addOption(createCursorOption())
    .action(showAudit);
}

function showAudit(options: AuditOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const { readInstallationAudit } = await import('../service/operator/read-audit.ts');
    const page = await readInstallationAudit(context, options);
    if (isRefusal(page)) return page;
    const rows = page.entries.map(({ id, document, createdAt, userName, token, origin, action, properties }) => [
      String(id),
      createdAt,
      document ?? '',
      userName,
      token,
      origin,
      action,
      String(properties['range'] || (properties['address'] ?? properties['userName'] ?? '')),
    ]);
    const head = ['ID', 'AT', 'DOCUMENT', 'USER', 'TOKEN', 'ORIGIN', 'ACTION', 'WHERE'];
    const text = formatPage(formatTable(head, rows, 'Nothing is recorded.'), page.nextCursor);
    const { document, offset = 0, limit } = options;
    if (document === undefined) return { json: page, text };
    // Existing scripts read the document's API log here.
    const { readAudit } = await import('../service/operator/audit.ts');
    const audit = await readAudit(context, { document, offset, limit });
    return isRefusal(audit) ? audit : { json: { ...page, audit }, text };
  });
}
