import { sessionById, userById } from '@cellwire/store/accounts';
import { type Build, readBuild } from '../../config/build.ts';
import type { PlanName } from '../../config/types.ts';
import { SESSION_IDLE_MS } from '../../limits/console.ts';
import type { ServiceContext } from '../context.ts';
import { isWorkspaceOwner } from './members.ts';

/** The signed-in user, for the console. Times are ISO 8601. */
export interface SignedInUser {
  readonly user: { readonly id: number; readonly name: string; readonly email: string };
  readonly workspace: {
    readonly id: number;
    readonly name: string;
    readonly plan: PlanName;
    /** True if the user manages the workspace's users. */
    readonly owner: boolean;
    /** Locale of new documents; null: the service's. */
    readonly locale: string | null;
  };
  readonly mustChangePassword: boolean;
  readonly session: { readonly id: number; readonly createdAt: string; readonly expiresAt: string };
  /** Build of the service. */
  readonly build: Build;
  /** Features of the plan. */
  readonly features: {
    readonly valueWrites: boolean;
    readonly sheetOperations: boolean;
    readonly audit: boolean;
    readonly webhooks: boolean;
  };
}

/** Null if the user or the session does not exist any more. */
export async function describeCaller(
  { database, config }: Pick<ServiceContext, 'database' | 'config'>,
  { userId, sessionId }: { readonly userId: number; readonly sessionId: number },
): Promise<SignedInUser | null> {
  const [[user], [session]] = await database.readAll([userById({ id: userId }), sessionById({ id: sessionId })]);
  if (user === undefined || session === undefined) return null;
  const { valueWrites, sheetOperations, webhooksPerDocument } = config.plans[user.plan];
  return {
    user: { id: user.id, name: user.name, email: user.email },
    workspace: {
      id: user.workspace_id,
      name: user.workspace_name,
      plan: user.plan,
      owner: isWorkspaceOwner(user),
      locale: user.workspace_locale,
    },
    mustChangePassword: user.password_once === 1,
    session: {
      id: session.id,
      createdAt: new Date(session.created_at).toISOString(),
      expiresAt: new Date(computeSessionEnd(session)).toISOString(),
    },
    build: readBuild(),
    features: { valueWrites, sheetOperations, audit: sheetOperations, webhooks: webhooksPerDocument !== 0 },
  };
}

/** When an unused session ends, in milliseconds since 1970-01-01 UTC. */
export function computeSessionEnd({
  seen_at,
  expires_at,
}: {
  readonly seen_at: number;
  readonly expires_at: number;
}): number {
  return Math.min(expires_at, seen_at + SESSION_IDLE_MS);
}
