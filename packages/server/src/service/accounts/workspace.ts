import { LOCALE_IDS } from '@cellwire/engine';
import { setWorkspaceLocale } from '@cellwire/store/accounts';
import type { Caller } from '../../access/callers.ts';
import { parseChoice } from '../document/store-document.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { type Actor, buildAccountEntry, commitWithSession } from './actor.ts';
import { type MemberContext, requireOwner } from './members.ts';

interface LocaleChange {
  /** Null: the service's. */
  readonly locale: string | null;
  readonly by: Actor;
}

/** Sets the locale of new documents of the caller's workspace, which the caller must own. Null on success. */
export async function changeWorkspaceLocale(
  context: MemberContext,
  caller: Caller,
  { locale, by }: LocaleChange,
): Promise<Refusal | null> {
  const owner = await requireOwner(context, caller);
  if (isRefusal(owner)) return owner;
  const localeId = locale === null ? null : parseChoice('locale', LOCALE_IDS, locale);
  if (isRefusal(localeId)) return localeId;
  const { workspace_id: workspaceId } = owner;
  return commitWithSession(context.database, by, [
    setWorkspaceLocale({ id: workspaceId, locale: localeId }),
    buildAccountEntry(by, { action: 'workspace.locale', workspaceId, at: context.clock(), detail: localeId ?? '' }),
  ]);
}
