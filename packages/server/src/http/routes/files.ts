import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FastifyReply } from 'fastify';
import type { Needs } from '../../access/gate.ts';
import { exportFile } from '../../service/document/export.ts';
import { BUSY, isRefusal } from '../../service/refusal.ts';
import { ANSWERS, FILE_ANSWER, REFUSALS } from '../answers.ts';
import { type Api, type App, accessOf } from '../api.ts';
import { CSV_TYPE, XLSX_TYPE } from '../content-types.ts';
import { ExportQuery } from '../document-schemas.ts';
import { holdsTag } from '../envelope.ts';
import { sendRefusal } from '../errors.ts';
import { DocumentPath } from '../schemas.ts';
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
      const { format = 'xlsx', sheet } = request.query;
      const file = await exportFile(api.context, accessOf(request), { format, sheet });
      if (isRefusal(file)) return sendRefusal(reply, file);
      reply.header('etag', file.tag).header('cache-control', 'private, no-cache');
      if (holdsTag(request.headers['if-none-match'], file.tag)) return reply.code(304).send();
      const path = await app.files.pathFor(reply);
      const written = await file.write(path, untilGone(reply));
      if (isRefusal(written)) return sendRefusal(withoutTag(reply), written);
      const { size } = await stat(path);
      if (!app.files.enter(request, size, reply)) return sendRefusal(withoutTag(reply), BUSY);
      reply.header('content-type', format === 'xlsx' ? XLSX_TYPE : `${CSV_TYPE}; charset=utf-8`);
      reply.header('content-length', size).header('content-disposition', attachment(file.name));
      return reply.send(createReadStream(path));
    },
  );
}

/** A refusal is nothing that a tag names, nor anything to keep. */
function withoutTag(reply: FastifyReply): FastifyReply {
  return reply.removeHeader('etag').header('cache-control', 'no-store');
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
