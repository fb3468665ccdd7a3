import type { Command } from 'commander';
import { formatBuild, readBuild } from '../config/build.ts';
import { addAudit } from './audit.ts';
import { addBackupCommands } from './backup.ts';
import { addDoctor } from './doctor.ts';
import { addDocumentCommands } from './document.ts';
import { addGoogleAliasCommands, addGoogleKeyCommands, addGoogleProxyCommand } from './google.ts';
import { addKeyCommands } from './key.ts';
import { addMcp } from './mcp.ts';
import { addNameCommands, addTableCommands } from './names-and-tables.ts';
import { addProposalCommands } from './proposal.ts';
import { addRevisionCommands } from './revision.ts';
import { addServe } from './serve.ts';
import { addSheetCommands } from './sheet.ts';
import { Program, type Terminal } from './terminal.ts';
import { addTokenCommands } from './token.ts';
import { addUserCommands } from './user.ts';
import { addWebhookCommands } from './webhooks.ts';
import { addWorkspaceCommands } from './workspace.ts';

const EXAMPLES = `
Examples:
  cellwire serve
  cellwire user create --email anna@example.com --name "Anna Berg"
  cellwire token create --user anna@example.com --name import --scopes sheets.read,sheets.write
  cellwire document create --owner anna@example.com --title Orders --from orders.xlsx

Settings come from the environment: CELLWIRE_DATA (data folder, ./data), CELLWIRE_HOST (127.0.0.1), CELLWIRE_PORT
(8080), CELLWIRE_PUBLIC_URL, CELLWIRE_LOG_LEVEL (info), CELLWIRE_CONFIG (a JSON file with all settings). Commands work
on the same data while the service runs; their changes apply from the next request on.
Exit codes: 0 done, 1 failed (the reason is on standard error), 2 wrong usage.`;

/** Builds the command line. Each command loads its modules when it runs, so that help and usage errors are fast. */
export function buildProgram(terminal: Terminal): Command {
  const program = new Program('cellwire', terminal)
    .description('Cellwire, a self-hosted spreadsheet data service.')
    .version(`cellwire ${formatBuild(readBuild())}`, '--version', 'print version and commit')
    .helpOption('-h, --help', 'show help')
    .option('--json', 'print one JSON object on standard output and nothing else')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('Add --help to see all options.')
    .exitOverride()
    .addHelpText('after', EXAMPLES);
  addServe(program);
  addUserCommands(program);
  addWorkspaceCommands(program);
  addTokenCommands(program);
  addDocumentCommands(program);
  addSheetCommands(program);
  addNameCommands(program);
  addTableCommands(program);
  addRevisionCommands(program);
  addProposalCommands(program);
  addWebhookCommands(program);
  addBackupCommands(program);
  addKeyCommands(program);
  addGoogleKeyCommands(program);
  addGoogleAliasCommands(program);
  addGoogleProxyCommand(program);
  addAudit(program);
  addMcp(program);
  addDoctor(program);
  return program;
}
