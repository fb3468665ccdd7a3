import { Type } from 'typebox';
import { ROLES } from '../../access/roles.ts';
import { MAX_CURSOR_LENGTH } from '../../limits/records.ts';
import { MAX_SENT_NAME_LENGTH } from '../../limits/requests.ts';
import {
  type DocumentList,
  listDocuments as listAll,
  readDocumentPage,
} from '../../service/document/list-documents.ts';
import { isRefusal } from '../../service/refusal.ts';
import { formatDocumentTag, includesTag } from '../../service/tags.ts';
import type { AnswerContent, TaggedAnswer } from '../answer.ts';
import { defineRead } from '../operation.ts';
import { ANSWERS, REFUSALS } from '../schemas/answers.ts';
import { defineChoice, defineCount, defineQuery } from '../schemas/requests.ts';
import { DOCUMENT_EXAMPLE } from './examples.ts';
import { Document } from './schemas.ts';

/** Takes the place of the commit id in ETags that cover many documents. */
const NO_COMMIT = '00000000-0000-0000-0000-000000000000';

const Documents = Type.Object({
  documents: Type.Array(Document),
  nextCursor: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: '`cursor` of the next page; null: this is the last page.',
    }),
  ),
});

export const listDocuments = defineRead({
  id: 'listDocuments',
  http: { method: 'GET', path: '/documents' },
  requires: { scope: 'sheets.read' },
  tag: 'Documents',
  summary: 'List all documents that the caller can open',
  description:
    'All documents that the caller’s user may open, the last changed first. For a token that is limited to documents, only these. `permission=edit` finds documents that the caller can write.',
  query: defineQuery({
    type: Type.Optional(Type.String({ maxLength: MAX_SENT_NAME_LENGTH, description: 'E.g. `table`.' })),
    permission: Type.Optional(
      defineChoice(ROLES, 'The caller’s role; `edit` includes documents that the caller owns.'),
    ),
    limit: Type.Optional(
      defineCount(1, 'Documents per page, capped at 1000. Without `limit` and `cursor` all documents are listed.'),
    ),
    cursor: Type.Optional(
      Type.String({ maxLength: MAX_CURSOR_LENGTH, description: '`nextCursor` of the previous page.' }),
    ),
  }),
  answers: { 200: Documents, 304: ANSWERS.unchanged, ...REFUSALS },
  example: { answer: { documents: [DOCUMENT_EXAMPLE] } },

  async run({ context, caller, ifNoneMatch }, input) {
    const { type, permission, limit, cursor } = input;
    const list = async () => {
      const moment = await context.listHashes.readCurrentVersion(caller);
      const documentList = await listAll(context, caller, input);
      if (moment !== null)
        context.listHashes.cacheList(caller, { type, permission }, { hash: documentList.hash, moment });
      return documentList;
    };
    if (limit !== undefined || cursor !== undefined) {
      const page = await readDocumentPage(context, caller, input);
      return isRefusal(page) ? page : toTaggedAnswer(page);
    }
    const hash = ifNoneMatch === null ? null : await context.listHashes.findUnchangedHash(caller, { type, permission });
    const tag = hash === null ? null : formatDocumentTag(NO_COMMIT, hash);
    if (tag === null || !includesTag(ifNoneMatch ?? undefined, tag)) return toTaggedAnswer(await list());
    return { kind: 'tagged', tag, content: async () => toListContent(await list()) };
  },
});

/** The list as an answer whose tag is the hash of its content. */
function toTaggedAnswer(list: DocumentList): TaggedAnswer {
  return { kind: 'tagged', tag: formatDocumentTag(NO_COMMIT, list.hash), content: () => toListContent(list) };
}

function toListContent({ pieces }: DocumentList): AnswerContent {
  return { kind: 'parts', parts: pieces };
}
