import { withSealing, withUnsealing } from '../database/checksum.ts';
import { prepareQuery, prepareStatement, type Statement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

export const protectionsOf = withUnsealing(
  'protections',
  prepareQuery((p: { document_id: string }) =>
    sql
      .selectFrom('protections')
      .select(['sheet_id', 'hide_values', 'locked', 'allowed', 'row_sum'])
      .where('document_id', '=', p.document_id)
      .orderBy('sheet_id'),
  ),
);

type ProtectionRow = {
  document_id: string;
  sheet_id: number;
  hide_values: number;
  locked: number;
  allowed: string;
  row_sum: number | null;
};

export const setProtection = withSealing(
  'protections',
  prepareStatement((p: ProtectionRow) =>
    sql
      .insertInto('protections')
      .values({
        document_id: p.document_id,
        sheet_id: p.sheet_id,
        hide_values: p.hide_values,
        locked: p.locked,
        allowed: p.allowed,
        row_sum: p.row_sum,
      })
      .onConflict((conflict) =>
        conflict.columns(['document_id', 'sheet_id']).doUpdateSet((eb) => ({
          hide_values: eb.ref('excluded.hide_values'),
          locked: eb.ref('excluded.locked'),
          allowed: eb.ref('excluded.allowed'),
          row_sum: eb.ref('excluded.row_sum'),
        })),
      ),
  ),
  (row) => row,
  { row_sum: 'row_sum' },
);

/** Copies the protection of a sheet to another. */
export function copyProtection({ document_id, from, to }: ProtectionCopy): Statement {
  return insertCopy({ document_id, from, to, distance: to - from });
}

interface ProtectionCopy {
  readonly document_id: string;
  readonly from: number;
  readonly to: number;
}

type InsertedCopy = { document_id: string; from: number; to: number; distance: number };

const insertCopy = prepareStatement((p: InsertedCopy) =>
  sql
    .insertInto('protections')
    .columns(['document_id', 'sheet_id', 'hide_values', 'locked', 'allowed', 'row_sum'])
    .expression((eb) =>
      eb
        .selectFrom('protections')
        .select((from) => [
          'document_id',
          from.cast<number>(from.val(p.to), 'integer').as('sheet_id'),
          'hide_values',
          'locked',
          'allowed',
          // The sum contains the sheet's id (`sum-groups.ts`).
          from('row_sum', '+', from.cast<number>(from.val(p.distance), 'bigint')).as('row_sum'),
        ])
        .where('document_id', '=', p.document_id)
        .where('sheet_id', '=', p.from),
    ),
);

export const deleteProtection = prepareStatement((p: { document_id: string; sheet_id: number }) =>
  sql.deleteFrom('protections').where('document_id', '=', p.document_id).where('sheet_id', '=', p.sheet_id),
);
