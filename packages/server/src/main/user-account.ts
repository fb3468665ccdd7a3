import { type Command, Option } from 'commander';
import type { ErasurePlan } from '../service/operator/erase.ts';
import { isRefusal } from '../service/refusal.ts';
import { type ConfirmationRequest, runOnService } from './run.ts';

/** `user rename|email|erase|export`. */
export function addPersonCommands(user: Command): void {
  const addCommand = (verb: string, description: string) =>
    user.command(verb).description(description).requiredOption('--user <id or e-mail>', 'the user');
  addCommand('rename', 'give a user another name').requiredOption('--name <name>', 'the new name').action(runRename);
  addCommand('email', 'give a user another e-mail address')
    .requiredOption('--email <address>', 'the new address')
    .action(runEmailChange);
  addCommand('erase', 'remove all personal data of a user permanently; cells that the user wrote stay')
    .option('--transfer-to <id or e-mail>', 'the user who gets the documents')
    .addOption(new Option('--delete-documents', 'delete the documents').conflicts('transferTo'))
    .option('--yes', 'erase the user; without this option the command only prints what would happen')
    .action(runErase);
  addCommand('export', 'write all stored data about a user into a .zip file of JSON files')
    .requiredOption('--to <file>', 'the new file; an existing file is not replaced')
    .action(exportData);
}

function runRename(options: { readonly user: string; readonly name: string }, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const renamed = await (await import('../service/operator/people.ts')).renameUser(context, options);
    return isRefusal(renamed) ? renamed : { json: renamed, text: `User ${renamed.id} is called ${renamed.name}.` };
  });
}

function runEmailChange(options: { readonly user: string; readonly email: string }, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const result = await (await import('../service/operator/people.ts')).changeEmail(context, options);
    return isRefusal(result) ? result : { json: result, text: `User ${result.id} signs in as ${result.email}.` };
  });
}

interface EraseOptions {
  readonly user: string;
  readonly transferTo?: string;
  readonly deleteDocuments?: boolean;
  readonly yes?: boolean;
}

function runErase(options: EraseOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const { eraseUser, planErasure } = await import('../service/operator/erase.ts');
    if (!options.yes) {
      const plan = await planErasure(context, options);
      return isRefusal(plan) ? plan : describeErasure(plan);
    }
    const erased = await eraseUser(context, options);
    if (isRefusal(erased)) return erased;
    const { transferred, deleted } = erased.documents;
    const text = `User ${erased.id} is erased; documents: ${transferred} transferred, ${deleted} deleted.
The embedded database keeps deleted texts in free pages until the next start of the service. Backups keep them.`;
    return { json: erased, text };
  });
}

/** What an erasure would delete, for the confirmation. */
function describeErasure(plan: ErasurePlan): ConfirmationRequest {
  const { id, name, email: address } = plan;
  return {
    kind: 'unconfirmed',
    text: `This would erase user ${id}, ${name} <${address}>, for good:
  The account, its sessions, tokens and shares end.
  The name becomes "Erased user ${id}" in the account, the audit log and the history.
  ${describeDocumentFate(plan)}
Add --yes to do it.`,
  };
}

/** What happens to the documents of an erased user, in words. */
function describeDocumentFate({ documents: live, trashed, heir, isUndecided }: ErasurePlan): string {
  const count = live + trashed;
  const documents = `${count} ${count === 1 ? 'document' : 'documents'} of the user`;
  if (isUndecided) return `For ${documents}, choose --transfer-to USER or --delete-documents.`;
  return heir === null ? `It would delete ${documents}.` : `It would transfer ${documents} to ${heir.name}.`;
}

function exportData(options: { readonly user: string; readonly to: string }, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const exported = await (await import('../service/operator/export-person.ts')).exportPerson(context, options);
    if (isRefusal(exported)) return exported;
    return { json: exported, text: `${exported.file} contains all stored data about the user. Only you can read it.` };
  });
}
