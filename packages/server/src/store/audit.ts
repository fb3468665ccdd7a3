import { prepare, prepareStatement } from './database.ts';
import { sql } from './dialect.ts';
import type { AuditTable } from './schema.ts';

/** Edits made in the browser are kept, but the API's log does not show them (decisions §11). */
const BROWSER = 'browser';

type NewEntry = Omit<{ [K in keyof AuditTable]: AuditTable[K] }, 'id'>;

/** Adds an entry under the document's next number. Belongs in the unit of what it records. */
export const insertAudit = prepareStatement((p: NewEntry) =>
  sql
    .insertInto('audit')
    .columns([
      'document_id',
      'id',
      'action',
      'origin',
      'user_id',
      'user_name',
      'token_id',
      'token_name',
      'range',
      'cells',
      'at',
    ])
    .expression((eb) =>
      eb
        .selectFrom('audit')
        .select(({ val, fn, lit }) => [
          val(p.document_id).as('document_id'),
          eb(fn.coalesce(fn.max('id'), lit(0)), '+', lit(1)).as('id'),
          val(p.action).as('action'),
          val(p.origin).as('origin'),
          val(p.user_id).as('user_id'),
          val(p.user_name).as('user_name'),
          val(p.token_id).as('token_id'),
          val(p.token_name).as('token_name'),
          val(p.range).as('range'),
          val(p.cells).as('cells'),
          val(p.at).as('at'),
        ])
        .where('document_id', '=', p.document_id),
    ),
);

/** Newest first. */
export const auditPage = prepare((p: { document_id: string; offset: number; limit: number }) =>
  sql
    .selectFrom('audit')
    .select(['id', 'action', 'origin', 'user_id', 'user_name', 'token_name', 'range', 'cells', 'at'])
    .where('document_id', '=', p.document_id)
    .where('origin', '!=', BROWSER)
    .orderBy('id', 'desc')
    .limit(p.limit)
    .offset(p.offset),
);

export const auditTotal = prepare((p: { document_id: string }) =>
  sql
    .selectFrom('audit')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('document_id', '=', p.document_id)
    .where('origin', '!=', BROWSER),
);

/** Distinct names of tokens in the whole log. */
export const auditTokens = prepare((p: { document_id: string }) =>
  sql
    .selectFrom('audit')
    .select('token_name')
    .distinct()
    .where('document_id', '=', p.document_id)
    .where('origin', '!=', BROWSER)
    .where('token_name', 'is not', null)
    .orderBy('token_name'),
);
