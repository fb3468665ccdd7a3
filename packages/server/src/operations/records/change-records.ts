import type { Static } from 'typebox';
import { MAX_RECORDS } from '../../limits/records.ts';
import { type ChangeInBatches, streamRecords } from '../../service/records/stream-records.ts';
import { CONSENT_NEEDED, invalidRequest, isRefusal, type Refusal } from '../../service/refusal.ts';
import type { WriteReply } from '../../service/reply.ts';
import type { OperationAnswer } from '../answer.ts';
import { type Call, type RecordLines, toWriteRequest } from '../call.ts';
import type { StreamQuery } from '../schemas/records.ts';
import { WriteQuery } from '../schemas/requests.ts';
import { type JsonMembers, parseQueryMembers } from './json-members.ts';

/** A use case that changes records from one JSON body or from NDJSON. */
type RecordChangeUseCase = ChangeInBatches &
  ((
    context: Call['context'],
    write: ReturnType<typeof toWriteRequest>,
    sent: JsonMembers,
  ) => Promise<WriteReply | Refusal>);

/** Parameters that contain JSON texts. */
const JSON_OPTIONS = ['columns', 'types'];

/** Writes records from a JSON body or from NDJSON. */
export async function changeRecords(
  call: Call,
  change: RecordChangeUseCase,
  body: JsonMembers,
): Promise<OperationAnswer | Refusal> {
  if (call.lines !== null) return changeByLines(call, change, call.lines);
  return refuseLineParameters(call.query) ?? change(call.context, toWriteRequest(call), body);
}

/** Refuses query parameters that are only for NDJSON bodies. A JSON body has members for them. */
function refuseLineParameters(query: JsonMembers): Refusal | null {
  const name = Object.keys(query).find((parameter) => !Object.hasOwn(WriteQuery.properties, parameter));
  return name === undefined
    ? null
    : invalidRequest(name, `${name} goes with a body of lines; send it in the JSON body`);
}

/** Writes lines while they arrive and answers for each batch. A refusal before the first commit is the whole answer. */
async function changeByLines(
  call: Call,
  change: ChangeInBatches,
  records: RecordLines,
): Promise<OperationAnswer | Refusal> {
  if (call.conditions.dryRun) return invalidRequest('dryRun', 'Lines of records cannot be tried out');
  if (call.caller.proposes) return CONSENT_NEEDED;
  if (call.conditions.propose !== null) return invalidRequest('propose', 'Lines of records cannot be proposed');
  const { batch, from = 1, ...sent } = call.query as Static<typeof StreamQuery>;
  const own = Object.entries(sent).filter(([name]) => !Object.hasOwn(WriteQuery.properties, name));
  const options = parseQueryMembers(Object.fromEntries(own), JSON_OPTIONS);
  if (isRefusal(options)) return options;
  const bounds = { lines: batch ?? MAX_RECORDS + 1, bytes: call.context.config.limits.maxBodyBytes };
  const batches = records.readBatches(bounds);
  const lines = streamRecords(call.context, toWriteRequest(call), { change, options, from, batches });
  const first = (await lines.next()).value ?? '';
  return typeof first === 'string' ? { kind: 'batchLines', lines: prependPiece(first, lines) } : first;
}

/** The first line, then the others. A refusal after the first line ends nothing and is left out. */
async function* prependPiece(first: string, others: AsyncIterable<string | Refusal>): AsyncGenerator<string> {
  yield first;
  for await (const line of others) if (typeof line === 'string') yield line;
}
