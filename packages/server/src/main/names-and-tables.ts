import type { Command } from 'commander';
import { isRefusal } from '../service/refusal.ts';
import { addExamples } from './options.ts';
import { runOnService } from './run.ts';
import { formatTable } from './table.ts';

interface DocumentOption {
  readonly document: string;
}

/** `name list`. */
export function addNameCommands(program: Command): void {
  const name = program.command('name').description('defined names of a document');
  name
    .command('list')
    .description('list the names with their definitions')
    .requiredOption('--document <id>', 'the document')
    .action(listNames);
  addExamples(name, '\nExamples:\n  cellwire name list --document DOC');
}

/** `table list`. */
export function addTableCommands(program: Command): void {
  const tables = program.command('table').description('tables of a document');
  tables
    .command('list')
    .description('list the tables with their ranges')
    .requiredOption('--document <id>', 'the document')
    .action(listTables);
  addExamples(tables, '\nExamples:\n  cellwire table list --document DOC');
}

function listNames({ document }: DocumentOption, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const names = await (await import('../service/operator/names.ts')).listNames(context, document);
    if (isRefusal(names)) return names;
    const rows = names.map(({ name, refersTo }) => [name, refersTo]);
    return { json: { names }, text: formatTable(['NAME', 'REFERS TO'], rows, 'No name is defined.') };
  });
}

function listTables({ document }: DocumentOption, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const tables = await (await import('../service/operator/names.ts')).listTables(context, document);
    if (isRefusal(tables)) return tables;
    const rows = tables.map(({ name, range }) => [name, range]);
    return { json: { tables }, text: formatTable(['NAME', 'RANGE'], rows, 'There is no table.') };
  });
}
