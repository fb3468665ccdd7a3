import type { CommitPart, Statement } from '../database/database.ts';

/** Statements of a unit that become one. */
export const COMBINED_STATEMENTS = 3;

/** A composed text, with its parts. Parts are constants of the modules that write statements, so there are few texts. */
interface ComposedText {
  readonly parts: readonly [move: CommitPart, commit: CommitPart, entry: CommitPart];
  readonly sql: string;
}

const COMPOSED_TEXTS: ComposedText[] = [];

/**
 * The first three statements of a commit in one: the document moves, the commit, an entry of the audit log; null if they
 * are others. The server begins and ends one statement with less work than three, and does not look for the row that was
 * just moved again. If no row was moved, the statement fails as `breakingOff` describes.
 */
export function combineCommit([move, commit, entry]: readonly Statement[]): Statement | null {
  if (move?.part?.kind !== 'move' || commit?.part?.kind !== 'commit' || entry?.part?.kind !== 'entry') return null;
  return {
    sql: composeText([move.part, commit.part, entry.part]),
    parameters: [...move.parameters, ...commit.parameters, ...entry.parameters],
    ...(move.guard && { guard: move.guard }),
  };
}

function composeText(parts: ComposedText['parts']): string {
  const known = COMPOSED_TEXTS.find((one) => one.parts.every((part, i) => part === parts[i]));
  if (known !== undefined) return known.sql;
  const [move, commit, entry] = parts;
  const sql = `with "moved" as (${move.sql}), "logged" as (${commit.sql}) ${entry.sql}`;
  COMPOSED_TEXTS.push({ parts, sql });
  return sql;
}
