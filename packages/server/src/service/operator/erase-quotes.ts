import type { Database, Statement } from '@cellwire/store';
import { accountEntriesQuoting, renameWorkspace, replaceInviter, setDetail } from '@cellwire/store/accounts';

/** The texts that identify an erased user. */
interface PersonalTexts {
  readonly user: number;
  readonly email: string;
  /** Present and former names. */
  readonly names: readonly string[];
  readonly workspace: { readonly id: number; readonly name: string };
}

/**
 * Statements that replace a user's names and address in records of other users. Names are replaced only in the user's
 * own workspace: elsewhere, an equal name is that of another person.
 */
export async function buildQuoteErasure(
  database: Database,
  { user, email, names, workspace }: PersonalTexts,
  replacement: string,
): Promise<readonly Statement[]> {
  const texts = [...new Set([email, ...names])].filter((text) => text !== '' && !text.startsWith('Erased user '));
  const details = new Map<number, string>();
  for (const text of texts) {
    // Reads the whole log, which would delay other requests.
    const [entries] = await database.readInBackground([accountEntriesQuoting({ text })]);
    for (const { id, workspace_id, detail } of entries) {
      if (text !== email && workspace_id !== workspace.id) continue;
      details.set(id, replaceWords(details.get(id) ?? detail, text, replacement));
    }
  }
  const name = texts.reduce((changed, text) => replaceWords(changed, text, replacement), workspace.name);
  return [
    ...[...details].map(([id, detail]) => setDetail({ id, detail })),
    ...(name === workspace.name ? [] : [renameWorkspace({ id: workspace.id, name })]),
    ...texts.map((text) => replaceInviter({ user_id: user, workspace_id: workspace.id, name: text, by: replacement })),
  ];
}

/** Replaces a text where it is not a part of a longer word: `Al` stays in `Alpine`. */
function replaceWords(fullText: string, text: string, replacement: string): string {
  const pattern = new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])${RegExp.escape(text)}(?![\\p{L}\\p{M}\\p{N}])`, 'gu');
  return fullText.replaceAll(pattern, () => replacement);
}
