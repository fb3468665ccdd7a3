import type { Command } from 'commander';
import { DEFAULT_AUDIT_PAGE } from '../limits/limits.ts';
import { isRefusal } from '../service/refusal.ts';
import { wholeNumber } from './options.ts';
import { runOnService } from './run.ts';
import { table } from './table.ts';

interface AuditOptions {
  readonly document: string;
  readonly offset: number;
  readonly limit: number;
}

/** `audit`. */
export function addAudit(program: Command): void {
  program
    .command('audit')
    .description('who changed a document through the API, the newest first; also of a deleted one, for its time')
    .requiredOption('--document <id>', 'the document')
    .option('--offset <n>', 'entries to leave out', wholeNumber, 0)
    .option('--limit <n>', 'entries to show', wholeNumber, DEFAULT_AUDIT_PAGE)
    .action(showAudit);
}

function showAudit(options: AuditOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const audit = await (await import('../service/operator/audit.ts')).readAudit(context, options);
    if (isRefusal(audit)) return audit;
    const rows = audit.entries.map(({ id, createdAt, userName, token, origin, action, properties }) => [
      String(id),
      createdAt,
      userName,
      token,
      origin,
      action,
      properties.webhook === undefined ? properties.range : `${properties.webhook} ${properties.address ?? ''}`,
    ]);
    const head = ['ID', 'AT', 'USER', 'TOKEN', 'ORIGIN', 'ACTION', 'WHERE'];
    return { json: { audit }, text: table(head, rows, 'Nothing is recorded.') };
  });
}
