import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

export const protectionsOf = prepareQuery((p: { document_id: string }) =>
  sql
    .selectFrom('protections')
    .select(['sheet_id', 'hide_values', 'locked', 'allowed'])
    .where('document_id', '=', p.document_id)
    .orderBy('sheet_id'),
);

type ProtectionRow = { document_id: string; sheet_id: number; hide_values: number; locked: number; allowed: string };

export const setProtection = prepareStatement((p: ProtectionRow) =>
  sql
    .insertInto('protections')
    .values({
      document_id: p.document_id,
      sheet_id: p.sheet_id,
      hide_values: p.hide_values,
      locked: p.locked,
      allowed: p.allowed,
    })
    .onConflict((conflict) =>
      conflict.columns(['document_id', 'sheet_id']).doUpdateSet((eb) => ({
        hide_values: eb.ref('excluded.hide_values'),
        locked: eb.ref('excluded.locked'),
        allowed: eb.ref('excluded.allowed'),
      })),
    ),
);

/** Copies the protection of a sheet to another. */
export const copyProtection = prepareStatement((p: { document_id: string; from: number; to: number }) =>
  sql
    .insertInto('protections')
    .columns(['document_id', 'sheet_id', 'hide_values', 'locked', 'allowed'])
    .expression((eb) =>
      eb
        .selectFrom('protections')
        .select((from) => [
          'document_id',
          from.cast<number>(from.val(p.to), 'integer').as('sheet_id'),
          'hide_values',
          'locked',
          'allowed',
        ])
        .where('document_id', '=', p.document_id)
        .where('sheet_id', '=', p.from),
    ),
);

export const deleteProtection = prepareStatement((p: { document_id: string; sheet_id: number }) =>
  sql.deleteFrom('protections').where('document_id', '=', p.document_id).where('sheet_id', '=', p.sheet_id),
);
