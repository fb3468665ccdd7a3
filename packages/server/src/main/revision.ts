import type { Command } from 'commander';
import { DEFAULT_REVISIONS_PAGE } from '../limits/history.ts';
import { isRefusal } from '../service/refusal.ts';
import { addExamples, parseWholeNumber } from './options.ts';
import { runOnService } from './run.ts';
import { formatTable } from './table.ts';

const EXAMPLES = `
Examples:
  cellwire revision list --document DOC --limit 20
  cellwire revision undo --document DOC --revision 41`;

interface RevisionCommandOptions {
  readonly document: string;
  readonly revision: string;
}

/** `revision list|undo`. */
export function addRevisionCommands(program: Command): void {
  const revision = program.command('revision').description('list and undo revisions of a document');
  revision
    .command('list')
    .description('list the stored revisions, newest first')
    .requiredOption('--document <id>', 'the document')
    .option('--offset <n>', 'revisions to skip', parseWholeNumber, 0)
    .option('--limit <n>', 'revisions to show', parseWholeNumber, DEFAULT_REVISIONS_PAGE)
    .action(runRevisionList);
  revision
    .command('undo')
    .description('undo a revision, as a new revision')
    .requiredOption('--document <id>', 'the document')
    .requiredOption('--revision <number>', 'the revision')
    .option('--force', 'overwrite later changes of other users')
    .action(runUndo);
  addExamples(revision, EXAMPLES);
}

interface ListOptions {
  readonly document: string;
  readonly offset: number;
  readonly limit: number;
}

function runRevisionList({ document, ...page }: ListOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const revisions = await (await import('../service/operator/revisions.ts')).listRevisions(context, document, page);
    if (isRefusal(revisions)) return revisions;
    const rows = revisions.entries.map(({ revision, at, userName, origin, cells, ranges, name = '' }) => [
      String(revision),
      at,
      userName ?? '',
      origin,
      String(cells),
      ranges.join(' '),
      name,
    ]);
    const head = ['REVISION', 'AT', 'USER', 'ORIGIN', 'CELLS', 'WHERE', 'NAME'];
    return { json: { revisions }, text: formatTable(head, rows, 'There are no stored revisions.') };
  });
}

function runUndo(
  { force = false, ...options }: RevisionCommandOptions & { readonly force?: boolean },
  command: Command,
) {
  return runOnService(command, async (context) => {
    const { undoRevision } = await import('../service/operator/revisions.ts');
    const undone = await undoRevision(context, { ...options, force });
    if (isRefusal(undone)) return undone;
    return { json: undone, text: `Revision ${options.revision} is undone.` };
  });
}
