import { jsonText } from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import { MAX_WARNINGS } from '../../limits/http.ts';
import type { ServiceContext } from '../context.ts';
import { findKeptBody, hashBody, type KeyScope } from '../idempotency.ts';
import { describeRefusal, invalidRequest, isFieldRefusal, isRefusal, type Refusal, toHttpAnswer } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import type { WriteRequest } from '../write-request.ts';
import type { BatchForm } from './change.ts';
import type { FieldWarning } from './field-warnings.ts';
import type { RecordMembers } from './parse-filter.ts';
import { StartColumns } from './record-fields.ts';
import type { SentRecords } from './sent-records.ts';

/** A change of records whose response has only counts. */
export type ChangeInBatches = (
  context: ServiceContext,
  request: WriteRequest,
  sent: RecordMembers,
  form: BatchForm,
  start: StartColumns,
) => Promise<WriteReply | Refusal>;

/** Consecutive records of a stream, and their size in bytes. */
interface RecordBatch {
  readonly records: SentRecords;
  readonly bytes: number;
}

interface RecordStream {
  readonly change: ChangeInBatches;
  /** Members of the request other than the records. */
  readonly options: RecordMembers;
  /** The number of the first batch in `batches`. Earlier batches were written under the same key. */
  readonly from: number;
  readonly batches: AsyncIterable<RecordBatch | Refusal>;
}

/**
 * Writes records in batches, each one commit, and yields a line of JSON text for each. The next batch is read when the
 * previous one is on disk. A refusal of the first batch is returned before any line; a later one ends the lines. With a
 * key, each batch is kept under the key and its number, so that a repeated stream, complete or from a batch on,
 * continues at its end. Numbers and sums count from the start of the stream.
 */
export async function* streamRecords(
  context: ServiceContext,
  request: WriteRequest,
  { change, options, from, batches }: RecordStream,
): AsyncGenerator<string | Refusal, void> {
  const before = await readProgressBefore(context, request, from);
  if (isRefusal(before)) return yield before;
  let batch = from - 1;
  let { records, revisionId } = before;
  const start = new StartColumns();
  const warnings = new StreamWarnings();
  for await (const part of batches) {
    batch++;
    const result = isRefusal(part)
      ? part
      : await changeBatch(context, request, { change, options, part, batch, records, start });
    if (isRefusal(result)) {
      const refusal = isRefusal(part) ? part : offsetRecordIndexes(result, records);
      return yield batch === from ? refusal : formatFailureLine(batch, refusal);
    }
    const { revisionId: at } = result.counts;
    revisionId = at;
    const reported = warnings.takeReplyMembers(result, records);
    records += isRefusal(part) ? 0 : part.records.count;
    yield formatLine({
      batch,
      [result.name]: result.counts,
      ...reported,
      ...(result.replayed ? { replayed: true } : {}),
    });
  }
  if (batch === 0) return yield invalidRequest('records', 'The stream holds no records');
  yield formatLine({ end: true, records, batches: batch, revisionId });
}

interface StreamProgress {
  readonly records: number;
  readonly revisionId: unknown;
}

const NO_PROGRESS: StreamProgress = { records: 0, revisionId: null };

/** The totals of the batches before `from`; a refusal if they are not kept under the request's key. */
async function readProgressBefore(
  context: ServiceContext,
  { keyed }: WriteRequest,
  from: number,
): Promise<StreamProgress | Refusal> {
  if (from === 1) return NO_PROGRESS;
  if (keyed === null) return invalidRequest('from', 'from needs the Idempotency-Key that the stream began with');
  // Batches are kept in order: if the last one exists, the earlier ones exist too.
  const body = await findKeptBody(context, createBatchScope(keyed.scope, from - 1));
  const [counts] = body === null ? [] : (Object.values(JSON.parse(body)) as Record<string, unknown>[]);
  const { streamed, revisionId } = counts ?? {};
  if (typeof streamed === 'number') return { records: streamed, revisionId };
  return invalidRequest(
    'from',
    `from: batch ${from - 1} is not kept under this key; send the stream from its beginning`,
  );
}

