import type { RowDamage, StoreLocation } from '@cellwire/store';
import { type Command, InvalidArgumentError } from 'commander';
import type { Config } from '../config/types.ts';
import { describeRefusal, isRefusal, type Refusal } from '../service/refusal.ts';
import { addExamples } from './options.ts';
import { startProgress } from './progress.ts';
import {
  type CommandOutput,
  describeStoreProblem,
  formatOutput,
  printNote,
  printOutput,
  readConfig,
  reportFailure,
  runOnService,
} from './run.ts';
import { formatCount, formatNamedItems } from './table.ts';
import { findTerminal } from './terminal.ts';

const EXAMPLES = `
A backup contains everything that exists when it starts; the service may run meanwhile: users, documents with their
history, subscriptions, the audit log, and the secrets key if it is in the data folder. Keep it as private as that
folder. It can be restored into either database.

Examples:
  cellwire backup --to /backup/cellwire-2026-11-22.backup
  CELLWIRE_DATA=/var/lib/restored cellwire restore --from /backup/cellwire-2026-11-22.backup
  cellwire migrate --from /var/lib/cellwire --to postgres://cellwire:…@db.example.com/cellwire`;

/** `backup`, `restore`, `migrate`. */
export function addBackupCommands(program: Command): void {
  const commands = [
    program
      .command('backup')
      .description('write all data into one file; the service may run')
      .option('--to <file>', 'the new file; - is standard output')
      .option('--without-key', 'leave out the key for secrets; a restore then also needs the key')
      .option('--skip-damaged', 'write the undamaged documents if others are damaged')
      .action(runBackup),
    program
      .command('restore')
      .description('restore a backup into an empty data folder or database, and check it')
      .requiredOption('--from <file>', 'a file that backup wrote')
      .option('--document <id>', 'restore only this document, into the existing installation')
      .option('--replace', 'with --document: replace the existing document')
      .option('--without-key', 'restore without the key; all signing secrets and bot tokens are lost')
      .action(runRestore),
    program
      .command('migrate')
      .description('copy all data from one database to an empty database; the service must not run')
      .requiredOption('--from <place>', 'a data folder, or postgres://…', parseLocation)
      .requiredOption('--to <place>', 'a data folder, or postgres://…', parseLocation)
      .option('--skip-damaged', 'copy the undamaged documents if others are damaged')
      .action(runMigrate),
  ];
  commands[0]?.command('verify <file>').description('read a whole backup and check its contents').action(runVerify);
  for (const command of commands) addExamples(command, EXAMPLES);
}

const CONNECTIONS = 1;

