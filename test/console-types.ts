import type * as expected from '../packages/console/src/data/types.ts';
import type { enOperate } from '../packages/console/src/text/en-operate.ts';
import type { AccountAction } from '../packages/server/src/service/accounts/actor.ts';
import type { InvitationView } from '../packages/server/src/service/accounts/invitations.ts';
import type { AccountEntryView } from '../packages/server/src/service/accounts/log.ts';
import type { SignedInUser } from '../packages/server/src/service/accounts/me.ts';
import type { MemberView } from '../packages/server/src/service/accounts/members.ts';
import type { SessionView } from '../packages/server/src/service/accounts/sessions.ts';
import type { NewTokenView, TokenView } from '../packages/server/src/service/accounts/tokens.ts';
import type { RangeAppearance } from '../packages/server/src/service/cells/rule-styles.ts';
import type { SheetLayout } from '../packages/server/src/service/cells/sheet-display.ts';
import type { SheetFilePreview } from '../packages/server/src/service/document/import-sheet.ts';
import type { AuditAction } from '../packages/server/src/service/history/audit-log.ts';

/** Compiles only if the server's type is assignable to the console's type. */
type Assignable<Expected, Actual extends Expected> = readonly [Expected, Actual];

/**
 * Response types of routes that only the console uses. openapi.json does not contain them, so `npm run check`
 * compiles this file, and fails if the two sides differ.
 */
export type Answers = readonly [
  Assignable<expected.Me, SignedInUser>,
  Assignable<expected.User, MemberView>,
  Assignable<expected.Invitation, InvitationView>,
  Assignable<expected.Token, TokenView | NewTokenView>,
  Assignable<expected.Session, SessionView>,
  Assignable<expected.AccountEntry, AccountEntryView>,
  Assignable<expected.SheetLayout, SheetLayout>,
  Assignable<expected.BlockStyleTable, RangeAppearance>,
  Assignable<expected.SheetFilePreview, SheetFilePreview>,
];

/** Actions that the console's log can describe. */
type DescribedAction = keyof (typeof enOperate)['log']['actions'];

/** The log describes every action, and no others. */
export type DescribedActions = readonly [
  Assignable<DescribedAction, AuditAction | AccountAction>,
  Assignable<AuditAction | AccountAction, DescribedAction>,
];
