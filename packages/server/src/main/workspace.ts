import type { Command } from 'commander';
import { isRefusal } from '../service/refusal.ts';
import { addExamples, createCursorOption, createLimitOption, formatPage, type PageOptions } from './options.ts';
import { runOnService } from './run.ts';
import { formatTable } from './table.ts';

const EXAMPLES = `
Examples:
  cellwire workspace list
  cellwire workspace rename --workspace 2 --name "Sales"`;

/** `workspace list|rename`. */
export function addWorkspaceCommands(program: Command): void {
  const workspace = program.command('workspace').description('manage workspaces');
  workspace
    .command('list')
    .description('list all workspaces with the number of their users')
    .addOption(createLimitOption())
    .addOption(createCursorOption())
    .action(listWorkspaces);
  workspace
    .command('rename')
    .description('give a workspace another name')
    .requiredOption('--workspace <id>', 'the workspace')
    .requiredOption('--name <name>', 'its new name')
    .action(renameWorkspace);
  addExamples(workspace, EXAMPLES);
}

function listWorkspaces(options: PageOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const listed = await (await import('../service/operator/people.ts')).listWorkspaces(context, options);
    if (isRefusal(listed)) return listed;
    const rows = listed.workspaces.map(({ id, name, plan, users }) => [String(id), name, plan, String(users)]);
    const text = formatTable(['ID', 'NAME', 'PLAN', 'USERS'], rows, 'There are no workspaces.');
    return { json: listed, text: formatPage(text, listed.nextCursor) };
  });
}

interface RenameOptions {
  readonly workspace: string;
  readonly name: string;
}

function renameWorkspace(options: RenameOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const renamed = await (await import('../service/operator/people.ts')).renameWorkspace(context, options);
    if (isRefusal(renamed)) return renamed;
    return { json: renamed, text: `Workspace ${renamed.id} is called ${renamed.name}.` };
  });
}
