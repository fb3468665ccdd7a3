import { type MaybePromise, mapMaybe } from '@cellwire/event-loop';
import type { DocumentAccess } from '../../access/access.ts';
import { MAX_READ_ROWS } from '../../limits/requests.ts';
import { formatEndLine } from '../cells/stream-lines.ts';
import type { ServiceContext } from '../context.ts';
import { isRefusal, RESPONSE_TOO_LARGE, type Refusal } from '../refusal.ts';
import { formatDocumentTag } from '../tags.ts';
import { encodeCursor } from './cursor.ts';
import type { RecordMembers } from './parse-filter.ts';
import { prepareQueryBase, type QueryBase } from './query-base.ts';
import {
  cacheRows,
  describeColumns,
  EntryWriter,
  hasCacheableRows,
  listEntriesInSteps,
  type QueryEntries,
} from './query-entries.ts';

/** A query over one state of a document, before it is executed. */
export interface PreparedQuery {
  readonly revision: number;
  /** The ETag of the response, which is one JSON value or lines. */
  readonly createTag: (form: 'value' | 'lines') => string;
  /** Returns the response as JSON text; `make` runs the steps. */
  readonly answer: (make: RunSteps) => MaybePromise<string | Refusal>;
  /** Returns all entries as lines of JSON text, then a line that marks the end. */
  readonly lines: (make: RunSteps) => MaybePromise<Iterable<string> | Refusal>;
}

/** Runs the steps of a response to their end, or refuses. */
type RunSteps = <T>(begin: () => Generator<void, T | Refusal>) => MaybePromise<T | Refusal>;

/** Filters, sorts, groups and pages the rows of a range as records, at one revision. */
export async function prepareQuery(
  context: ServiceContext,
  access: DocumentAccess,
  body: RecordMembers,
): Promise<PreparedQuery | Refusal> {
  const base = await prepareQueryBase(context, access, body);
  if (isRefusal(base)) return base;
  const { snapshot, head, key, offset, limit } = base;
  return {
    revision: snapshot.revision,
    createTag: (form) => formatDocumentTag(head, `records ${form} ${key} ${offset} ${limit}`),
    answer: (make) => make(() => writePage(context, access, base)),
    lines: (make) =>
      mapMaybe(
        make(() => listEntriesInSteps(context, access, base, ALL_ENTRIES)),
        (listed) => {
          if (isRefusal(listed)) return listed;
          // A resumed stream needs the same rows, but formulas are not calculated on past states. So the rows are
          // cached.
          if (base.truths !== null) cacheRows(context, access, base, listed);
          return writeEntryLines(base, listed);
        },
      ),
  };
}

/** The JSON text of a page of records or groups, with the cursor of the next page. */
function* writePage(
  context: ServiceContext,
  access: DocumentAccess,
  base: QueryBase,
): Generator<void, string | Refusal> {
  const { snapshot, head, key, offset } = base;
  const limit = Math.min(base.limit ?? MAX_READ_ROWS, MAX_READ_ROWS);
  const listed = yield* listEntriesInSteps(context, access, base, { from: offset, end: offset + limit });
  if (isRefusal(listed)) return listed;
  const columns = yield* describeColumns(base);
  const { total } = listed;
  const entries = yield* writePageEntries(
    context,
    new EntryWriter(base, listed),
    offset,
    Math.min(offset + limit, total),
  );
  if (isRefusal(entries)) return entries;
  const next = offset + entries.length;
  const hasMore = next < total;
  if (hasMore && hasCacheableRows(listed)) cacheRows(context, access, base, listed);
  const cursor = { revision: snapshot.revision, head, offset: next, query: key };
  const pagination = {
    offset,
    limit,
    total,
    returned: entries.length,
    hasMore,
    nextOffset: hasMore ? next : null,
    nextCursor: hasMore ? encodeCursor(context, cursor) : null,
  };
  const rest = JSON.stringify({ columns, revisionId: String(snapshot.revision), pagination });
  return `{"records":[${entries.join(',')}],${rest.slice(1)}`;
}

const ALL_ENTRIES = { from: 0, end: Number.POSITIVE_INFINITY };

/** Bytes of the response's other members; a header of long names needs more. */
const ENVELOPE_BYTES = 1_024;

/** Cells written between two pauses: about a millisecond. */
const CELLS_PER_STEP = 2_048;
/** The cost of an entry beyond its cells, in cells. */
const ENTRY_COST = 4;

/** The entries from `offset` to before `end`, as many as fit into the response. */
function* writePageEntries(
  { config }: ServiceContext,
  writer: EntryWriter,
  offset: number,
  end: number,
): Generator<void, readonly string[] | Refusal> {
  const entries: string[] = [];
  let bytesLeft = config.limits.maxResponseBytes - ENVELOPE_BYTES;
  let cellsLeft = config.limits.maxResponseCells;
  let writtenLength = 0;
  for (let i = offset; i < end; i++) {
    const text = yield* writer.writeEntry(i);
    writtenLength += writer.cells + ENTRY_COST;
    if (writtenLength > CELLS_PER_STEP) {
      writtenLength = 0;
      yield;
    }
    bytesLeft -= Buffer.byteLength(text) + 1;
    cellsLeft -= writer.cells;
    if (bytesLeft < 0 && entries.length === 0) return RESPONSE_TOO_LARGE;
    if (bytesLeft < 0 || (cellsLeft < 0 && entries.length > 0)) break;
    entries.push(text);
  }
  return entries;
}

/** NDJSON lines of the records or groups. */
function* writeEntryLines(base: QueryBase, listed: QueryEntries): Iterable<string> {
  const { snapshot, offset, limit } = base;
  const writer = new EntryWriter(base, listed);
  const { total } = listed;
  const end = limit === null ? total : Math.min(offset + limit, total);
  for (let i = offset; i < end; i++) {
    const steps = writer.writeEntry(i);
    let step = steps.next();
    // An empty piece lets other work run.
    for (; !step.done; step = steps.next()) yield '';
    yield `${step.value}\n`;
  }
  yield formatEndLine(Math.max(0, end - offset), snapshot.revision);
}
