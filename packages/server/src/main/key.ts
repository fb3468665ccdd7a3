import type { Command } from 'commander';
import { addExamples } from './options.ts';
import { printOutput, readConfig, reportFailure, requireConfirmation, runOnService } from './run.ts';
import { formatNamedItems } from './table.ts';
import { askConfirmation, findTerminal } from './terminal.ts';

const EXAMPLES = `
The key is CELLWIRE_SECRETS_KEY, the content of CELLWIRE_SECRETS_KEY_FILE, or keys/secrets.key in the data folder.

Examples:
  cellwire key rotate
  CELLWIRE_SECRETS_KEY=$(openssl rand -hex 32) cellwire key adopt`;

/** `key rotate|adopt`. */
export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('manage the key that encrypts signing secrets and bot tokens');
  key
    .command('rotate')
    .description('create a new key and encrypt all secrets with it; the service may run on any number of nodes')
    .action(runKeyRotation);
  key
    .command('adopt')
    .description(
      'use the present key after the previous key was lost; secrets encrypted with the previous key are lost',
    )
    .option('--yes', 'do not ask for confirmation')
    .action(runKeyAdoption);
  addExamples(key, EXAMPLES);
}

function runKeyRotation(_options: object, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const { rotateKey } = await import('../service/operator/rotate-key.ts');
    const rotated = await rotateKey(context);
    const from = context.config.secretsKey === null ? '' : ' The key of the settings stays valid until you change it.';
    return { json: rotated, text: `A new key is in use; ${rotated.secrets} secrets are encrypted with it.${from}` };
  });
}

async function runKeyAdoption({ yes }: { readonly yes?: boolean }, command: Command): Promise<void> {
  const config = readConfig(command);
  if (config === null) return;
  const { adoptConfiguredKey, previewAdoption } = await import('../compose/key.ts');
  const nowhere = `There is no data folder ${config.dataFolder}. Set CELLWIRE_DATA`;
  const losses = await previewAdoption(config);
  if (losses === null) return reportFailure(command, nowhere);
  const text = `The present key would become the key of this installation. ${describeLosses(losses.lost)}`;
  if (!yes && !(await askConfirmation(findTerminal(command), text))) {
    return requireConfirmation(command, {
      kind: 'unconfirmed',
      text: `${text}\nNothing was changed. Add --yes to do it.`,
    });
  }
  const adopted = await adoptConfiguredKey(config);
  if (adopted === null) return reportFailure(command, nowhere);
  printOutput(command, {
    json: adopted,
    text: `The present key is now the key of this installation. ${describeLosses(adopted.lost)}`,
  });
}

/** A sentence that says whether the key decrypts all stored secrets, or of which subscriptions it does not. */
function describeLosses(lost: readonly number[]): string {
  if (lost.length === 0) return 'It decrypts all stored secrets.';
  return `It does not decrypt the secrets of ${formatNamedItems('subscription', lost)}: set new secrets (webhook secret), or create the subscriptions again.`;
}
