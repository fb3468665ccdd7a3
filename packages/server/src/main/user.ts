import { type Command, Option } from 'commander';
import { PLAN_NAMES } from '../config/types.ts';
import { isRefusal } from '../service/refusal.ts';
import { addExamples, createCursorOption, createLimitOption, formatPage, type PageOptions } from './options.ts';
import { runOnNewService, runOnService } from './run.ts';
import { formatTable } from './table.ts';
import { findTerminal, readFirstLine } from './terminal.ts';
import { addPersonCommands } from './user-account.ts';

const EXAMPLES = `
Examples:
  cellwire user create --email anna@example.com --name "Anna Berg"
  cellwire user create --email ben@example.com --name Ben --workspace "Anna Berg"
  cellwire user list
  cellwire user plan --user anna@example.com --plan professional
  cellwire user password --user anna@example.com
  cellwire user disable --user ben@example.com
  cellwire user erase --user ben@example.com --transfer-to anna@example.com --yes
  cellwire user export --user ben@example.com --to ben.zip`;

interface UserCreateOptions {
  readonly email: string;
  readonly name: string;
  readonly workspace?: string;
  readonly plan?: string;
  readonly password?: string;
  readonly passwordStdin?: boolean;
}

/** `user create|list|rename|email|plan|password|disable|enable|erase|export`. */
export function addUserCommands(program: Command): void {
  const user = program.command('user').description('manage users');
  user
    .command('create')
    .description('create a user; the password is shown only once')
    .requiredOption('--email <address>', 'e-mail address, which identifies the user in other commands')
    .requiredOption('--name <name>', 'name that other users see')
    .option(
      '--workspace <id or name>',
      'workspace to join, created if no workspace has this name (default: a new workspace)',
    )
    .addOption(new Option('--plan <plan>', 'plan of a new workspace (default: enterprise)').choices(PLAN_NAMES))
    .option('--password <password>', 'password (default: a generated password)')
    .addOption(createPasswordOption())
    .action(createUser);
  user
    .command('list')
    .description('list all users with workspace, plan and last sign-in')
    .addOption(createLimitOption())
    .addOption(createCursorOption())
    .action(listUsers);
  addPersonCommands(user);
  user
    .command('plan')
    .description('change the plan of the user’s workspace')
    .requiredOption('--user <id or e-mail>', 'the user')
    .addOption(new Option('--plan <plan>', 'the new plan').choices(PLAN_NAMES).makeOptionMandatory())
    .action(setPlan);
  user
    .command('password')
    .description('set another password; all sessions of the user end')
    .requiredOption('--user <id or e-mail>', 'the user')
    .option(
      '--password <password>',
      'password (default: a generated password, which must be changed at the next sign-in)',
    )
    .addOption(createPasswordOption())
    .action(setPassword);
  user
    .command('disable')
    .description('disable a user: sessions end, and tokens are refused from the next request on')
    .requiredOption('--user <id or e-mail>', 'the user')
    .action((options, command) => setUserDisabled(options, command, true));
  user
    .command('enable')
    .description('enable a disabled user')
    .requiredOption('--user <id or e-mail>', 'the user')
    .action((options, command) => setUserDisabled(options, command, false));
  addExamples(user, EXAMPLES);
}

function createPasswordOption(): Option {
  return new Option('--password-stdin', 'read the password from the first line of standard input').conflicts(
    'password',
  );
}

function createUser(options: UserCreateOptions, command: Command): Promise<void> {
  return runOnNewService(command, async (context) => {
    const users = await import('../service/operator/users.ts');
    const password = await readPassword(options, command);
    const user = await users.createUser(context, { ...options, password });
    if (isRefusal(user)) return user;
    const text = `User ${user.id}, ${user.name} <${user.email}>, is in workspace ${user.workspaceId}.
Password, shown this once: ${user.password}`;
    return { json: user, text };
  });
}

/** The password from the command line or standard input; absent: one is generated. */
async function readPassword(
  { password, passwordStdin }: Pick<UserCreateOptions, 'password' | 'passwordStdin'>,
  command: Command,
): Promise<string | undefined> {
  return passwordStdin ? readFirstLine(findTerminal(command)) : password;
}

function listUsers(options: PageOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const listed = await (await import('../service/operator/users.ts')).listUsers(context, options);
    if (isRefusal(listed)) return listed;
    const rows = listed.users.map((user) => [
      String(user.id),
      user.email,
      user.name,
      `${user.workspaceId} ${user.workspace}`,
      user.plan,
      user.disabled ? 'disabled' : '',
      user.lastSignInAt ?? 'never',
      user.createdAt,
    ]);
    const heads = ['ID', 'E-MAIL', 'NAME', 'WORKSPACE', 'PLAN', 'STATE', 'SIGNED IN', 'CREATED'];
    return { json: listed, text: formatPage(formatTable(heads, rows, 'There are no users yet.'), listed.nextCursor) };
  });
}

function setPlan(options: { readonly user: string; readonly plan: string }, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const result = await (await import('../service/operator/users.ts')).setPlan(context, options);
    if (isRefusal(result)) return result;
    return { json: result, text: `User ${result.id} and everyone in the workspace are on plan ${result.plan}.` };
  });
}

type PasswordOptions = Pick<UserCreateOptions, 'password' | 'passwordStdin'> & { readonly user: string };

function setPassword(options: PasswordOptions, command: Command): Promise<void> {
  return runOnService(command, async (context) => {
    const password = await readPassword(options, command);
    const { setUserPassword } = await import('../service/operator/users.ts');
    const result = await setUserPassword(context, { user: options.user, password });
    if (isRefusal(result)) return result;
    return { json: result, text: `Password of user ${result.id}, shown this once: ${result.password}` };
  });
}

function setUserDisabled({ user }: { readonly user: string }, command: Command, disabled: boolean): Promise<void> {
  return runOnService(command, async (context) => {
    const result = await (await import('../service/operator/users.ts')).setUserDisabled(context, user, disabled);
    if (isRefusal(result)) return result;
    return { json: result, text: `User ${result.id} is ${disabled ? 'disabled' : 'enabled'}.` };
  });
}
