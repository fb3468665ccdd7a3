import { MAX_DRIVE_PAGE } from '../../limits/google.ts';
import { MAX_NAME_LENGTH } from '../../limits/http.ts';
import { copyDocument } from '../../operations/documents/copy-document.ts';
import { deleteDocument } from '../../operations/documents/delete-document.ts';
import { renameDocument } from '../../operations/documents/rename-document.ts';
import { findCallerUser } from '../../service/accounts/members.ts';
import { type DocumentView, getDocument, readDocumentsInBatches } from '../../service/document/list-documents.ts';
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
import { createInvalidProblem, FORBIDDEN, Problem } from '../problem.ts';
import { createSpreadsheetDocument } from '../sheets/create.ts';
import { describeFile, type FileViewer, SPREADSHEET_TYPE, selectFileMembers } from './file.ts';
import { DriveProblem } from './problem.ts';
import { compileFileQuery, type SearchedFile } from './query.ts';

/** The caller's mail address and name, and the address of the service, which descriptions of files contain. */
export async function findFileViewer({ context, caller, origin }: GoogleCall): Promise<FileViewer> {
  const { email, name } = await findCallerUser(context, caller);
  return { email, name, origin };
}

/** The document of the call, as a file of the Drive API. */
async function readCallFile(call: GoogleCall): Promise<Readonly<Record<string, unknown>>> {
  const { document } = requireSuccess(await getDocument(call.context, requireCallDocument(call)));
  return describeFile(document, await findFileViewer(call));
}

export const getFile: GoogleMethod = {
  requires: READS,
  writes: false,
  run: async (call) => toJsonAnswer(selectFileMembers(await readCallFile(call), call.query.get('fields'))),
};

export const listFiles: GoogleMethod = {
  requires: READS,
  writes: false,
  async run(call) {
    const { query } = call;
    const from = decodePageToken(query.get('pageToken'));
    const to = from + parsePageSize(query.get('pageSize'));
    const files = await findFiles(call, {
      condition: compileFileQuery(query.get('q') ?? ''),
      compare: compileOrder(query.get('orderBy')),
      limit: to + 1,
    });
    const next = to < files.length ? { nextPageToken: encodePageToken(to) } : {};
    const fields = query.get('fields');
    const answer = { kind: 'drive#fileList', ...next, incompleteSearch: false, files: files.slice(from, to) };
    const mask =
      fields === null || fields === '' ? 'kind,nextPageToken,incompleteSearch,files(kind,id,name,mimeType)' : fields;
    return toJsonAnswer(selectMembers(answer, compileMask(mask)));
  },
};

type DriveFile = Readonly<Record<string, unknown>>;
type FileOrder = (a: DriveFile, b: DriveFile) => number;

interface FileSearch {
  readonly condition: ReturnType<typeof compileFileQuery>;
  /** The order of the files; null: the last changed first. */
  readonly compare: FileOrder | null;
  readonly limit: number;
}

/** The first matching files. Reads in batches: a user may have a hundred thousand documents, and other requests wait. */
async function findFiles(call: GoogleCall, { condition, compare, limit }: FileSearch): Promise<readonly DriveFile[]> {
  const viewer = await findFileViewer(call);
  let files: readonly DriveFile[] = [];
  for await (const documents of readDocumentsInBatches(call.context, call.caller, { type: 'table' })) {
    const matching = documents
      .map((document) => describeFile(document, viewer))
      .filter((file) => condition({ ...(file as unknown as SearchedFile), owners: listOwnerEmails(file, viewer) }));
    // Both parts are sorted, which the engine's sort merges in linear time.
    files = compare === null ? files.concat(matching) : files.concat(matching.toSorted(compare)).sort(compare);
    files = files.slice(0, limit);
    if (compare === null && files.length === limit) break;
  }
  return files;
}

/** The caller's address if the caller owns the file, else an empty list: other owners are not named. */
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

const TEXT_ORDER = new Intl.Collator('en', { numeric: true });

/** The order that `orderBy` names; null for the order of the list. */
function compileOrder(orderBy: string | null): FileOrder | null {
  if (orderBy === null || orderBy === '') return null;
  const keys = orderBy.split(',').map((part) => {
    const [name = '', direction] = part.trim().split(/\s+/);
    const isKnown = ORDERS.includes(name) || ['folder', 'recency', 'viewedByMeTime', 'starred'].includes(name);
    if (!isKnown) throw new DriveProblem(400, 'invalid', 'Invalid Value', 'orderBy');
    return { name: name === 'name_natural' ? 'name' : name, sign: direction === 'desc' ? -1 : 1 };
  });
  return (a, b) => {
    for (const { name, sign } of keys) {
      const order = TEXT_ORDER.compare(String(a[name] ?? ''), String(b[name] ?? ''));
      if (order !== 0) return order * sign;
    }
    return 0;
  };
}

export const createFile: GoogleMethod = {
  requires: { scope: 'documents.write', createsDocument: true, feature: 'valueWrites' },
  writes: true,
  async run(call) {
    const body = requireBodyObject(call);
    const mimeType = readText(body, 'mimeType', '') ?? SPREADSHEET_TYPE;
    if (mimeType !== SPREADSHEET_TYPE)
      throw createInvalidProblem(`Files of the type ${mimeType.slice(0, 200)} are not supported.`);
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
    const file = await readCallFile(call);
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
