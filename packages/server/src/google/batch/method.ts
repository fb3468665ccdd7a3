import { getDocument } from '../../service/document/list-documents.ts';
import { bodyOf, documentOf, type GoogleMethod, requireSuccess, snapshotOf, WRITES } from '../call.ts';
import { compileMask } from '../field-mask.ts';
import { flag, list, refuseUnknown } from '../json.ts';
import { requestOf, spreadsheetPieces } from '../sheets/get.ts';
import { editorEmails } from '../sheets/protected.ts';
import { resolveA1 } from '../sheets/resolve.ts';
import { batchOf } from './apply.ts';

const MEMBERS = ['requests', 'includeSpreadsheetInResponse', 'responseRanges', 'responseIncludeGridData'];

/** POST `spreadsheets/{id}:batchUpdate`. */
export const batchUpdate: GoogleMethod = {
  requires: WRITES,
  writes: true,
  async run(call) {
    const body = bodyOf(call);
    refuseUnknown(body, MEMBERS, '');
    const includes = flag(body, 'includeSpreadsheetInResponse', '') ?? false;
    const withData = flag(body, 'responseIncludeGridData', '') ?? false;
    const ranges = (list(body, 'responseRanges', '') ?? []).map(String);
    const fields = call.query.get('fields');
    if (fields !== null) compileMask(fields);
    const replies = await batchOf(call, list(body, 'requests', '') ?? []);
    const { documentId } = documentOf(call);
    const head = JSON.stringify({ spreadsheetId: documentId, replies });
    if (!includes) return { kind: 'text', text: head };
    const snapshot = await snapshotOf(call);
    const { document } = requireSuccess(await getDocument(call.context, documentOf(call)));
    const places = ranges.map((range) => resolveA1(snapshot, range));
    const emails = await editorEmails(call.context, documentOf(call), snapshot);
    const source = { snapshot, title: document.title, access: documentOf(call), origin: call.origin, emails };
    const request = requestOf(null, withData, places.length === 0 ? null : () => places);
    return { kind: 'pieces', pieces: answer(head, spreadsheetPieces(source, request)) };
  },
};

function* answer(head: string, spreadsheet: Generator<string>): Generator<string> {
  yield `${head.slice(0, -1)},"updatedSpreadsheet":`;
  yield* spreadsheet;
  yield '}';
}
