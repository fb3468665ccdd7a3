import { jsonText } from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import { MAX_WARNINGS } from '../../limits/http.ts';
import type { ServiceContext } from '../context.ts';
import { bodyHash, findKeptBody, type KeyScope } from '../idempotency.ts';
import { answerFor, invalidRequest, isFieldRefusal, isRefusal, type Refusal, refusalText } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import type { WriteRequest } from '../write-request.ts';
import type { BatchForm } from './change.ts';
import type { FieldWarning } from './field-warnings.ts';
import type { JsonMembers } from './parse-filter.ts';
import { StartColumns } from './record-fields.ts';

/** A change of records that answers with counts alone. */
export type ChangeInBatches = (
  context: ServiceContext,
  request: WriteRequest,
  sent: JsonMembers,
  form: BatchForm,
  start: StartColumns,
) => Promise<WriteReply | Refusal>;

/** Records that came one after another, and the bytes that they came in. */
interface RecordBatch {
  readonly values: readonly unknown[];
  readonly bytes: number;
}

interface RecordStream {
  readonly change: ChangeInBatches;
  /** What is said beside the records. */
  readonly options: JsonMembers;
  /** The number of the first batch in `batches`. Those before it were written under the same key. */
  readonly from: number;
  readonly batches: AsyncIterable<RecordBatch | Refusal>;
}

/**
 * Writes records batch by batch, each one commit, and tells what became of each in a line of JSON text: the next is taken
 * when that one is on the disk. The first batch's refusal is given as such, before any line; a later one ends the lines.
 * With a key each batch is kept under it with its number, so that a stream that is sent again, whole or from a batch on,
 * goes on where it ended. Numbers and sums count from the stream's beginning.
 */
export async function* streamRecords(
  context: ServiceContext,
  request: WriteRequest,
  { change, options, from, batches }: RecordStream,
): AsyncGenerator<string | Refusal, void> {
  const before = await progressBefore(context, request, from);
  if (isRefusal(before)) return yield before;
  let batch = from - 1;
  let { records, revisionId } = before;
  const start = new StartColumns();
  const warnings = new StreamWarnings();
  for await (const part of batches) {
    batch++;
    const made = isRefusal(part)
      ? part
      : await changeBatch(context, request, { change, options, part, batch, records, start });
    if (isRefusal(made)) {
      const refusal = isRefusal(part) ? part : refusalAtRecord(made, records);
      return yield batch === from ? refusal : failureLine(batch, refusal);
    }
    const { revisionId: at } = made.counts;
    revisionId = at;
    const told = warnings.of(made, records);
    records += isRefusal(part) ? 0 : part.values.length;
    yield line({ batch, [made.name]: made.counts, ...told, ...(made.replayed ? { replayed: true } : {}) });
  }
  if (batch === 0) return yield invalidRequest('records', 'The stream holds no records');
  yield line({ end: true, records, batches: batch, revisionId });
}

interface StreamProgress {
  readonly records: number;
  readonly revisionId: unknown;
}

const NO_PROGRESS: StreamProgress = { records: 0, revisionId: null };

/** What the batches before `from` came to; a refusal if they are not kept under the request's key. */
async function progressBefore(
  context: ServiceContext,
  { keyed }: WriteRequest,
  from: number,
): Promise<StreamProgress | Refusal> {
  if (from === 1) return NO_PROGRESS;
  if (keyed === null) return invalidRequest('from', 'from needs the Idempotency-Key that the stream began with');
  // Batches are kept in their order: those before the last are there as well.
  const body = await findKeptBody(context, batchScope(keyed.scope, from - 1));
  const [counts] = body === null ? [] : (Object.values(JSON.parse(body)) as Record<string, unknown>[]);
  const { streamed, revisionId } = counts ?? {};
  if (typeof streamed === 'number') return { records: streamed, revisionId };
  return invalidRequest(
    'from',
    `from: batch ${from - 1} is not kept under this key; send the stream from its beginning`,
  );
}

function batchScope(scope: KeyScope, batch: number): KeyScope {
  return { ...scope, path: `${scope.path} batch ${batch}` };
}

interface StreamBatch {
  readonly change: ChangeInBatches;
  readonly options: JsonMembers;
  readonly part: RecordBatch;
  readonly batch: number;
  /** Records of the batches before. */
  readonly records: number;
  readonly start: StartColumns;
}

/** A warning of a field, or of a cell. */
type BatchWarning = FieldWarning | { readonly cell: string; readonly message: string };

/** The warnings of a stream: each in its batch's line, its record counted from the stream's first. */
class StreamWarnings {
  private left = MAX_WARNINGS;

  of({ warnings, isTruncated }: BatchResult, before: number): object {
    const told = warnings.slice(0, this.left);
    this.left -= told.length;
    const placed = told.map((one) => ('record' in one ? { ...one, record: one.record + before } : one));
    const isCut = isTruncated || told.length < warnings.length;
    return { ...(told.length > 0 ? { warnings: placed } : {}), ...(isCut ? { warningsTruncated: true } : {}) };
  }
}

interface BatchResult {
  readonly name: string;
  readonly counts: Readonly<Record<string, unknown>>;
  readonly warnings: readonly BatchWarning[];
  readonly isTruncated: boolean;
  readonly replayed: boolean;
}

async function changeBatch(
  context: ServiceContext,
  request: WriteRequest,
  { change, options, part, batch, records, start }: StreamBatch,
): Promise<BatchResult | Refusal> {
  const sent = { ...options, records: part.values };
  const keyed = await keyedBatch(request, sent, batch);
  if (isRefusal(keyed)) return keyed;
  // What the request asks of the document's state is asked before the stream's own first commit.
  const asked = batch === 1 ? {} : { preconditions: null, ifRevision: null, expected: [] };
  const form = { recordsBefore: records };
  const reply = await change(context, { ...request, ...asked, keyed, bodyBytes: part.bytes }, sent, form, start);
  if (isRefusal(reply)) return reply;
  const { warnings = [], warningsTruncated = false, ...rest } = JSON.parse(reply.body) as BatchReply;
  const [[name, counts] = ['', {}]] = Object.entries(rest as Record<string, Record<string, unknown>>);
  const { sheet: _sheet, streamed: _streamed, ...others } = counts;
  return { name, counts: others, warnings, isTruncated: warningsTruncated, replayed: reply.replayed };
}

/** The answer to one batch: the member of its kind, and warnings. */
interface BatchReply {
  readonly warnings?: readonly BatchWarning[];
  readonly warningsTruncated?: boolean;
}

async function keyedBatch(
  { keyed }: WriteRequest,
  sent: JsonMembers,
  batch: number,
): Promise<WriteRequest['keyed'] | Refusal> {
  if (keyed === null) return null;
  const hash = await runInSlices(bodyHash(sent));
  if (hash === null) return invalidRequest('records', 'A record is nested too deeply');
  return { scope: batchScope(keyed.scope, batch), bodyHash: hash };
}

const PLACE = /\brecords\.(\d+)/g;

/** A refusal that names records by their places in the stream. */
function refusalAtRecord(refusal: Refusal, before: number): Refusal {
  if (!isFieldRefusal(refusal)) return refusal;
  const place = (text: string) => text.replace(PLACE, (_, at: string) => `records.${Number(at) + before}`);
  return { ...refusal, field: place(refusal.field), message: place(refusal.message) };
}

function failureLine(batch: number, refusal: Refusal): string {
  return line({ batch, status: answerFor(refusal).status, message: refusalText(refusal) });
}

function line(value: object): string {
  return `${jsonText(value)}\n`;
}
