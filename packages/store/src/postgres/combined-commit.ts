import type { CommitPart, Statement } from '../database/database.ts';

/** Number of statements that are combined. */
export const COMBINED_STATEMENTS = 3;

/**
 * A composed SQL text and its parts. The parts are constants of the modules that define statements, so there are few
 * texts.
 */
interface ComposedText {
  readonly parts: readonly [move: CommitPart, commit: CommitPart, entry: CommitPart];
  readonly sql: string;
}

const COMPOSED_TEXTS: ComposedText[] = [];

/**
 * Combines the first three statements of a commit: the update of the document, the commit, and an audit entry. Returns
 * null for other statements. One statement has less overhead than three, and does not search the updated row again. If
 * no row was updated, the statement fails as described at `encodeGuard`.
 */
export function combineCommit([move, commit, entry]: readonly Statement[]): Statement | null {
  if (move?.part?.kind !== 'move' || commit?.part?.kind !== 'commit' || entry?.part?.kind !== 'entry') return null;
  return {
    sql: composeText([move.part, commit.part, entry.part]),
    parameters: [...move.parameters, ...commit.parameters, ...entry.parameters],
    ...(move.guard && { guard: move.guard }),
  };
}

/** The SQL text that runs the parts of a commit as one statement. Texts are cached by their parts. */
function composeText(parts: ComposedText['parts']): string {
  const composedText = COMPOSED_TEXTS.find((one) => one.parts.every((part, i) => part === parts[i]));
  if (composedText !== undefined) return composedText.sql;
  const [move, commit, entry] = parts;
  const sql = `with "moved" as (${move.sql}), "logged" as (${commit.sql}) ${entry.sql}`;
  COMPOSED_TEXTS.push({ parts, sql });
  return sql;
}
