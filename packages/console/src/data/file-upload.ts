import { createFailure, type Failure, parseBody, type Result } from './http.ts';

/** Content types of files that the service imports, by the ending of their names. */
const FILE_TYPES: Readonly<Record<string, string>> = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xlsm: 'application/vnd.ms-excel.sheet.macroenabled.12',
  csv: 'text/csv',
  txt: 'text/csv',
  psv: 'text/csv',
  dat: 'text/csv',
  asc: 'text/csv',
  tsv: 'text/tab-separated-values',
  tab: 'text/tab-separated-values',
};

/** Endings of file names for the browser's file chooser. */
export const FILE_ENDINGS = Object.keys(FILE_TYPES)
  .map((ending) => `.${ending}`)
  .join(',');

/** Returns the content type by the name's ending; null if the file cannot be imported. */
export function findFileType(name: string): string | null {
  return FILE_TYPES[name.toLowerCase().split('.').at(-1) ?? ''] ?? null;
}

/** Status of a request that the person cancelled. */
export const CANCELLED_STATUS = -1;

export interface UploadOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with the sent part of the file, from 0 to 1. */
  readonly onSent: (part: number) => void;
  readonly signal: AbortSignal;
}

/** Posts a file as a request body. XMLHttpRequest, because `fetch` does not report progress. */
export function uploadFile<T>(
  path: string,
  file: File,
  { headers = {}, onSent, signal }: UploadOptions,
): Promise<Result<T>> {
  if (signal.aborted) return Promise.resolve(createCancelledFailure());
  const request = new XMLHttpRequest();
  request.open('POST', path);
  request.setRequestHeader('content-type', findFileType(file.name) ?? 'text/csv');
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.upload.onprogress = ({ loaded, total }) => onSent(total === 0 ? 1 : loaded / total);
  const abort = () => request.abort();
  signal.addEventListener('abort', abort);
  return new Promise<Result<T>>((resolve) => {
    request.onerror = () => resolve(createFailure(0, {}));
    request.onabort = () => resolve(createCancelledFailure());
    request.onload = () => {
      const body = parseBody(request.responseText);
      const isDone = request.status >= 200 && request.status < 300;
      resolve(
        isDone
          ? { ok: true, value: body as T, headers: parseHeaders(request.getAllResponseHeaders()) }
          : createFailure(request.status, body),
      );
    };
    request.send(file);
  }).finally(() => signal.removeEventListener('abort', abort));
}

function createCancelledFailure(): Failure {
  return createFailure(CANCELLED_STATUS, {});
}

/** Parses the header lines of a response of XMLHttpRequest. */
function parseHeaders(text: string): Headers {
  const lines = text.split('\r\n').filter((line) => line !== '');
  return new Headers(
    lines.map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1).trim()];
    }),
  );
}
