import { getDocument } from '../../service/document/list-documents.ts';
import {
  type GoogleMethod,
  readSnapshot,
  requireCallDocument,
  requireRequestBody,
  requireSuccess,
  WRITES,
} from '../call.ts';
import { compileMask, type FieldMask, findMemberMask, selectMembers } from '../field-mask.ts';
import { readFlag, readList } from '../json.ts';
import { writeSpreadsheet } from '../sheets/get.ts';
import { readEditorEmails } from '../sheets/protected-ranges.ts';
import { resolveA1 } from '../sheets/resolve.ts';
import { applyBatch } from './apply.ts';

const MEMBERS = ['requests', 'includeSpreadsheetInResponse', 'responseRanges', 'responseIncludeGridData'];

/** POST `spreadsheets/{id}:batchUpdate`. */
export const batchUpdate: GoogleMethod = {
  requires: WRITES,
  writes: true,
  async run(call) {
    const body = requireRequestBody(call, MEMBERS);
    const includes = readFlag(body, 'includeSpreadsheetInResponse', '') ?? false;
    const withData = readFlag(body, 'responseIncludeGridData', '') ?? false;
    const ranges = (readList(body, 'responseRanges', '') ?? []).map(String);
    const mask = compileMask(call.query.get('fields') || '*');
    const replies = await applyBatch(call, readList(body, 'requests', '') ?? []);
    const { documentId } = requireCallDocument(call);
    const head = writeReplies(documentId, replies, mask);
    const spreadsheetMask = includes ? findMemberMask(mask, 'updatedSpreadsheet') : undefined;
    if (spreadsheetMask === undefined) return { kind: 'pieces', pieces: closeObject(head) };
    const snapshot = await readSnapshot(call);
    const { document } = requireSuccess(await getDocument(call.context, requireCallDocument(call)));
    const places = ranges.map((range) => resolveA1(snapshot, range));
    const emails = await readEditorEmails(call.context, requireCallDocument(call), snapshot);
    const source = { snapshot, title: document.title, access: requireCallDocument(call), origin: call.origin, emails };
    const request = { mask: spreadsheetMask, places: places.length === 0 ? null : () => places, withData };
    return { kind: 'pieces', pieces: answerWithSpreadsheet(head, writeSpreadsheet(source, request)) };
  },
};

/** The answer as JSON text without its last brace. */
function* writeReplies(spreadsheetId: string, replies: Iterable<object>, mask: FieldMask): Generator<string> {
  const hasId = findMemberMask(mask, 'spreadsheetId') !== undefined;
  yield hasId ? `{"spreadsheetId":${JSON.stringify(spreadsheetId)}` : '{';
  const replyMask = findMemberMask(mask, 'replies');
  if (replyMask === undefined) return;
  yield hasId ? ',"replies":[' : '"replies":[';
  let comma = '';
  for (const reply of replies) {
    yield comma + JSON.stringify(selectMembers(reply, replyMask));
    comma = ',';
  }
  yield ']';
}

/** The text of an open JSON object, followed by its closing brace. */
function* closeObject(head: Iterable<string>): Generator<string> {
  yield* head;
  yield '}';
}

/** The text of an open JSON object with the member `updatedSpreadsheet` added, and its closing brace. */
function* answerWithSpreadsheet(head: Iterable<string>, spreadsheet: Iterable<string>): Generator<string> {
  let isEmpty = true;
  for (const piece of head) {
    isEmpty &&= piece === '{';
    yield piece;
  }
  yield isEmpty ? '"updatedSpreadsheet":' : ',"updatedSpreadsheet":';
  yield* spreadsheet;
  yield '}';
}
