import { uploadFile } from './file-upload.ts';
import { API, CONSOLE_API, callApi, createFailure, formatQuery, parseBody, type Result } from './http.ts';
import type { Document, OmittedFeature, Sheet, TrashedDocument } from './types.ts';

interface DocumentAnswer {
  readonly document: Document;
}

export function listDocuments(): Promise<Result<{ readonly documents: readonly Document[] }>> {
  return callApi('GET', `${API}/documents`);
}

export function getDocument(id: string): Promise<Result<DocumentAnswer>> {
  return callApi('GET', `${API}/documents/${id}`);
}

export function createDocument(title: string, locale: string): Promise<Result<DocumentAnswer>> {
  return callApi('POST', `${API}/documents`, { body: { title, locale } });
}

export function listSheets(id: string): Promise<Result<{ readonly sheets: readonly Sheet[] }>> {
  return callApi('GET', `${API}/documents/${id}/sheets`);
}

export function renameDocument(id: string, title: string): Promise<Result<DocumentAnswer>> {
  return callApi('PATCH', `${API}/documents/${id}`, { body: { title } });
}

export function copyDocument(id: string, title: string): Promise<Result<DocumentAnswer>> {
  return callApi('POST', `${API}/documents/${id}/copy`, { body: { title } });
}

export function deleteDocument(id: string): Promise<Result<unknown>> {
  return callApi('DELETE', `${API}/documents/${id}`);
}

interface TrashAnswer {
  readonly trash: { readonly documents: readonly TrashedDocument[]; readonly days: number };
}

export function listTrash(): Promise<Result<TrashAnswer>> {
  return callApi('GET', `${CONSOLE_API}/trash`);
}

/** Restores a document from the trash. */
export function restoreDocument(id: string): Promise<Result<unknown>> {
  return callApi('POST', `${CONSOLE_API}/trash/${id}/restore`);
}

/** Deletes a document from the trash permanently. */
export function purgeDocument(id: string): Promise<Result<unknown>> {
  return callApi('DELETE', `${CONSOLE_API}/trash/${id}`);
}

interface ImportAnswer extends DocumentAnswer {
  readonly leftOut?: readonly OmittedFeature[];
}

/** Imports a file as a document. `onSent` gets the part that is sent, from 0 to 1. */
export function importFile(
  file: File,
  locale: string,
  onSent: (part: number) => void,
  signal: AbortSignal,
): Promise<Result<ImportAnswer>> {
  const title = file.name.replace(/\.[^.]+$/, '');
  return uploadFile(`${API}/documents${formatQuery({ title, locale })}`, file, { onSent, signal });
}

/** Returns the download address of a document. */
export function formatExportUrl(
  id: string,
  format: 'xlsx' | 'csv',
  sheet?: string,
  separators: CsvSeparators = {},
): string {
  return `${API}/documents/${id}/export${formatQuery({ format, sheet, ...separators })}`;
}

/** Separators of a `.csv` file. */
interface CsvSeparators {
  readonly delimiter?: string;
  readonly decimal?: string;
  readonly bom?: string;
}

/** Returns the separators that Excel expects in the browser's locale. */
export function getExcelSeparators(): CsvSeparators {
  const hasDecimalComma = (1.5).toLocaleString().includes(',');
  return { bom: 'true', ...(hasDecimalComma && { delimiter: ';', decimal: ',' }) };
}

/** Downloads a file from the service; returns the failure if it is refused. */
export async function downloadFile(address: string, name: string): Promise<Result<null>> {
  const response = await fetch(address, { credentials: 'same-origin' }).catch(() => null);
  if (response === null) return createFailure(0, {});
  if (!response.ok) return createFailure(response.status, parseBody(await response.text()));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_AFTER_MS);
  return { ok: true, value: null, headers: response.headers };
}

/** Delay before the object URL is revoked, in milliseconds. The browser has started to save by then. */
const REVOKE_AFTER_MS = 60_000;
