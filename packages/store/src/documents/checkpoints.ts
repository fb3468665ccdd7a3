import { withSealing, withUnsealing } from '../database/checksum.ts';
import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

/** Conflict: another process has saved a checkpoint. */
export const CHECKPOINT_CONFLICT = 'checkpoint';

export const checkpointOf = withUnsealing(
  'checkpoints',
  prepareQuery((p: { id: string }) =>
    sql.selectFrom('checkpoints').select(['revision', 'meta']).where('document_id', '=', p.id),
  ),
);

export const checkpointRevision = prepareQuery((p: { id: string }) =>
  sql.selectFrom('checkpoints').select('revision').where('document_id', '=', p.id),
);

export const chunksOf = withUnsealing(
  'chunks',
  prepareQuery((p: { id: string }) =>
    sql
      .selectFrom('chunks')
      .select(['sheet_id', 'column_index', 'block', 'bytes'])
      .where('document_id', '=', p.id)
      .orderBy('sheet_id')
      .orderBy('column_index')
      .orderBy('block'),
  ),
);

/** Position before all chunks of a document. */
export const BEFORE_ALL_CHUNKS = { sheet: -1, column: -1, block: -1 };

type NextChunksParameters = { id: string; sheet: number; column: number; block: number; limit: number };

/** The next chunks after a position, in the order of `chunksOf`. */
export const chunksAfter = withUnsealing(
  'chunks',
  prepareQuery((p: NextChunksParameters) => selectChunksAfter(p).select('bytes')),
);

/** Sizes of the next chunks, without reading the chunks. */
export const chunkSizesAfter = prepareQuery((p: NextChunksParameters) =>
  selectChunksAfter(p).select(({ fn }) => fn<number>('octet_length', ['bytes']).as('bytes')),
);

/** The next chunks in order of sheet, column and block. */
function selectChunksAfter({ id, sheet, column, block, limit }: NextChunksParameters) {
  return sql
    .selectFrom('chunks')
    .select(['sheet_id', 'column_index', 'block'])
    .where('document_id', '=', id)
    .where((eb) => eb(eb.refTuple('sheet_id', 'column_index', 'block'), '>', eb.tuple(sheet, column, block)))
    .orderBy('sheet_id')
    .orderBy('column_index')
    .orderBy('block')
    .limit(limit);
}

/** The last block of a column that has a chunk. */
export const lastBlockOf = prepareQuery((p: { id: string; sheet: number; column: number }) =>
  selectChunksOfColumn(p).select('block').orderBy('block', 'desc').limit(1),
);

type BlockRangeParameters = { id: string; sheet: number; column: number; first: number; last: number };

/** The chunks of some blocks of a column. */
export const chunksBetween = withUnsealing(
  'chunks',
  prepareQuery((p: BlockRangeParameters) => selectChunksBetween(p).select('bytes')),
);

/** Sizes of the chunks of some blocks of a column, without reading the chunks. */
export const chunkSizesBetween = prepareQuery((p: BlockRangeParameters) =>
  selectChunksBetween(p).select(({ fn }) => fn<number>('octet_length', ['bytes']).as('bytes')),
);

function selectChunksBetween({ id, sheet, column, first, last }: BlockRangeParameters) {
  return selectChunksOfColumn({ id, sheet, column })
    .select(['sheet_id', 'column_index', 'block'])
    .where('block', '>=', first)
    .where('block', '<=', last);
}

function selectChunksOfColumn({ id, sheet, column }: { id: string; sheet: number; column: number }) {
  return sql
    .selectFrom('chunks')
    .where('document_id', '=', id)
    .where('sheet_id', '=', sheet)
    .where('column_index', '=', column);
}

/** The columns that have chunks, with the number of chunks and the first and last block. */
export const columnsOfChunks = prepareQuery((p: { id: string }) =>
  sql
    .selectFrom('chunks')
    .select(['sheet_id', 'column_index'])
    .select(({ fn }) => [
      fn.countAll<number>().as('chunks'),
      fn.min<number>('block').as('first'),
      fn.max<number>('block').as('last'),
    ])
    .where('document_id', '=', p.id)
    .groupBy(['sheet_id', 'column_index']),
);

/** Number of a document's chunks, up to a maximum. */
export const countChunks = prepareQuery((p: { id: string; max: number }) =>
  sql
    .selectFrom(
      sql.selectFrom('chunks').select('block').where('document_id', '=', p.id).limit(p.max).as('first_chunks'),
    )
    .select(({ fn }) => fn.countAll<number>().as('chunks')),
);

/** Sheets that have chunks. */
export const chunkSheets = prepareQuery((p: { id: string }) =>
  sql.selectFrom('chunks').select('sheet_id').distinct().where('document_id', '=', p.id),
);

/** Size of a document's checkpoint in bytes, without reading it. */
export const checkpointSize = prepareQuery((p: { id: string }) =>
  sql
    .selectFrom('checkpoints')
    .select(({ fn }) => fn<number>('octet_length', ['meta']).as('bytes'))
    .where('document_id', '=', p.id),
);

export const chunksSize = prepareQuery((p: { id: string }) =>
  sql
    .selectFrom('chunks')
    .select(({ fn }) => fn.sum<number | null>(fn<number>('octet_length', ['bytes'])).as('bytes'))
    .where('document_id', '=', p.id),
);

export const insertCheckpoint = withSealing(
  'checkpoints',
  prepareStatement((p: { id: string; revision: number; meta: Uint8Array }) =>
    sql.insertInto('checkpoints').values({ document_id: p.id, revision: p.revision, meta: p.meta }),
  ),
  ({ revision, meta }) => ({ revision, meta }),
  { meta: 'meta' },
);

/** Replaces the checkpoint of revision `since`. The same unit writes the chunks that changed after that revision. */
export const replaceCheckpoint = withSealing(
  'checkpoints',
  prepareStatement(
    (p: { id: string; since: number; revision: number; meta: Uint8Array }) =>
      sql
        .updateTable('checkpoints')
        .set({ revision: p.revision, meta: p.meta })
        .where('document_id', '=', p.id)
        .where('revision', '=', p.since),
    { rows: 1, conflict: CHECKPOINT_CONFLICT },
  ),
  ({ revision, meta }) => ({ revision, meta }),
  { meta: 'meta' },
);

export const putChunk = withSealing(
  'chunks',
  prepareStatement((p: { id: string; sheet: number; column: number; block: number; bytes: Uint8Array }) =>
    sql
      .insertInto('chunks')
      .values({ document_id: p.id, sheet_id: p.sheet, column_index: p.column, block: p.block, bytes: p.bytes })
      .onConflict((conflict) =>
        conflict
          .columns(['document_id', 'sheet_id', 'column_index', 'block'])
          .doUpdateSet((eb) => ({ bytes: eb.ref('excluded.bytes') })),
      ),
  ),
  ({ sheet, column, block, bytes }) => ({ sheet_id: sheet, column_index: column, block, bytes }),
  { bytes: 'bytes' },
);

export const deleteChunk = prepareStatement((p: { id: string; sheet: number; column: number; block: number }) =>
  sql
    .deleteFrom('chunks')
    .where('document_id', '=', p.id)
    .where('sheet_id', '=', p.sheet)
    .where('column_index', '=', p.column)
    .where('block', '=', p.block),
);

export const deleteChunksOfSheet = prepareStatement((p: { id: string; sheet: number }) =>
  sql.deleteFrom('chunks').where('document_id', '=', p.id).where('sheet_id', '=', p.sheet),
);
