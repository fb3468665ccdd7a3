import type { Needs } from '../access/gate.ts';
import type { InputLocale } from '../access/input-locale.ts';
import type { ServiceContext } from '../service/context.ts';
import type { InputOptions } from '../service/inputs.ts';
import type { Refusal } from '../service/refusal.ts';
import type { Reply } from '../service/reply.ts';
import type { WriteRequest } from '../service/write.ts';
import { appendValues, putValues } from '../service/write-values.ts';
import type { AppendBody, PutBody } from './schemas.ts';

/** What writes of values need. */
export const WRITES: Needs = { scope: 'sheets.write', feature: 'valueWrites', writes: true };

/** Below a document's own address. */
export const VALUES = '/documents/:document/values';
export const PUT_ADDRESS = `${VALUES}/:range`;
export const APPEND_ADDRESS = `${VALUES}/append`;
/** Last segments that are no range (decisions §1.2). */
export const RESERVED = ['batchGet', 'batchUpdate', 'append', 'clear'] as const;

/** `PUT …/values/{range}` by its body. */
export function putBlock(
  context: ServiceContext,
  write: WriteRequest,
  range: string,
  body: PutBody,
): Promise<Reply | Refusal> {
  return putValues(context, write, { range, values: body.values }, inputOptions(body));
}

/** `POST …/values/append` by its body. */
export function appendBlock(context: ServiceContext, write: WriteRequest, body: AppendBody): Promise<Reply | Refusal> {
  return appendValues(context, write, body, inputOptions(body));
}

/** How a body says that its values are to be read. */
export function inputOptions({
  valueInputOption = 'USER_ENTERED',
  majorDimension = 'ROWS',
  inputLocale,
}: {
  readonly valueInputOption?: 'RAW' | 'USER_ENTERED' | undefined;
  readonly majorDimension?: 'ROWS' | 'COLUMNS' | undefined;
  readonly inputLocale?: InputLocale | undefined;
}): InputOptions {
  return { mode: valueInputOption === 'RAW' ? 'raw' : 'user', major: majorDimension, inputLocale: inputLocale ?? null };
}
