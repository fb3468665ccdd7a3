import { LOCALE_IDS } from '@cellwire/engine';
import { setWorkspaceLocale } from '@cellwire/store/accounts';
import type { Caller } from '../../access/callers.ts';
import type { ServiceContext } from '../context.ts';
import { parseChoice } from '../document/store-document.ts';
import { renameWorkspace } from '../operator/people.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { type Actor, buildAccountEntry, commitWithSession } from './actor.ts';
import { type AccountUserRow, requireOwner } from './members.ts';

/** What changes of a workspace; undefined members stay. */
interface WorkspaceChange {
  readonly name: string | undefined;
  /** Locale of new documents; null: the service's. */
  readonly locale: string | null | undefined;
  readonly by: Actor;
}

/**
 * Changes the caller's workspace, which the caller must own: one commit for each property, up to the first that is
 * refused. Null on success.
 */
export async function changeOwnWorkspace(
  context: ServiceContext,
  caller: Caller,
  { name, locale, by }: WorkspaceChange,
): Promise<Refusal | null> {
  const owner = await requireOwner(context, caller);
  if (isRefusal(owner)) return owner;
  const workspace = String(owner.workspace_id);
  const renamed = name === undefined ? null : await renameWorkspace(context, { workspace, name }, by);
  if (isRefusal(renamed)) return renamed;
  return locale === undefined ? null : changeLocale(context, owner, locale, by);
}

/** Sets the locale of new documents; null removes it. Refuses an unknown locale. */
async function changeLocale(
  context: ServiceContext,
  { workspace_id: workspaceId }: AccountUserRow,
  locale: string | null,
  by: Actor,
): Promise<Refusal | null> {
  const localeId = locale === null ? null : parseChoice('locale', LOCALE_IDS, locale);
  if (isRefusal(localeId)) return localeId;
  return commitWithSession(context.database, by, [
    setWorkspaceLocale({ id: workspaceId, locale: localeId }),
    buildAccountEntry(by, { action: 'workspace.locale', workspaceId, at: context.clock(), detail: localeId ?? '' }),
  ]);
}
