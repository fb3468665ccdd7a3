import { MAX_DRIVE_PAGE } from '../../limits/google.ts';
import { MAX_NAME_LENGTH } from '../../limits/http.ts';
import { copyDocument } from '../../operations/documents/copy-document.ts';
import { deleteDocument } from '../../operations/documents/delete-document.ts';
import { renameDocument } from '../../operations/documents/rename-document.ts';
import { findCallerUser } from '../../service/accounts/members.ts';
import { type DocumentView, getDocument, listDocuments } from '../../service/document/list-documents.ts';
import {
  type GoogleCall,
  type GoogleMethod,
  READS,
  requireBodyObject,
  requireCallDocument,
  requireSuccess,
  toJsonAnswer,
} from '../call.ts';
import { compileMask, selectMembers } from '../field-mask.ts';
import { readFlag, readText } from '../json.ts';
import { runOperation } from '../operation-call.ts';
import { FORBIDDEN, invalidProblem, Problem } from '../problem.ts';
import { createSpreadsheetDocument } from '../sheets/create.ts';
import { describeFile, type FileViewer, SPREADSHEET_TYPE, selectFileMembers } from './file.ts';
import { DriveProblem } from './problem.ts';
import { compileQuery, type SearchedFile } from './query.ts';

export async function findFileViewer({ context, caller, origin }: GoogleCall): Promise<FileViewer> {
  const { email, name } = await findCallerUser(context, caller);
  return { email, name, origin };
}

async function readOwnFile(call: GoogleCall): Promise<Readonly<Record<string, unknown>>> {
  const { document } = requireSuccess(await getDocument(call.context, requireCallDocument(call)));
  return describeFile(document, await findFileViewer(call));
}

export const getFile: GoogleMethod = {
  requires: READS,
  writes: false,
  run: async (call) => toJsonAnswer(selectFileMembers(await readOwnFile(call), call.query.get('fields'))),
};

export const listFiles: GoogleMethod = {
  requires: READS,
  writes: false,
  async run(call) {
    const { query, context, caller } = call;
    const condition = compileQuery(query.get('q') ?? '');
    const { pieces } = await listDocuments(context, caller, { type: 'table' });
    const { documents } = JSON.parse(pieces.join('')) as { readonly documents: readonly DocumentView[] };
    const viewer = await findFileViewer(call);
    const files = documents
      .map((document) => describeFile(document, viewer))
      .filter((file) => condition({ ...(file as unknown as SearchedFile), owners: listOwnerEmails(file, viewer) }));
    const ordered = sortFiles(files, query.get('orderBy'));
    const from = decodePageToken(query.get('pageToken'));
    const size = parsePageSize(query.get('pageSize'));
    const page = ordered.slice(from, from + size);
    const next = from + size < ordered.length ? { nextPageToken: encodePageToken(from + size) } : {};
    const fields = query.get('fields');
    const answer = { kind: 'drive#fileList', ...next, incompleteSearch: false, files: page };
    const mask =
      fields === null || fields === '' ? 'kind,nextPageToken,incompleteSearch,files(kind,id,name,mimeType)' : fields;
    return toJsonAnswer(selectMembers(answer, compileMask(mask)));
  },
};

function listOwnerEmails(file: Readonly<Record<string, unknown>>, { email }: FileViewer): readonly string[] {
  return file['ownedByMe'] === true ? [email] : [];
}

const DEFAULT_PAGE = 100;

function parsePageSize(value: string | null): number {
  const size = value === null || value === '' ? DEFAULT_PAGE : Number(value);
  if (!Number.isInteger(size) || size < 1) throw new DriveProblem(400, 'invalid', 'Invalid Value', 'pageSize');
  return Math.min(size, MAX_DRIVE_PAGE);
}

function encodePageToken(start: number): string {
  return Buffer.from(`p${start}`).toString('base64url');
}

function decodePageToken(token: string | null): number {
  if (token === null || token === '') return 0;
  const [, start] = /^p(\d{1,9})$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (start === undefined) throw new DriveProblem(400, 'invalid', 'Invalid Value', 'pageToken');
  return Number(start);
}

