import type { Command } from 'commander';
import { addExamples } from './options.ts';
import { fail, print, readConfig, requireConfirmation, runOnService } from './run.ts';
import { confirm, terminalOf } from './terminal.ts';

const EXAMPLES = `
The key is CELLWIRE_SECRETS_KEY, what stands in CELLWIRE_SECRETS_KEY_FILE, or keys/secrets.key in the data folder.

Examples:
  cellwire key rotate
  CELLWIRE_SECRETS_KEY=$(openssl rand -hex 32) cellwire key adopt`;

/** `key rotate|adopt`. */
export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('what signing secrets and bot tokens are sealed with');
  key
    .command('rotate')
    .description('make a new key and seal all secrets with it; the service may run, on any number of nodes')
    .action(rotate);
  key
    .command('adopt')
    .description('use the present key from now on, where the one before is lost; what that one sealed is lost, too')
    .option('--yes', 'do it without asking')
    .action(adopt);
  addExamples(key, EXAMPLES);
}

function rotate(_options: object, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const { rotateKey } = await import('../service/operator/rotate-key.ts');
    const rotated = await rotateKey(context);
    const from = context.config.secretsKey === null ? '' : ' The key of the settings stays valid until you change it.';
    return { json: rotated, text: `There is a new key, and ${rotated.secrets} secrets are sealed with it.${from}` };
  });
}

async function adopt({ yes }: { readonly yes?: boolean }, command: Command): Promise<void> {
  const config = readConfig(command);
  if (config === null) return;
  const { adoptPresentKey, previewAdoption } = await import('../compose/key.ts');
  const nowhere = `There is no data folder ${config.dataFolder}. Set CELLWIRE_DATA`;
  const losses = await previewAdoption(config);
  if (losses === null) return fail(command, nowhere);
  const text = `The present key would become the one of this installation. ${describeLosses(losses.lost)}`;
  if (!yes && !(await confirm(terminalOf(command), text))) {
    return requireConfirmation(command, {
      kind: 'unconfirmed',
      text: `${text}\nNothing was changed. Add --yes to do it.`,
    });
  }
  const adopted = await adoptPresentKey(config);
  if (adopted === null) return fail(command, nowhere);
  print(command, { json: adopted, text: `The present key is the one from now on. ${describeLosses(adopted.lost)}` });
}

function describeLosses(lost: readonly number[]): string {
  if (lost.length === 0) return 'It opens all secrets that are kept.';
  return `It does not open the secrets of the subscriptions ${lost.join(', ')}: give them new ones (webhook secret), or make them anew.`;
}