/** The scope of the idempotency key for one batch of an upload. */
function createBatchScope(scope: KeyScope, batch: number): KeyScope {
  return { ...scope, path: `${scope.path} batch ${batch}` };
}

interface StreamBatch {
  readonly change: ChangeInBatches;
  readonly options: RecordMembers;
  readonly part: RecordBatch;
  readonly batch: number;
  /** Number of records in earlier batches. */
  readonly records: number;
  readonly start: StartColumns;
}

/** A warning about a field or a cell. */
type BatchWarning = FieldWarning | { readonly cell: string; readonly message: string };

/** The warnings of a stream: each in the line of its batch, with record numbers from the start of the stream. */
class StreamWarnings {
  private left = MAX_WARNINGS;

  /** The batch's warnings for its reply, as far as the upload's limit allows, numbered within the whole upload. */
  takeReplyMembers({ warnings, isTruncated }: StreamBatchResult, precedingRecords: number): object {
    const reported = warnings.slice(0, this.left);
    this.left -= reported.length;
    const placed = reported.map((one) => ('record' in one ? { ...one, record: one.record + precedingRecords } : one));
    const isCut = isTruncated || reported.length < warnings.length;
    return { ...(reported.length > 0 ? { warnings: placed } : {}), ...(isCut ? { warningsTruncated: true } : {}) };
  }
}

interface StreamBatchResult {
  readonly name: string;
  readonly counts: Readonly<Record<string, unknown>>;
  readonly warnings: readonly BatchWarning[];
  readonly isTruncated: boolean;
  readonly replayed: boolean;
}

/** Commits one batch of an upload. */
async function changeBatch(
  context: ServiceContext,
  request: WriteRequest,
  { change, options, part, batch, records, start }: StreamBatch,
): Promise<StreamBatchResult | Refusal> {
  const sent = { ...options, records: part.records };
  const keyed = await toKeyedBatch(request, sent, batch);
  // Preconditions of the request apply before the stream's first commit only.
  const conditions = batch === 1 ? {} : { preconditions: null, ifRevision: null, expected: [] };
  const form = { recordsBefore: records };
  const reply = await change(context, { ...request, ...conditions, keyed, bodyBytes: part.bytes }, sent, form, start);
  if (isRefusal(reply)) return reply;
  const { warnings = [], warningsTruncated = false, ...rest } = JSON.parse(reply.body) as BatchReply;
  const [[name, counts] = ['', {}]] = Object.entries(rest as Record<string, Record<string, unknown>>);
  const { sheet: _sheet, streamed: _streamed, ...others } = counts;
  return { name, counts: others, warnings, isTruncated: warningsTruncated, replayed: reply.replayed };
}

/** The response to one batch: the member of its kind, and warnings. */
interface BatchReply {
  readonly warnings?: readonly BatchWarning[];
  readonly warningsTruncated?: boolean;
}

/** The key and hash that make the repetition of a batch safe; null if the upload has no key. */
async function toKeyedBatch(
  { keyed }: WriteRequest,
  body: RecordMembers,
  batch: number,
): Promise<WriteRequest['keyed']> {
  if (keyed === null) return null;
  const hash = await runInSlices(hashBody(body));
  return { scope: createBatchScope(keyed.scope, batch), bodyHash: hash };
}

const PLACE = /\brecords\.(\d+)/g;

/** Adjusts the record indexes of a refusal to the whole stream. */
function offsetRecordIndexes(refusal: Refusal, precedingRecords: number): Refusal {
  if (!isFieldRefusal(refusal)) return refusal;
  const offsetRecord = (text: string) =>
    text.replace(PLACE, (_, at: string) => `records.${Number(at) + precedingRecords}`);
  return { ...refusal, field: offsetRecord(refusal.field), message: offsetRecord(refusal.message) };
}

/** The NDJSON line that reports why a batch was refused. */
function formatFailureLine(batch: number, refusal: Refusal): string {
  return formatLine({ batch, status: toHttpAnswer(refusal).status, message: describeRefusal(refusal) });
}

function formatLine(value: object): string {
  return `${jsonText(value)}\n`;
}
