import type { Static } from 'typebox';
import type { Needs } from '../../access/gate.ts';
import { MAX_SMALL_BODY_BYTES } from '../../limits/http.ts';
import { deleteDocument, renameDocument } from '../../service/document/change.ts';
import { copyDocument } from '../../service/document/copy.ts';
import { createDocument } from '../../service/document/create.ts';
import { importFile } from '../../service/document/import.ts';
import { isTabbed, listedColumns } from '../../service/document/read-file.ts';
import { share } from '../../service/document/share.ts';
import { ANSWERS, REFUSALS } from '../answers.ts';
import type { Api, App } from '../api.ts';
import {
  CopyDocumentBody,
  CreateDocumentBody,
  CreateDocumentQuery,
  type NewDocumentBody,
  RenameDocumentBody,
  ShareBody,
} from '../document-schemas.ts';
import { actionOf, idempotencyHook, makersActionOf, sendReply } from '../idempotency-hook.ts';
import { DocumentPath } from '../schemas.ts';
import { untilGone } from '../until-gone.ts';
import { acceptFiles, Upload } from '../uploads.ts';
import { withContent } from './documents.ts';

const MAKES: Needs = { scope: 'documents.write', makes: true, feature: 'valueWrites' };
const RENAMES: Needs = { scope: 'documents.write', writes: true };
const OWNS: Needs = { scope: 'documents.write', owner: true };
const DOCUMENT = '/documents/:document';
const TAGS = ['Documents'];

/** What makes, changes and ends documents as wholes. */
export function documentChangeRoutes(app: App, api: Api): void {
  createRoute(app, api);
  copyRoute(app, api);
  renameRoute(app, api);
  deleteRoute(app, api);
  shareRoute(app, api);
}

function createRoute(app: App, api: Api): void {
  app.register(async (plugin) => {
    const scope = plugin as App;
    acceptFiles(scope);
    scope.post(
      '/documents',
      {
        ...keyedRoute(api, MAKES),
        bodyLimit: MAX_SMALL_BODY_BYTES,
        schema: {
          operationId: 'createDocument',
          summary: 'Make a document of the caller’s: with one empty sheet, or of a .csv or .xlsx file',
          tags: TAGS,
          querystring: CreateDocumentQuery,
          body: CreateDocumentBody,
          response: { 200: ANSWERS.madeDocument, ...REFUSALS },
        },
      },
      async (request, reply) => {
        const show = withContent(api, request, app.prefix);
        const action = makersActionOf(api, request);
        const { body } = request;
        const made =
          body instanceof Upload
            ? importFile(api.context, action, { ...uploadOf(body, request.query), signal: untilGone(reply) }, show)
            : createDocument(api.context, action, { ...request.query, ...(body as NewDocumentBody) }, show);
        return sendReply(api, request, reply, await made);
      },
    );
  });
}

type CreateQuery = Static<typeof CreateDocumentQuery>;

/** A file, and what is said of it. */
function uploadOf(
  { path, format, isTabbed: hasTabs }: Upload,
  { title, locale, columns = [], delimiter, ...csv }: CreateQuery,
) {
  const named = format === 'csv' && (hasTabs || isTabbed(title ?? ''));
  const listed = (typeof columns === 'string' ? [columns] : columns).flatMap(listedColumns);
  return {
    file: { path, format },
    title,
    locale,
    csv: { ...csv, columns: listed, delimiter: delimiter ?? (named ? 'tab' : undefined) },
  };
}

function copyRoute(app: App, api: Api): void {
  app.post(
    `${DOCUMENT}/copy`,
    {
      ...keyedRoute(api, MAKES),
      schema: {
        operationId: 'copyDocument',
        summary: 'Make a document of the caller’s that holds what this one holds, without its history and shares',
        tags: TAGS,
        params: DocumentPath,
        body: CopyDocumentBody,
        response: { 200: ANSWERS.document, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const show = withContent(api, request, app.prefix);
      const input = { title: request.body?.title, signal: untilGone(reply) };
      return sendReply(api, request, reply, await copyDocument(api.context, actionOf(api, request), input, show));
    },
  );
}

function renameRoute(app: App, api: Api): void {
  app.patch(
    DOCUMENT,
    {
      ...keyedRoute(api, RENAMES),
      schema: {
        operationId: 'renameDocument',
        summary: 'Give a document another title',
        tags: TAGS,
        params: DocumentPath,
        body: RenameDocumentBody,
        response: { 200: ANSWERS.document, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const show = withContent(api, request, app.prefix);
      const renamed = await renameDocument(api.context, actionOf(api, request), request.body.title, show);
      return sendReply(api, request, reply, renamed);
    },
  );
}

/** Its kept reply is not the document's: that one would be deleted with it. A repetition ends at the gate. */
function deleteRoute(app: App, api: Api): void {
  app.delete(
    DOCUMENT,
    {
      config: { needs: OWNS, keyed: true, ends: true },
      preValidation: idempotencyHook(api),
      schema: {
        operationId: 'deleteDocument',
        summary: 'Delete a document with its history; there is no way back',
        tags: TAGS,
        params: DocumentPath,
        response: { 200: ANSWERS.deletedDocument, ...REFUSALS },
      },
    },
    async (request, reply) => sendReply(api, request, reply, await deleteDocument(api.context, actionOf(api, request))),
  );
}

function shareRoute(app: App, api: Api): void {
  app.post(
    `${DOCUMENT}/share`,
    {
      ...keyedRoute(api, OWNS),
      schema: {
        operationId: 'shareDocument',
        summary: 'Give a user a role in a document, change it, or take it away',
        tags: TAGS,
        params: DocumentPath,
        body: ShareBody,
        response: { 200: ANSWERS.shared, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const { user, role } = request.body;
      const shared = await share(api.context, actionOf(api, request), { user: String(user), role });
      return sendReply(api, request, reply, shared);
    },
  );
}

function keyedRoute(api: Api, needs: Needs) {
  return { config: { needs, keyed: true }, preValidation: idempotencyHook(api) };
}