function parseLocation(text: string): StoreLocation {
  if (!/^postgres(ql)?:\/\//.test(text)) return { kind: 'sqlite', folder: text };
  if (!URL.canParse(text))
    throw new InvalidArgumentError('It must be like postgres://user:password@host:5432/database.');
  return { kind: 'postgres', url: text, connections: CONNECTIONS };
}

interface BackupOptions {
  readonly to?: string;
  readonly skipDamaged?: boolean;
  readonly withoutKey?: boolean;
}

function runBackup({ to, ...options }: BackupOptions, command: Command): Promise<void> {
  // `--to` is not declared as required, because `backup verify` does not have it.
  if (to === undefined) return command.error("error: required option '--to <file>' not specified");
  const toStream = to === '-';
  return runTransfer(command, async (config, onStep) => {
    const { writeBackup } = await import('../service/operator/backup.ts');
    const answer = await writeBackup(await toInstallation(config), {
      to: toStream ? process.stdout : to,
      ...options,
      now: Date.now(),
      onStep,
    });
    if (isRefusal(answer)) return answer;
    const { isRecorded, ...made } = answer;
    if (made.file !== null && made.damaged.length === 0 && !isRecorded) printNote(command, NOT_RECORDED);
    if (made.file === null)
      return {
        json: made,
        text: 'No file was written.',
        damage: listDamage(made.damaged, made.damagedRows),
        isBesideOutput: toStream,
      };
    const key = made.key
      ? 'It contains the secrets key.'
      : 'It does not contain the secrets key: keep the key separately.';
    const text = `${toStream ? 'The backup' : made.file} is written: ${formatContents(made)}, ${formatCount(made.bytes, 'byte')}. ${key}`;
    return { json: made, text, damage: listDamage(made.damaged, made.damagedRows), isBesideOutput: toStream };
  });
}

function formatContents({ documents, rows }: { readonly documents: number; readonly rows: number }): string {
  return `${formatCount(documents, 'document')}, ${formatCount(rows, 'row')}`;
}

const NOT_RECORDED = 'the database accepts no writes, so cellwire_last_backup_age_seconds does not show this backup';

async function runVerify(file: string, _options: object, command: Command): Promise<void> {
  await runTransfer(command, async (_config, onStep) => {
    const { verifyBackup } = await import('../service/operator/backup.ts');
    const verified = await verifyBackup(file, onStep);
    const text = verified.sound
      ? `${file} is sound: ${formatCount(verified.documents, 'document')}.`
      : `${file} is not sound.`;
    return { json: verified, text, damage: listDamage(verified.problems, verified.damagedRows) };
  });
}

interface RestoreOptions {
  readonly from: string;
  readonly document?: string;
  readonly replace?: boolean;
  readonly withoutKey?: boolean;
}

function runRestore(options: RestoreOptions, command: Command): Promise<void> {
  const { from, document, replace = false, withoutKey = false } = options;
  if (document === undefined && replace) return command.error("error: option '--replace' needs '--document <id>'");
  if (document !== undefined && withoutKey)
    return command.error("error: option '--without-key' cannot be used with option '--document <id>'");
  if (document !== undefined) return runRestoreDocument({ from, document, replace }, command);
  return runTransfer(command, async (config, onStep) => {
    const { restoreInstallation } = await import('../service/operator/backup.ts');
    const restored = await restoreInstallation(await toInstallation(config), { ...options, now: Date.now(), onStep });
    if (isRefusal(restored)) return restored;
    const lost =
      restored.lost.length === 0 ? '' : ` The secrets of ${formatNamedItems('subscription', restored.lost)} are lost.`;
    const text = `Restored as of ${restored.at} and checked: ${formatContents(restored)}.${lost}`;
    return { json: restored, text, damage: listDamage(restored.problems, restored.damagedRows) };
  });
}

async function runRestoreDocument(
  input: { readonly from: string; readonly document: string; readonly replace: boolean },
  command: Command,
): Promise<void> {
  await runOnService(command, async (context) => {
    const { restoreDocument } = await import('../service/operator/restore-document.ts');
    const restored = await restoreDocument(context, { ...input, onStep: () => {} });
    if (isRefusal(restored)) return restored;
    for (const { problem } of restored.problems) reportFailure(command, `Document ${input.document}: ${problem}`);
    return {
      json: restored,
      text: restored.documents === 1 ? `Document ${input.document} is restored.` : 'Nothing was restored.',
    };
  });
}

interface MigrateOptions {
  readonly from: StoreLocation;
  readonly to: StoreLocation;
  readonly skipDamaged?: boolean;
}

function runMigrate({ from, to, skipDamaged = false }: MigrateOptions, command: Command): Promise<void> {
  return runTransfer(command, async (_config, onStep) => {
    const { migrateInstallation } = await import('../service/operator/migrate.ts');
    const moved = await migrateInstallation(from, to, onStep, skipDamaged);
    if (isRefusal(moved)) return moved;
    if (moved.damaged.length > 0 && !skipDamaged)
      return { json: moved, text: 'Nothing was copied.', damage: listDamage(moved.damaged, moved.damagedRows) };
    const text = `Copied and compared: ${formatContents(moved)}. The source is unchanged.
The secrets key is not copied: see docs/operations.md.`;
    return { json: moved, text, damage: listDamage(moved.damaged, moved.damagedRows) };
  });
}

/** What a backup needs to know of this installation: database, data folder and key. */
async function toInstallation(config: Config) {
  const { toStoreLocation } = await import('../compose/compose.ts');
  return { store: toStoreLocation(config), dataFolder: config.dataFolder, secretsKey: config.secretsKey };
}

type Damage = { readonly document: string | null; readonly problem: string };

/** The damage of documents and of other rows, for the output. */
function listDamage(documents: readonly Damage[], rows: readonly RowDamage[]): readonly Damage[] {
  return [...documents, ...rows.map(({ problem }) => ({ document: null, problem }))];
}

type StepListener = (step: string, done: number, total: number) => void;

/** Output with a list of damage. If it is not empty, the exit code is 1. */
interface TransferOutput extends CommandOutput {
  readonly damage: readonly Damage[];
  /** Whether standard output carries the backup. The command's text then goes to standard error. */
  readonly isBesideOutput?: boolean;
}

/** Reads the configuration, runs a task with a progress display, and prints its result or refusal. */
async function runTransfer(
  command: Command,
  task: (config: Config, onStep: StepListener) => Promise<TransferOutput | Refusal>,
): Promise<void> {
  const config = readConfig(command);
  if (config === null) return;
  const steps = createStepProgress(command);
  try {
    const answer = await task(config, steps.onStep);
    steps.end();
    if (isRefusal(answer)) return reportFailure(command, describeRefusal(answer));
    if (answer.isBesideOutput) findTerminal(command).stderr.write(`${formatOutput(command, answer)}\n`);
    else printOutput(command, answer);
    for (const { document, problem } of answer.damage)
      reportFailure(command, document === null ? problem : `Document ${document}: ${problem}`);
  } catch (error) {
    steps.end();
    const problem = describeStoreProblem(error, config);
    if (problem === null) throw error;
    reportFailure(command, problem);
  }
}

/** Shows a progress bar for each step. */
function createStepProgress(command: Command): { readonly onStep: StepListener; readonly end: () => void } {
  let current: { readonly what: string; readonly progress: ReturnType<typeof startProgress> } | null = null;
  const end = () => {
    current?.progress.end();
    current = null;
  };
  return {
    onStep(what, done, total) {
      if (current?.what !== what) {
        end();
        current = { what, progress: startProgress(command, what) };
      }
      current.progress.update(total === 0 ? 1 : done / total);
    },
    end,
  };
}
