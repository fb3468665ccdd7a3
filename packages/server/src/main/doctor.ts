import type { Command } from 'commander';
import { describeStoreProblem, printNote, printOutput, readConfig, reportFailure } from './run.ts';
import { formatCount, formatTable } from './table.ts';
import { findTerminal } from './terminal.ts';

const EXPLANATION = `
Checks the Node version, the configuration, the data folder and its permissions, the keys, the disk space and the
database, and reads all stored data. It changes nothing. The exit code is 1 if a check fails; each failure says what to
do. --repair adds checksums to data that older versions stored, and accepts lost commits. The service may run meanwhile.`;

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check this installation')
    .option('--repair', 'add checksums to older data, and accept lost commits')
    .addHelpText('after', EXPLANATION)
    .action(runDoctor);
}

async function runDoctor({ repair = false }: { readonly repair?: boolean }, command: Command): Promise<void> {
  if (repair && !(await runRepair(command))) return;
  const { runChecks } = await import('./doctor-checks.ts');
  const checks = await runChecks(findTerminal(command).env);
  const ok = checks.every((check) => check.ok);
  const rows = checks.map((check) => [check.ok ? 'ok' : 'failed', check.name, check.message]);
  printOutput(command, { json: { ok, checks }, text: formatTable(['STATE', 'CHECK', 'FOUND'], rows, '') });
  if (!ok) reportFailure(command, 'A check failed.');
}

/** False: the repair failed, and the reason was printed. */
async function runRepair(command: Command): Promise<boolean> {
  const config = readConfig(command);
  if (config === null) return false;
  const { repairStore } = await import('../service/operator/repair.ts');
  const { toStoreLocation } = await import('../compose/compose.ts');
  try {
    const { sealed, accepted } = await repairStore(toStoreLocation(config), config.dataFolder);
    printNote(
      command,
      `${formatCount(sealed, 'row')} got checksums; lost commits of ${formatCount(accepted, 'document')} are accepted.`,
    );
    return true;
  } catch (error) {
    const problem = describeStoreProblem(error, config);
    if (problem === null) throw error;
    reportFailure(command, problem);
    return false;
  }
}
