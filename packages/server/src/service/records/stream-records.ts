import { inSlices } from '../../event-loop/slices.ts';
import type { ServiceContext } from '../context.ts';
import { bodyHash } from '../idempotency.ts';
import { answerTo, invalidRequest, isFieldRefusal, isRefusal, type Refusal, refusalText } from '../refusal.ts';
import type { Reply } from '../reply.ts';
import type { WriteRequest } from '../write.ts';
import type { Members } from './parse-filter.ts';

/** A change of records that answers with counts alone. */
export type ChangeInBatches = (
  context: ServiceContext,
  request: WriteRequest,
  sent: Members,
  form: 'counts',
) => Promise<Reply | Refusal>;

/** Records that came one after another, and the bytes that they came in. */
export interface RecordBatch {
  readonly values: readonly unknown[];
  readonly bytes: number;
}

interface Streamed {
  readonly change: ChangeInBatches;
  /** What is said beside the records. */
  readonly options: Members;
  readonly batches: AsyncIterable<RecordBatch | Refusal>;
}

/**
 * Writes records batch by batch, each one commit, and tells what became of each in a line of JSON text: the next is taken
 * when that one is on the disk. The first batch's refusal is given as such, before any line; a later one ends the lines.
 * With a key each batch is kept under it with its number, so that a stream that is sent again goes on where it ended.
 */
export async function* streamRecords(
  context: ServiceContext,
  request: WriteRequest,
  { change, options, batches }: Streamed,
): AsyncGenerator<string | Refusal, void> {
  let batch = 0;
  let records = 0;
  let revisionId: unknown = null;
  for await (const part of batches) {
    batch++;
    const made = isRefusal(part) ? part : await changeBatch(context, request, { change, options, part, batch });
    if (isRefusal(made)) {
      const refusal = isRefusal(part) ? part : placed(made, records);
      return yield batch === 1 ? refusal : failureLine(batch, refusal);
    }
    const { revisionId: at } = made.counts;
    revisionId = at;
    records += isRefusal(part) ? 0 : part.values.length;
    yield line({ batch, [made.name]: made.counts, ...(made.replayed ? { replayed: true } : {}) });
  }
  if (batch === 0) return yield invalidRequest('records', 'The stream holds no records');
  yield line({ end: true, records, batches: batch, revisionId });
}

interface Batch {
  readonly change: ChangeInBatches;
  readonly options: Members;
  readonly part: RecordBatch;
  readonly batch: number;
}

interface Made {
  readonly name: string;
  readonly counts: Readonly<Record<string, unknown>>;
  readonly replayed: boolean;
}

async function changeBatch(
  context: ServiceContext,
  request: WriteRequest,
  { change, options, part, batch }: Batch,
): Promise<Made | Refusal> {
  const sent = { ...options, records: part.values };
  const keyed = await keyedBatch(request, sent, batch);
  if (isRefusal(keyed)) return keyed;
  // What the request asks of the document's state is asked before the stream's own first commit.
  const asked = batch === 1 ? {} : { preconditions: null, ifRevision: null, expected: [] };
  const reply = await change(context, { ...request, ...asked, keyed, bodyBytes: part.bytes }, sent, 'counts');
  if (isRefusal(reply)) return reply;
  const [[name, counts] = ['', {}]] = Object.entries(JSON.parse(reply.body) as Record<string, Record<string, unknown>>);
  const { sheet: _sheet, ...others } = counts;
  return { name, counts: others, replayed: reply.replayed };
}

async function keyedBatch(
  { keyed }: WriteRequest,
  sent: Members,
  batch: number,
): Promise<WriteRequest['keyed'] | Refusal> {
  if (keyed === null) return null;
  const hash = await inSlices(bodyHash(sent));
  if (hash === null) return invalidRequest('records', 'A record is nested too deeply');
  return { scope: { ...keyed.scope, path: `${keyed.scope.path} batch ${batch}` }, bodyHash: hash };
}

const PLACE = /\brecords\.(\d+)/g;

/** A refusal that names records by their places in the stream. */
function placed(refusal: Refusal, before: number): Refusal {
  if (!isFieldRefusal(refusal)) return refusal;
  const place = (text: string) => text.replace(PLACE, (_, at: string) => `records.${Number(at) + before}`);
  return { ...refusal, field: place(refusal.field), message: place(refusal.message) };
}

function failureLine(batch: number, refusal: Refusal): string {
  return line({ batch, status: answerTo(refusal).status, message: refusalText(refusal) });
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
