import { JsonWriter } from '@cellwire/engine';
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
  /** Returns the response as parts of a JSON text; `make` runs the steps. */
  readonly answer: (make: RunSteps) => MaybePromise<ResponseParts | Refusal>;
  /** Returns all entries as lines of JSON text, then a line that marks the end. */
  readonly lines: (make: RunSteps) => MaybePromise<Iterable<string> | Refusal>;
}

type ResponseParts = readonly (string | Uint8Array)[];

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

/** The JSON of a page of records or groups, with the cursor of the next page. */
function* writePage(
  context: ServiceContext,
  access: DocumentAccess,
  base: QueryBase,
): Generator<void, ResponseParts | Refusal> {
  const { snapshot, head, key, offset } = base;
  const limit = Math.min(base.limit ?? MAX_READ_ROWS, MAX_READ_ROWS);
  const listed = yield* listEntriesInSteps(context, access, base, { from: offset, end: offset + limit });
  if (isRefusal(listed)) return listed;
  const columns = yield* describeColumns(base);
  const { total } = listed;
  const writer = new EntryWriter(base, listed, new JsonWriter(new Uint8Array(PAGE_BYTES)));
  const returned = yield* writePageEntries(context, writer, offset, Math.min(offset + limit, total));
  if (isRefusal(returned)) return returned;
  const next = offset + returned;
  const hasMore = next < total;
  if (hasMore && hasCacheableRows(listed)) cacheRows(context, access, base, listed);
  const cursor = { revision: snapshot.revision, head, offset: next, query: key };
  const pagination = {
    offset,
    limit,
    total,
    returned,
    hasMore,
    nextOffset: hasMore ? next : null,
    nextCursor: hasMore ? encodeCursor(context, cursor) : null,
  };
  const rest = JSON.stringify({ columns, revisionId: String(snapshot.revision), pagination });
  return ['{"records":[', writer.out.finish(), `],${rest.slice(1)}`];
}

const ALL_ENTRIES = { from: 0, end: Number.POSITIVE_INFINITY };

/** Bytes of the response's other members; a header of long names needs more. */
const ENVELOPE_BYTES = 1_024;

/** Initial bytes of a page. */
const PAGE_BYTES = 16 * 1024;
/** Bytes after which lines are sent. */
const LINES_PIECE_BYTES = 8 * 1024;
const COMMA = 44;
const LINE_END = 10;

/** Cells written between two pauses: about a millisecond. */
const CELLS_PER_STEP = 2_048;
/** The cost of an entry beyond its cells, in cells. */
const ENTRY_COST = 4;

/** Writes the entries from `offset` to before `end`, as many as fit into the response. Returns their number. */
function* writePageEntries(
  { config }: ServiceContext,
  writer: EntryWriter,
  offset: number,
  end: number,
): Generator<void, number | Refusal> {
  const { out } = writer;
  const maxLength = config.limits.maxResponseBytes - ENVELOPE_BYTES;
  let cellsLeft = config.limits.maxResponseCells;
  let writtenCells = 0;
  let loaded = offset;
  for (let i = offset; i < end; i++) {
    const { length } = out;
    if (i === loaded) loaded = writer.loadEntries(i, end);
    if (i > offset) out.writeByte(COMMA);
    const steps = writer.writeEntry(i);
    if (steps !== null) yield* steps;
    writtenCells += writer.cells + ENTRY_COST;
    if (writtenCells > CELLS_PER_STEP) {
      writtenCells = 0;
      yield;
    }
    cellsLeft -= writer.cells;
    const isTooLong = out.length >= maxLength;
    if (isTooLong && i === offset) return RESPONSE_TOO_LARGE;
    if (isTooLong || (cellsLeft < 0 && i > offset)) {
      out.truncate(length);
      return i - offset;
    }
  }
  return Math.max(0, end - offset);
}

/** NDJSON lines of the records or groups. */
function* writeEntryLines(base: QueryBase, listed: QueryEntries): Iterable<string> {
  const { snapshot, offset, limit } = base;
  const writer = new EntryWriter(base, listed, new JsonWriter(new Uint8Array(PAGE_BYTES)));
  const { out } = writer;
  const { total } = listed;
  const end = limit === null ? total : Math.min(offset + limit, total);
  const takeText = (): string => {
    const text = Buffer.from(out.buffer.buffer, 0, out.length).toString();
    out.truncate(0);
    return text;
  };
  let loaded = offset;
  for (let i = offset; i < end; i++) {
    if (i === loaded) loaded = writer.loadEntries(i, end);
    for (const _ of writer.writeEntry(i) ?? []) yield takeText();
    out.writeByte(LINE_END);
    if (out.length >= LINES_PIECE_BYTES) yield takeText();
  }
  yield takeText();
  yield formatEndLine(Math.max(0, end - offset), snapshot.revision);
}