const ORDERS = ['name', 'name_natural', 'createdTime', 'modifiedTime'];

function sortFiles<File extends Readonly<Record<string, unknown>>>(
  files: readonly File[],
  orderBy: string | null,
): readonly File[] {
  if (orderBy === null || orderBy === '') return files;
  const keys = orderBy.split(',').map((part) => {
    const [name = '', direction] = part.trim().split(/\s+/);
    const isKnown = ORDERS.includes(name) || ['folder', 'recency', 'viewedByMeTime', 'starred'].includes(name);
    if (!isKnown) throw new DriveProblem(400, 'invalid', 'Invalid Value', 'orderBy');
    return { name: name === 'name_natural' ? 'name' : name, sign: direction === 'desc' ? -1 : 1 };
  });
  return files.toSorted((a, b) => {
    for (const { name, sign } of keys) {
      const order = String(a[name] ?? '').localeCompare(String(b[name] ?? ''), 'en', { numeric: true });
      if (order !== 0) return order * sign;
    }
    return 0;
  });
}

export const createFile: GoogleMethod = {
  requires: { scope: 'documents.write', createsDocument: true, feature: 'valueWrites' },
  writes: true,
  async run(call) {
    const body = requireBodyObject(call);
    const mimeType = readText(body, 'mimeType', '') ?? SPREADSHEET_TYPE;
    if (mimeType !== SPREADSHEET_TYPE)
      throw invalidProblem(`Files of the type ${mimeType.slice(0, 200)} are not supported.`);
    const documentView = await createSpreadsheetDocument(call, { title: readText(body, 'name', '') ?? 'Untitled' });
    const file = describeFile(documentView, await findFileViewer(call));
    return toJsonAnswer(selectFileMembers(file, call.query.get('fields')));
  },
};

export const updateFile: GoogleMethod = {
  requires: { scope: 'documents.write', writes: true },
  writes: true,
  async run(call) {
    const body = requireBodyObject(call);
    const title = readText(body, 'name', '');
    const isTrashed = readFlag(body, 'trashed', '') ?? false;
    if (isTrashed && requireCallDocument(call).role !== 'owner') throw new Problem(403, FORBIDDEN);
    if (title !== undefined) await runOperation(renameDocument, call, { title });
    const file = await readOwnFile(call);
    if (isTrashed) await runOperation(deleteDocument, call, {});
    return toJsonAnswer(selectFileMembers({ ...file, trashed: isTrashed }, call.query.get('fields')));
  },
};

export const copyFile: GoogleMethod = {
  requires: { scope: 'documents.write', createsDocument: true, feature: 'valueWrites' },
  writes: true,
  async run(call) {
    const title = readText(requireBodyObject(call), 'name', '')?.slice(0, MAX_NAME_LENGTH);
    const { document } = (await runOperation(copyDocument, call, title === undefined ? {} : { title })) as {
      readonly document: DocumentView;
    };
    return toJsonAnswer(
      selectFileMembers(describeFile(document, await findFileViewer(call)), call.query.get('fields')),
    );
  },
};

export const deleteFile: GoogleMethod = {
  requires: { scope: 'documents.write', owner: true },
  writes: true,
  async run(call) {
    await runOperation(deleteDocument, call, {});
    return { kind: 'nothing' };
  },
};

export const listComments: GoogleMethod = {
  requires: READS,
  writes: false,
  run: () => toJsonAnswer({ kind: 'drive#commentList', comments: [] }),
};

export const getAbout: GoogleMethod = {
  requires: { scope: null },
  writes: false,
  async run(call) {
    const { email, name } = await findFileViewer(call);
    const user = {
      kind: 'drive#user',
      displayName: name,
      me: true,
      permissionId: String(call.caller.userId),
      emailAddress: email,
    };
    return toJsonAnswer(selectMembers({ kind: 'drive#about', user }, compileMask(call.query.get('fields') || '*')));
  },
};
