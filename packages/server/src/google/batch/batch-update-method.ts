import { getDocument } from '../../service/document/list-documents.ts';
import {
  type GoogleMethod,
  readSnapshot,
  requireBodyObject,
  requireCallDocument,
  requireSuccess,
  WRITES,
} from '../call.ts';
import { compileMask } from '../field-mask.ts';
import { readFlag, readList, refuseUnknown } from '../json.ts';
import { parseSheetsRequest, writeSpreadsheet } from '../sheets/get.ts';
import { readEditorEmails } from '../sheets/protected-ranges.ts';
import { resolveA1 } from '../sheets/resolve.ts';
import { applyBatch } from './apply.ts';

const MEMBERS = ['requests', 'includeSpreadsheetInResponse', 'responseRanges', 'responseIncludeGridData'];

/** POST `spreadsheets/{id}:batchUpdate`. */
export const batchUpdate: GoogleMethod = {
  requires: WRITES,
  writes: true,
  async run(call) {
    const body = requireBodyObject(call);
    refuseUnknown(body, MEMBERS, '');
    const includes = readFlag(body, 'includeSpreadsheetInResponse', '') ?? false;
    const withData = readFlag(body, 'responseIncludeGridData', '') ?? false;
    const ranges = (readList(body, 'responseRanges', '') ?? []).map(String);
    const fields = call.query.get('fields');
    if (fields !== null) compileMask(fields);
    const replies = await applyBatch(call, readList(body, 'requests', '') ?? []);
    const { documentId } = requireCallDocument(call);
    const head = writeReplies(documentId, replies);
    if (!includes) return { kind: 'pieces', pieces: closeObject(head) };
    const snapshot = await readSnapshot(call);
    const { document } = requireSuccess(await getDocument(call.context, requireCallDocument(call)));
    const places = ranges.map((range) => resolveA1(snapshot, range));
    const emails = await readEditorEmails(call.context, requireCallDocument(call), snapshot);
    const source = { snapshot, title: document.title, access: requireCallDocument(call), origin: call.origin, emails };
    const request = parseSheetsRequest(null, withData, places.length === 0 ? null : () => places);
    return { kind: 'pieces', pieces: answerWithSpreadsheet(head, writeSpreadsheet(source, request)) };
  },
};

/** The answer as JSON text without its last brace. */
function* writeReplies(spreadsheetId: string, replies: Iterable<object>): Generator<string> {
  yield `{"spreadsheetId":${JSON.stringify(spreadsheetId)},"replies":[`;
  let comma = '';
  for (const reply of replies) {
    yield comma + JSON.stringify(reply);
    comma = ',';
  }
  yield ']';
}

function* closeObject(head: Iterable<string>): Generator<string> {
  yield* head;
  yield '}';
}

function* answerWithSpreadsheet(head: Iterable<string>, spreadsheet: Iterable<string>): Generator<string> {
  yield* head;
  yield ',"updatedSpreadsheet":';
  yield* spreadsheet;
  yield '}';
}
