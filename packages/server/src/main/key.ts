import type { Command } from 'commander';
import { addExamples } from './options.ts';
import { fail, print, readConfig } from './run.ts';

const EXAMPLES = `
The key is CELLWIRE_SECRETS_KEY, what stands in CELLWIRE_SECRETS_KEY_FILE, or keys/secrets.key in the data folder.

Examples:
  CELLWIRE_SECRETS_KEY=$(openssl rand -hex 32) cellwire key adopt`;

/** `key adopt`. */
export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('what signing secrets and bot tokens are sealed with');
  key
    .command('adopt')
    .description('use the present key from now on, where the one before is lost; what that one sealed is lost, too')
    .action(adopt);
  addExamples(key, EXAMPLES);
}

async function adopt(_options: object, command: Command): Promise<void> {
  const config = readConfig(command);
  if (config === null) return;
  const { adoptPresentKey } = await import('../compose/key.ts');
  const adopted = await adoptPresentKey(config);
  if (adopted === null) return fail(command, `There is no data folder ${config.dataFolder}. Set CELLWIRE_DATA`);
  const { lost } = adopted;
  const text =
    lost.length === 0
      ? 'The present key is the one from now on.'
      : `The present key is the one from now on. It does not open the secrets of the subscriptions ${lost.join(', ')}: give them new ones (webhook secret), or make them anew.`;
  print(command, { json: adopted, text });
}
