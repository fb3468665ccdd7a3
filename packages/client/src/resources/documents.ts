import type { Document } from '../generated/api.ts';
import { joinPath } from '../http/address.ts';
import { splitOptions } from '../http/options.ts';
import { Items, readByCursor } from '../streams/items.ts';
import { Resource } from './resource.ts';
import type { Answer, BodyOptions, QueryOptions } from './types.ts';

/** A file to import: its bytes and format. */
export interface FileOptions {
  readonly file: Uint8Array | Blob;
  /** `xlsx`, `csv` or a media type; by default the service detects it. */
  readonly format?: string;
}

type NewDocumentOptions = BodyOptions<'createDocument'> | (QueryOptions<'createDocument'> & FileOptions);

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv',
};
const DOCUMENTS_A_PAGE = 1_000;

/** The documents that the token's user can open. */
export class Documents extends Resource {
  /** Lists the documents, the most recently changed first. */
  list({ limit, ...options }: QueryOptions<'listDocuments', 'cursor'> = {}): Items<Document> {
    const page = async (cursor: string | undefined) => {
      const query = { ...options, limit: DOCUMENTS_A_PAGE, cursor };
      const { documents, nextCursor } = await this.getJson<Answer<'listDocuments'>>('', query);
      return { entries: documents, nextCursor };
    };
    return new Items(() => readByCursor(page, { limit, signal: options.signal }));
  }

  /** Creates a document with one empty sheet, or from a file. The title is an option or the first argument. */
  create(options?: NewDocumentOptions): Promise<Answer<'createDocument'>>;
  create(title: string, options?: NewDocumentOptions): Promise<Answer<'createDocument'>>;
  create(
    title: string | NewDocumentOptions = {},
    titledOptions: NewDocumentOptions = {},
  ): Promise<Answer<'createDocument'>> {
    const options = typeof title === 'string' ? { ...titledOptions, title } : title;
    if (!('file' in options)) return this.sendInBody('POST', '', {}, options);
    const { file, format, ...otherOptions } = options;
    const [call, query] = splitOptions(otherOptions);
    const contentType = MEDIA_TYPES[format ?? ''] ?? format ?? 'application/octet-stream';
    return this.transport.requestJson({ ...this.createRequest('POST', '', { query, body: file }), contentType }, call);
  }

  copy(document: string, options: BodyOptions<'copyDocument'> = {}): Promise<Answer<'copyDocument'>> {
    return this.sendInBody('POST', `${joinPath(document)}/copy`, {}, options);
  }

  rename(
    document: string,
    title: string,
    options: BodyOptions<'renameDocument', 'title'> = {},
  ): Promise<Answer<'renameDocument'>> {
    return this.sendInBody('PATCH', joinPath(document), { title }, options);
  }

  delete(document: string, options: QueryOptions<'deleteDocument'> = {}): Promise<Answer<'deleteDocument'>> {
    return this.sendInQuery('DELETE', joinPath(document), options);
  }

  /** Gives a user a role, changes the user's role, or removes it (`none`). */
  share(document: string, options: BodyOptions<'shareDocument'>): Promise<Answer<'shareDocument'>> {
    return this.sendInBody('POST', `${joinPath(document)}/share`, {}, options);
  }
}
