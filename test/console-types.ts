import type * as shown from '../packages/console/src/data/types.ts';
import type { enOperate } from '../packages/console/src/text/en-operate.ts';
import type { AccountAction } from '../packages/server/src/service/accounts/actor.ts';
import type { InvitationView } from '../packages/server/src/service/accounts/invitations.ts';
import type { AccountEntryView } from '../packages/server/src/service/accounts/log.ts';
import type { Me } from '../packages/server/src/service/accounts/me.ts';
import type { MemberView } from '../packages/server/src/service/accounts/members.ts';
import type { SessionView } from '../packages/server/src/service/accounts/sessions.ts';
import type { NewTokenView, TokenView } from '../packages/server/src/service/accounts/tokens.ts';
import type { RangeLooks } from '../packages/server/src/service/cells/rule-looks.ts';
import type { SheetLayout } from '../packages/server/src/service/cells/sheet-display.ts';
import type { SheetFilePreview } from '../packages/server/src/service/document/import-sheet.ts';
import type { AuditAction } from '../packages/server/src/service/history/audit-log.ts';

/** Compiles where all that the server sends is what the console takes it for. */
type Takes<Shown, Sent extends Shown> = readonly [Shown, Sent];

/**
 * Answers that the console alone asks for, and which openapi.json does not describe: `npm run check` compiles this, and
 * fails where one of them came apart.
 */
export type Answers = readonly [
  Takes<shown.Me, Me>,
  Takes<shown.User, MemberView>,
  Takes<shown.Invitation, InvitationView>,
  Takes<shown.Token, TokenView | NewTokenView>,
  Takes<shown.Session, SessionView>,
  Takes<shown.AccountEntry, AccountEntryView>,
  Takes<shown.SheetLayout, SheetLayout>,
  Takes<shown.BlockStyleTable, RangeLooks>,
  Takes<shown.SheetFilePreview, SheetFilePreview>,
];

/** What the console's log has words for. */
type Worded = keyof (typeof enOperate)['log']['actions'];

/** Each action has words, and nothing else has. */
export type Words = readonly [Takes<Worded, AuditAction | AccountAction>, Takes<AuditAction | AccountAction, Worded>];
