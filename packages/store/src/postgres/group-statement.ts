import { encodeConflict } from '../database/conflicts.ts';
import type { CommitPart, Statement, Unit } from '../database/database.ts';
import { KEY_TAKEN } from '../documents/idempotency.ts';
import { replacePlaceholders } from './placeholders.ts';

/** The parts that a commit has in a group, in order. The reply is optional. */
const KINDS: readonly CommitPart['kind'][] = ['move', 'commit', 'entry', 'reply'];
const MIN_PARTS = 3;

/** Types of the parameters of parts by name; numbers that are not listed here are `bigint`. */
const TEXT_PARAMETERS: ReadonlySet<string> = new Set([
  ...['id', 'head', 'nextHead', 'document_id', 'parent', 'origin', 'token_name', 'request_id', 'areas', 'row_orders'],
  ...[
    'structure',
    'action',
    'user_name',
    'range',
    'proposal',
    'subject_address',
    'method',
    'path',
    'key',
    'body_hash',
    'reply',
  ],
]);
const BYTES_PARAMETERS: ReadonlySet<string> = new Set(['delta', 'inverse']);

/** A parameter of a part as a column of the group's input. */
interface InputColumn {
  readonly name: string;
  readonly type: 'text' | 'bigint' | 'bytea';
  /** Indexes of the statement in its unit and of the parameter. */
  readonly statement: number;
  readonly parameter: number;
}

/** The form of commits that can be written in one statement: their parts are the same. */
export interface GroupShape {
  readonly parts: readonly CommitPart[];
  readonly columns: readonly InputColumn[];
  readonly sql: string;
}

/** Parts are constants of the modules that define statements, so there are few shapes. */
const SHAPES: GroupShape[] = [];

/** The shape of a unit that is only a commit; null for other units. */
export function findGroupShape({ proof, statements }: Unit): GroupShape | null {
  if (proof === undefined || statements.length < MIN_PARTS) return null;
  for (const [i, { part }] of statements.entries()) if (part === undefined || part.kind !== KINDS[i]) return null;
  const known = SHAPES.find(({ parts }) => hasParts(statements, parts));
  if (known !== undefined) return known;
  const shape = createShape(statements.map(({ part }) => part as CommitPart));
  SHAPES.push(shape);
  return shape;
}

function hasParts(statements: readonly Statement[], parts: readonly CommitPart[]): boolean {
  return statements.length === parts.length && parts.every((part, i) => statements[i]?.part === part);
}

function createShape(parts: readonly CommitPart[]): GroupShape {
  const columns = parts.flatMap(listColumns);
  return { parts, columns, sql: composeText(parts, columns) };
}

/** The columns of a part's parameters. A parameter that the part uses several times has one column. */
function listColumns({ kind, names }: CommitPart, statement: number): readonly InputColumn[] {
  return [...new Set(names)].map((name) => ({
    name: formatColumnName(kind, name),
    type: findType(name),
    statement,
    parameter: names.indexOf(name),
  }));
}

function findType(name: string): InputColumn['type'] {
  if (BYTES_PARAMETERS.has(name)) return 'bytea';
  return TEXT_PARAMETERS.has(name) ? 'text' : 'bigint';
}

const formatColumnName = (kind: CommitPart['kind'], name: string) => `${kind}_${name}`;

/**
 * A statement that adds one commit to each of several documents. Its parameter is a JSON array of the commits, which
 * takes the server less time than separate parameters. It returns the ids of the documents to which a commit was added;
 * the other commits are not on top of the latest commit, or another transaction has locked the document's row. It waits
 * for no row, so groups of several nodes cannot wait for each other in a circle. The ids are compared with an
 * array: the server expects many commits, and would read all documents of a small table for a join.
 */
function composeText(parts: readonly CommitPart[], columns: readonly InputColumn[]): string {
  const [move, commit, entry, reply] = parts.map(referToInput) as [string, string, string, string?];
  const types = columns.map(({ name, type }) => `"${name}" ${type}`).join(', ');
  const tables = [
    `"input" as (select * from json_to_recordset(cast(? as json)) as "commits"(${types}))`,
    `"locked" as (select "id" as "locked_id" from "documents" where "id" = any (array(select "move_id" from "input")) for no key update skip locked)`,
    `"moved" as (${replaceOnce(move, ' where ', ' from "input" inner join "locked" on "locked_id" = "move_id" where ')})`,
    `"logged" as (${selectMoved(commit, 'commit')})`,
    ...(reply === undefined ? [] : [`"replied" as (${composeReply(reply)})`]),
  ];
  const target = replaceOnce(entry, ' select ', ` select "entry".* ${joinMoved('entry')} cross join lateral (select `);
  return `with ${tables.join(', ')} ${target}) as "entry"${reply === undefined ? '' : REPLY_GUARD} returning "document_id"`;
}

/** The text of a part, with the columns of the input in place of its parameters. */
function referToInput({ kind, sql, names }: CommitPart): string {
  return replacePlaceholders(sql, (index) => `"input"."${formatColumnName(kind, names[index] as string)}"`);
}

/** The rows of the input whose documents were advanced. */
const joinMoved = (kind: CommitPart['kind']) =>
  `from "input" inner join "moved" as "advanced" on "advanced"."id" = "input"."${formatColumnName(kind, 'document_id')}"`;

/** An insertion of one row as an insertion for every advanced document. */
function selectMoved(insertion: string, kind: CommitPart['kind']): string {
  const [, start, values, end] = INSERTION.exec(insertion) ?? [];
  if (start === undefined) throw new Error(`not an insertion of one row: ${insertion}`);
  return `${start} select ${values} ${joinMoved(kind)}${end}`;
}

const INSERTION = /^(insert into "\w+" \([^)]*\)) values \(([^)]*)\)(.*)$/;

/** The limit of expired replies is a common one, because the clause of a conflict cannot refer to the input. */
function composeReply(reply: string): string {
  const limit = '"input"."reply_expired"';
  const common = '(select min("reply_expired") from "input")';
  return `${replaceOnce(selectMoved(reply, 'reply'), limit, common)} returning "document_id" as "replied_id"`;
}

/** Makes the statement fail if a key is taken, so that the group is undone. */
const REPLY_GUARD = ` where cast(case when "input"."reply_document_id" in (select "replied_id" from "replied") then '1' else '${encodeConflict(KEY_TAKEN)}' end as integer) = 1`;

function replaceOnce(text: string, part: string, replacement: string): string {
  if (!text.includes(part)) throw new Error(`the statement of a commit has no "${part}": ${text}`);
  return text.replace(part, () => replacement);
}

/** The parameter of a group's statement: the commits as JSON. */
export function encodeCommits({ columns }: GroupShape, units: readonly Unit[]): string {
  return JSON.stringify(units.map(({ statements }) => toInputRow(columns, statements)));
}

function toInputRow(
  columns: readonly InputColumn[],
  statements: readonly Statement[],
): Record<string, string | number> {
  const row: Record<string, string | number> = {};
  for (const { name, statement, parameter } of columns) {
    const value = statements[statement]?.parameters[parameter] ?? null;
    if (value !== null) row[name] = typeof value === 'object' ? toHex(value) : value;
  }
  return row;
}

/** Bytes in the text form of the server. */
function toHex(bytes: Uint8Array): string {
  return `\\x${bytes.toHex()}`;
}
