import type { Command } from 'commander';
import { fail, note, print, readConfig, storeProblem } from './run.ts';
import { formatTable } from './table.ts';
import { terminalOf } from './terminal.ts';

const EXPLANATION = `
Checks the Node version, the configuration, the data folder and its permissions, the keys, the space on the disk and
the database, and reads every stored piece. It may run beside the service, and changes nothing. Exit code 1 when a
check fails; each says what to do. --repair gives checksums to what older versions have stored, and accepts that
commits are gone; it may run beside the service, too.`;

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check whether this installation is in order')
    .option('--repair', 'give checksums to older data, and accept lost commits')
    .addHelpText('after', EXPLANATION)
    .action(doctor);
}

async function doctor({ repair = false }: { readonly repair?: boolean }, command: Command): Promise<void> {
  if (repair && !(await runRepair(command))) return;
  const { runChecks } = await import('./doctor-checks.ts');
  const checks = await runChecks(terminalOf(command).env);
  const ok = checks.every((check) => check.ok);
  const rows = checks.map((check) => [check.ok ? 'ok' : 'failed', check.name, check.message]);
  print(command, { json: { ok, checks }, text: formatTable(['STATE', 'CHECK', 'FOUND'], rows, '') });
  if (!ok) fail(command, 'A check failed.');
}

/** False: it could not be done, and the command said why. */
async function runRepair(command: Command): Promise<boolean> {
  const config = readConfig(command);
  if (config === null) return false;
  const { repair } = await import('../service/operator/repair.ts');
  const { storeOf } = await import('../compose/compose.ts');
  try {
    const { sealed, accepted } = await repair(storeOf(config), config.dataFolder);
    note(command, `${sealed} rows have checksums from now on; lost commits of ${accepted} documents are accepted.`);
    return true;
  } catch (error) {
    const problem = storeProblem(error, config);
    if (problem === null) throw error;
    fail(command, problem);
    return false;
  }
}
