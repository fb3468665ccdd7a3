import type { StoreLocation } from '@cellwire/store';
import type { Command } from 'commander';
import { describeRefusal, isRefusal, type Refusal } from '../service/refusal.ts';
import { describeStoreProblem, printNote, printOutput, readConfig, reportFailure } from './run.ts';
import { formatCount, formatTable } from './table.ts';
import { findTerminal } from './terminal.ts';

const EXPLANATION = `
Checks the Node version, the configuration, the data folder and its permissions, the keys, the disk space and the
database, and reads all stored data. It changes nothing. The exit code is 1 if a check fails; each failure says what to
do. --repair adds checksums to data that older versions stored, and accepts lost commits. --accept stores new checksums
of a damaged row of accounts, subscriptions or proposals: check its values first. The service may run meanwhile.`;

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check this installation')
    .option('--repair', 'add checksums to older data, and accept lost commits')
    .option('--accept <row...>', 'accept damaged rows as they are, such as tokens:3')
    .addHelpText('after', EXPLANATION)
    .action(runDoctor);
}

interface DoctorOptions {
  readonly repair?: boolean;
  readonly accept?: readonly string[];
}

async function runDoctor({ repair = false, accept = [] }: DoctorOptions, command: Command): Promise<void> {
  if (repair && !(await runRepair(command))) return;
  if (accept.length > 0 && !(await runAcceptance(command, accept))) return;
  const { runChecks } = await import('./doctor-checks.ts');
  const checks = await runChecks(findTerminal(command).env);
  const ok = checks.every((check) => check.ok);
  const rows = checks.map((check) => [check.ok ? 'ok' : 'failed', check.name, check.message]);
  printOutput(command, { json: { ok, checks }, text: formatTable(['STATE', 'CHECK', 'FOUND'], rows, '') });
  if (!ok) reportFailure(command, 'A check failed.');
}

/** False: the repair failed, and the reason was printed. */
function runRepair(command: Command): Promise<boolean> {
  return runOnStore(command, async (store, dataFolder) => {
    const { repairStore } = await import('../service/operator/repair.ts');
    const { sealed, accepted } = await repairStore(store, dataFolder);
    return `${formatCount(sealed, 'row')} got checksums; lost commits of ${formatCount(accepted, 'document')} are accepted.`;
  });
}

/** False: a row was not accepted, and the reason was printed. */
function runAcceptance(command: Command, rows: readonly string[]): Promise<boolean> {
  return runOnStore(command, async (store) => {
    const { acceptDamagedRows } = await import('../service/operator/repair.ts');
    const accepted = await acceptDamagedRows(store, rows);
    return isRefusal(accepted) ? accepted : `${formatCount(accepted, 'row')} got new checksums.`;
  });
}

/** Runs a task on the database and prints the note that it returns. False: it failed, and the reason was printed. */
async function runOnStore(
  command: Command,
  task: (store: StoreLocation, dataFolder: string) => Promise<string | Refusal>,
): Promise<boolean> {
  const config = readConfig(command);
  if (config === null) return false;
  const { toStoreLocation } = await import('../compose/compose.ts');
  try {
    const note = await task(toStoreLocation(config), config.dataFolder);
    if (isRefusal(note)) reportFailure(command, describeRefusal(note));
    else printNote(command, note);
    return !isRefusal(note);
  } catch (error) {
    const problem = describeStoreProblem(error, config);
    if (problem === null) throw error;
    reportFailure(command, problem);
    return false;
  }
}
