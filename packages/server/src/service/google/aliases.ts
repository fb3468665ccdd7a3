import type { MaybePromise } from '@cellwire/event-loop';
import {
  ALIAS_TAKEN,
  accessDocument,
  aliasesAfter,
  aliasOf,
  deleteAlias,
  insertAlias,
} from '@cellwire/store/documents';
import { ALIAS_LENGTH } from '../../limits/google.ts';
import type { ServiceContext } from '../context.ts';
import { invalidRequest, type Refusal } from '../refusal.ts';

type AliasContext = Pick<ServiceContext, 'database' | 'clock'>;

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const ALIAS = new RegExp(`^[A-Za-z0-9_-]{${ALIAS_LENGTH.min},${ALIAS_LENGTH.max}}$`);

/** Resolves an alias to its document's id; returns any other text unchanged. */
export function resolveAlias({ database }: Pick<ServiceContext, 'database'>, id: string): MaybePromise<string> {
  if (UUID.test(id) || !ALIAS.test(id)) return id;
  return database.readOne(aliasOf({ alias: id })).then((row) => row?.target_id ?? id);
}

interface DocumentAlias {
  readonly alias: string;
  readonly document: string;
}

/** Gives a document a second id under which programs can open it. */
export async function setAlias(
  { database, clock }: AliasContext,
  { alias, document: given }: DocumentAlias,
): Promise<DocumentAlias | Refusal> {
  const document = given.toLowerCase();
  if (!ALIAS.test(alias)) {
    const { min, max } = ALIAS_LENGTH;
    return invalidRequest('alias', `An alias has ${min} to ${max} characters of A-Z, a-z, 0-9, _ and -`);
  }
  if ((await database.readOne(accessDocument({ id: document }))) === null) {
    return invalidRequest('document', `There is no document ${given}`);
  }
  const isDocument = UUID.test(alias) && (await database.readOne(accessDocument({ id: alias.toLowerCase() }))) !== null;
  if (UUID.test(alias) || isDocument) {
    return invalidRequest('alias', `${alias} has the form of a document's id; choose another alias`);
  }
  const row = { alias, target_id: document, created_at: clock() };
  const outcome = await database.write({ document: null, statements: [insertAlias(row)] });
  if (outcome.kind === 'committed') return { alias, document };
  if (outcome.conflict !== ALIAS_TAKEN) throw new Error(`an alias was not stored: ${outcome.conflict}`);
  return invalidRequest('alias', `${alias} is taken; remove it first: cellwire google-alias remove --alias ${alias}`);
}

/** All aliases, sorted. */
export async function listAliases({ database }: AliasContext): Promise<readonly DocumentAlias[]> {
  const aliases: DocumentAlias[] = [];
  for (let after = ''; ; ) {
    const rows = await database.read(aliasesAfter({ after, limit: PAGE }));
    aliases.push(...rows.map(({ alias, target_id: document }) => ({ alias, document })));
    if (rows.length < PAGE) return aliases;
    after = rows.at(-1)?.alias ?? '';
  }
}

const PAGE = 1_000;

export async function removeAlias({ database }: AliasContext, alias: string): Promise<DocumentAlias | Refusal> {
  const row = await database.readOne(aliasOf({ alias }));
  if (row === null) return invalidRequest('alias', `There is no alias ${alias}`);
  await database.write({ document: null, statements: [deleteAlias({ alias })] });
  return { alias, document: row.target_id };
}
