import type { Command } from 'commander';
import { fail, print } from './run.ts';
import { table } from './table.ts';
import { terminalOf } from './terminal.ts';

const EXPLANATION = `
Checks the Node version, the configuration, the data folder and its permissions, the keys, the space on the disk and
the database. It may run beside the service, and changes nothing. Exit code 1 when a check fails; each says what to do.`;

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check whether this installation is in order')
    .addHelpText('after', EXPLANATION)
    .action(doctor);
}

async function doctor(_options: object, command: Command): Promise<void> {
  const { examine } = await import('./examine.ts');
  const checks = await examine(terminalOf(command).env);
  const ok = checks.every((check) => check.ok);
  const rows = checks.map((check) => [check.ok ? 'ok' : 'failed', check.name, check.message]);
  print(command, { json: { ok, checks }, text: table(['STATE', 'CHECK', 'FOUND'], rows, '') });
  if (!ok) fail(command, 'A check failed.');
}
