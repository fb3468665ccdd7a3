import type { DocumentView } from '../../service/document/list-documents.ts';
import { compileMask, selectMembers } from '../field-mask.ts';

export const SPREADSHEET_TYPE = 'application/vnd.google-apps.spreadsheet';
export const CSV_TYPE = 'text/csv';
export const TSV_TYPE = 'text/tab-separated-values';
export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** The document's folder; there is only one. */
const ROOT = 'root';

/** The user for whom files are listed. Answers show this user the email addresses of owners. */
export interface FileViewer {
  readonly email: string;
  readonly name: string;
  readonly origin: string;
}

/** All members of a file that answers may contain. */
export function describeFile(
  { id, title, createdAt, updatedAt, revisionId, permission }: DocumentView,
  { email, name, origin }: FileViewer,
): Readonly<Record<string, unknown>> {
  const ownedByMe = permission === 'owner';
  const canEdit = ownedByMe || permission === 'edit';
  const owner = { kind: 'drive#user', displayName: name, me: true, emailAddress: email };
  return {
    kind: 'drive#file',
    id,
    name: title,
    mimeType: SPREADSHEET_TYPE,
    trashed: false,
    starred: false,
    parents: [ROOT],
    version: revisionId,
    createdTime: createdAt,
    modifiedTime: updatedAt,
    ownedByMe,
    ...(ownedByMe ? { owners: [owner] } : {}),
    webViewLink: `${origin}/documents/${id}`,
    capabilities: { canEdit, canCopy: true, canDelete: ownedByMe, canRename: canEdit, canShare: ownedByMe },
  };
}

const PLAIN = 'kind,id,name,mimeType';

/** The members of a file that a request asks for. */
export function selectFileMembers(resource: Readonly<Record<string, unknown>>, fields: string | null): unknown {
  return selectMembers(resource, compileMask(fields === null || fields === '' ? PLAIN : fields));
}
