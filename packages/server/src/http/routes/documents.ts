import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Needs } from '../../access/gate.ts';
import { getContent, getStyles } from '../../service/content.ts';
import { type DocumentView, getDocument, listDocuments, pageOfDocuments } from '../../service/list-documents.ts';
import { isRefusal } from '../../service/refusal.ts';
import { documentTag } from '../../service/tags.ts';
import { ANSWERS, REFUSALS } from '../answers.ts';
import type { Api, App } from '../api.ts';
import { accessOf, callerOf } from '../api.ts';
import { holdsTag, sendParts } from '../envelope.ts';
import { sendRefusal } from '../errors.ts';
import { ASK_AGAIN } from '../fields.ts';
import { DocumentPath, ListQuery } from '../schemas.ts';
import { streamOf } from '../stream.ts';
import { sendTagged } from '../tagged.ts';

const READS: Needs = { scope: 'sheets.read' };
const JSON_TYPE = 'application/json; charset=utf-8';
const TAGS = ['Documents'];
/** In the tag of what is of many documents. */
const NO_COMMIT = '00000000-0000-0000-0000-000000000000';

export function documentRoutes(app: App, api: Api): void {
  listDocumentsRoute(app, api);
  getDocumentRoute(app, api);
  getContentRoute(app, api);
  getStylesRoute(app, api);
}

function listDocumentsRoute(app: App, api: Api): void {
  app.get(
    '/documents',
    {
      config: { needs: READS },
      schema: {
        operationId: 'listDocuments',
        summary: 'List every document that the caller can open',
        tags: TAGS,
        querystring: ListQuery,
        response: { 200: ANSWERS.documents, 304: ANSWERS.unchanged, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const { limit, cursor } = request.query;
      const isPaged = limit !== undefined || cursor !== undefined;
      const list = await (isPaged ? pageOfDocuments : listDocuments)(api.context, callerOf(request), request.query);
      if (isRefusal(list)) return sendRefusal(reply, list);
      const tag = documentTag(NO_COMMIT, list.hash);
      reply.header('etag', tag).header('cache-control', ASK_AGAIN);
      if (holdsTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
      return sendParts(request, reply, list.pieces);
    },
  );
}

function getDocumentRoute(app: App, api: Api): void {
  app.get(
    '/documents/:document',
    {
      config: { needs: READS },
      schema: {
        operationId: 'getDocument',
        summary: 'Describe a document',
        tags: TAGS,
        params: DocumentPath,
        response: { 200: ANSWERS.document, 304: ANSWERS.unchanged, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const found = await getDocument(api.context, accessOf(request));
      if (isRefusal(found)) return sendRefusal(reply, found);
      const { document, head } = found;
      const body = withContent(api, request, app.prefix)(document);
      return sendTagged(request, reply, documentTag(head, JSON.stringify(body)), () => body);
    },
  );
}

function getContentRoute(app: App, api: Api): void {
  app.get(
    '/documents/:document/content',
    {
      config: { needs: READS },
      schema: {
        operationId: 'getContent',
        summary: 'Read all cells of a document',
        tags: TAGS,
        params: DocumentPath,
        response: { 200: ANSWERS.content, 304: ANSWERS.unchanged, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const content = await getContent(api.context, accessOf(request));
      if (isRefusal(content)) return sendRefusal(reply, content);
      return sendTagged(request, reply.type(JSON_TYPE), content.tag, () =>
        streamOf(api, request, reply, content.pieces),
      );
    },
  );
}

function getStylesRoute(app: App, api: Api): void {
  app.get(
    '/documents/:document/styles',
    {
      config: { needs: READS },
      schema: {
        operationId: 'getStyles',
        summary: 'Read the number formats of a document',
        tags: TAGS,
        params: DocumentPath,
        response: { 200: ANSWERS.styles, 304: ANSWERS.unchanged, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const styles = await getStyles(api.context, accessOf(request));
      if (isRefusal(styles)) return sendRefusal(reply, styles);
      return sendTagged(request, reply.type(JSON_TYPE), styles.tag, () => streamOf(api, request, reply, styles.pieces));
    },
  );
}

/** A document as answers show one alone: with the addresses of its content. */
export function withContent(api: Api, request: FastifyRequest, prefix: string) {
  return (document: DocumentView) => {
    const address = `${origin(api, request)}${prefix}/documents/${document.id}`;
    return { document: { ...document, content: { contentUrl: `${address}/content`, stylesUrl: `${address}/styles` } } };
  };
}

/** Where the caller reached us: the configured address, or the one that it used itself. */
function origin({ context }: Api, request: FastifyRequest): string {
  const { protocol, host, socket } = request;
  return context.config.publicUrl ?? `${protocol}://${host || addressOf(socket)}`;
}

/** Of this end of the connection: a request of HTTP/1.0 may come without a Host. */
function addressOf({ localAddress = '', localPort }: Socket): string {
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
