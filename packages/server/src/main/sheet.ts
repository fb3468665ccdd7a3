import type { Command } from 'commander';
import { isRefusal } from '../service/refusal.ts';
import { addExamples, parseCommaList } from './options.ts';
import { runOnService } from './run.ts';

const EXAMPLES = `
Examples:
  cellwire sheet protect --document DOC --sheet Prices --lock --allow anna@example.com
  cellwire sheet protect --document DOC --sheet Salaries --hide-values --lock
  cellwire sheet unprotect --document DOC --sheet Prices
  cellwire sheet hide --document DOC --sheet Lists`;

interface SheetOptions {
  readonly document: string;
  readonly sheet: string;
}

interface ProtectOptions extends SheetOptions {
  readonly hideValues?: boolean;
  readonly lock?: boolean;
  readonly allow?: readonly string[];
}

/** `sheet protect|unprotect|hide|show`. */
export function addSheetCommands(program: Command): void {
  const sheet = program.command('sheet').description('protect, hide and show sheets');
  addSheetCommand(sheet, 'protect', 'set who may see and edit a sheet; replaces the previous protection')
    .option('--hide-values', 'only the owner and the allowed users see the values of the sheet')
    .option('--lock', 'only the owner and the allowed users may edit, rename and delete the sheet')
    .option('--allow <users>', 'ids or e-mail addresses, separated by commas', parseCommaList)
    .action(runProtect);
  addSheetCommand(sheet, 'unprotect', 'remove the protection of a sheet').action(runUnprotect);
  addSheetCommand(sheet, 'hide', 'hide a sheet in user interfaces; the API still reads and writes it').action(
    (options: SheetOptions, command: Command) => setSheetHidden(options, true, command),
  );
  addSheetCommand(sheet, 'show', 'show a hidden sheet').action((options: SheetOptions, command: Command) =>
    setSheetHidden(options, false, command),
  );
  addExamples(sheet, EXAMPLES);
}

function addSheetCommand(sheet: Command, verb: string, description: string): Command {
  return sheet
    .command(verb)
    .description(description)
    .requiredOption('--document <id>', 'the document')
    .requiredOption('--sheet <name>', 'the sheet');
}

function runProtect({ hideValues = false, lock = false, allow = [], ...place }: ProtectOptions, command: Command) {
  if (!hideValues && !lock) command.error('error: give --hide-values, --lock or both');
  return runOnService(command, async (context) => {
    const sheets = await import('../service/operator/sheets.ts');
    const protection = await sheets.protectSheet(context, { ...place, hideValues, lock, allow });
    if (isRefusal(protection)) return protection;
    const allowedUsers =
      protection.allow.length === 0 ? 'the owner' : `the owner and the users ${protection.allow.join(', ')}`;
    const forbidden = [...(hideValues ? ['see its values'] : []), ...(lock ? ['edit it'] : [])].join(' and ');
    return { json: protection, text: `Sheet ${protection.sheet}: only ${allowedUsers} may ${forbidden}.` };
  });
}

function runUnprotect(options: SheetOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const protection = await (await import('../service/operator/sheets.ts')).unprotectSheet(context, options);
    if (isRefusal(protection)) return protection;
    return { json: protection, text: `Sheet ${protection.sheet} is not protected.` };
  });
}

function setSheetHidden(options: SheetOptions, hidden: boolean, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const { setSheetHidden } = await import('../service/operator/sheets.ts');
    const result = await setSheetHidden(context, { ...options, hidden });
    if (isRefusal(result)) return result;
    return { json: result, text: `Sheet ${result.sheet} is ${result.hidden ? 'hidden' : 'shown'}.` };
  });
}
