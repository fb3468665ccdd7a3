import { stat } from 'node:fs/promises';
import type { Needs } from '../../access/gate.ts';
import { exportFile, notesIn } from '../../service/document/export.ts';
import { BUSY, isRefusal } from '../../service/refusal.ts';
import { ANSWERS, FILE_ANSWER, REFUSALS } from '../answers.ts';
import type { Api, App } from '../api.ts';
import { CSV_TYPE, XLSX_TYPE } from '../content-types.ts';
import { ExportQuery } from '../document-schemas.ts';
import { holdsTag } from '../envelope.ts';
import { sendRefusal } from '../errors.ts';
import { actingOf } from '../renew-access.ts';
import { DocumentPath } from '../schemas.ts';
import { streamOfFile } from '../stream.ts';
import { untilGone } from '../until-gone.ts';

const READS: Needs = { scope: 'sheets.read' };

/** Documents as files. */
export function exportRoute(app: App, api: Api): void {
  app.get(
    '/documents/:document/export',
    {
      config: { needs: READS },
      schema: {
        operationId: 'exportDocument',
        summary: 'Read a document as a file: all of it as .xlsx, or the values of one sheet as .csv',
        tags: ['Documents'],
        params: DocumentPath,
        querystring: ExportQuery,
        response: { 200: FILE_ANSWER, 304: ANSWERS.unchanged, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const { format = 'xlsx', sheet, delimiter, decimal, bom, report } = request.query;
      const path = await app.files.pathFor(reply);
      const holds = (tag: string) => holdsTag(request.headers['if-none-match'], tag);
      const csv = { delimiter, decimal, bom: bom === undefined ? undefined : bom === 'true' };
      const isReport = report === 'true';
      const wanted = { format, sheet, csv, isReport, holds, path, signal: untilGone(reply) };
      const file = await exportFile(api.context, actingOf(api, request), wanted);
      if (isRefusal(file)) return sendRefusal(reply, file);
      const size = file.kind === 'unchanged' ? 0 : (await stat(path)).size;
      if (!app.files.enter(request, size, reply)) return sendRefusal(reply, BUSY);
      reply.header('etag', file.tag).header('cache-control', 'private, no-cache');
      if (file.kind === 'unchanged') return reply.code(304).send();
      const notes = notesIn(file.report);
      if (notes > 0) reply.header('cellwire-export-notes', notes);
      if (isReport) return reply.send({ report: file.report });
      reply.header('content-type', format === 'xlsx' ? XLSX_TYPE : `${CSV_TYPE}; charset=utf-8`);
      reply.header('content-length', size).header('content-disposition', attachment(file.name));
      return reply.send(streamOfFile(api, request, reply, path));
    },
  );
}

const NOT_PLAIN = /[^A-Za-z0-9._ -]/g;
/** Bytes that RFC 8187 has percent-encoded and `encodeURIComponent` leaves. */
const LEFT = /['()*]/g;

/** What parts folders is in no file's name. */
const SEPARATORS = /[/\\]/g;

/** RFC 6266: the name, and one that every client understands. */
function attachment(title: string): string {
  const name = title.replace(SEPARATORS, '_');
  const encoded = encodeURIComponent(name).replace(LEFT, (character) => `%${character.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${name.replace(NOT_PLAIN, '_')}"; filename*=UTF-8''${encoded}`;
}
