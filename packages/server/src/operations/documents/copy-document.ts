import { Type } from 'typebox';
import { withAccessRetry } from '../../service/access-retry.ts';
import { prepareCopySource } from '../../service/document/copy.ts';
import { createDocumentFor } from '../../service/document/create.ts';
import { parseTitle } from '../../service/document/store-document.ts';
import { openTable } from '../../service/open-table.ts';
import { isRefusal, VALUES_HIDDEN } from '../../service/refusal.ts';
import { toDocumentAction } from '../call.ts';
import { defineChange } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { DocumentPath, defineOptionalBody } from '../schemas/requests.ts';
import { createDocumentView } from './document-json.ts';
import { FULL_DOCUMENT_EXAMPLE } from './examples.ts';
import { DocumentAnswer, Title } from './schemas.ts';

/**
 * The caller owns the copy, and its formulas have the caller's rights. Sheets keep their protection, so that users who
 * get a role in the copy see no more than in the original. The caller must see all sheets.
 */
export const copyDocument = defineChange({
  id: 'copyDocument',
  isKeyed: true,
  http: { method: 'POST', path: '/documents/{document}/copy' },
  requires: { scope: 'documents.write', createsDocument: true, feature: 'valueWrites' },
  tag: 'Documents',
  summary: 'Copy a document without its history and shares',
  description:
    'The caller owns the copy. It has the present cells, formats, names and tables, but no history, shares and subscriptions. Its formulas have the caller’s rights; its sheets stay protected. Answers 403 if the caller may not see all sheets.',
  params: DocumentPath,
  body: defineOptionalBody({ title: Type.Optional(Title) }),
  answers: { 200: DocumentAnswer, ...REFUSALS },
  example: {
    request: { title: 'Orders, a copy' },
    answer: { document: { ...FULL_DOCUMENT_EXAMPLE, title: 'Orders, a copy' } },
  },

  async run(call, { title: givenTitle }) {
    const { context } = call;
    const action = toDocumentAction(call);
    const signal = call.createAbortSignal();
    const title = givenTitle === undefined ? undefined : parseTitle(givenTitle);
    if (isRefusal(title)) return title;
    return withAccessRetry(context, action, async (access) => {
      const { documentId: id, hiddenSheets, caller, epoch } = access;
      const snapshot = await openTable(context, access);
      if (isRefusal(snapshot)) return snapshot;
      if (snapshot.sheets.some((sheet) => hiddenSheets.has(sheet.id))) return VALUES_HIDDEN;
      const source = await prepareCopySource(context, { id, snapshot, epoch, user: caller.userId, signal });
      if ('kind' in source) return source;
      const { settings, content, extraStatements } = source;
      const by = { by: access, keyed: action.keyed };
      return createDocumentFor(context, by, {
        settings: { ...settings, title: title ?? settings.title },
        content,
        show: createDocumentView(call),
        extraStatements,
      });
    });
  },
});
