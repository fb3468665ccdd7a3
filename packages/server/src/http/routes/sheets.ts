import type { Needs } from '../../access/gate.ts';
import { isRefusal } from '../../service/refusal.ts';
import { addSheet, changeSheet, deleteSheet, listSheets } from '../../service/sheets.ts';
import { documentTag } from '../../service/tags.ts';
import { ANSWERS, REFUSALS } from '../answers.ts';
import type { Api, App } from '../api.ts';
import { accessOf } from '../api.ts';
import { sendRefusal } from '../errors.ts';
import { idempotencyHook, sendReply, writeOf } from '../idempotency-hook.ts';
import { AddSheetBody, ChangeSheetBody, ConditionsBody, DocumentPath, SheetPath, WriteQuery } from '../schemas.ts';
import { sendTagged } from '../tagged.ts';

const READS: Needs = { scope: 'sheets.read' };
const CHANGES: Needs = { scope: 'sheets.write', feature: 'sheetOperations', writes: true };
const SHEETS = '/documents/:document/sheets';
const TAGS = ['Sheets'];

export function sheetRoutes(app: App, api: Api): void {
  listSheetsRoute(app, api);
  addSheetRoute(app, api);
  changeSheetRoute(app, api);
  deleteSheetRoute(app, api);
}

function listSheetsRoute(app: App, api: Api): void {
  app.get(
    SHEETS,
    {
      config: { needs: READS },
      schema: {
        operationId: 'listSheets',
        summary: 'List the sheets of a document',
        tags: TAGS,
        params: DocumentPath,
        response: { 200: ANSWERS.sheets, 304: ANSWERS.unchanged, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const listed = await listSheets(api.context, accessOf(request));
      if (isRefusal(listed)) return sendRefusal(reply, listed);
      const { sheets, head } = listed;
      return sendTagged(request, reply, documentTag(head, JSON.stringify(sheets)), () => ({ sheets }));
    },
  );
}

function addSheetRoute(app: App, api: Api): void {
  app.post(
    SHEETS,
    {
      ...keyedRoute(api),
      schema: {
        operationId: 'addSheet',
        summary: 'Add a sheet at the end',
        tags: TAGS,
        params: DocumentPath,
        querystring: WriteQuery,
        body: AddSheetBody,
        response: { 200: ANSWERS.sheet, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const write = writeOf(api, request);
      return sendReply(api, request, reply, await addSheet(api.context, write, request.body?.name));
    },
  );
}

function changeSheetRoute(app: App, api: Api): void {
  app.patch(
    `${SHEETS}/:sheet`,
    {
      ...keyedRoute(api),
      schema: {
        operationId: 'renameSheet',
        summary: 'Rename a sheet, or hide or show it in user interfaces',
        tags: TAGS,
        params: SheetPath,
        querystring: WriteQuery,
        body: ChangeSheetBody,
        response: { 200: ANSWERS.sheet, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const write = writeOf(api, request);
      const outcome = await changeSheet(api.context, write, request.params.sheet, request.body);
      return sendReply(api, request, reply, outcome);
    },
  );
}

function deleteSheetRoute(app: App, api: Api): void {
  app.delete(
    `${SHEETS}/:sheet`,
    {
      ...keyedRoute(api),
      schema: {
        operationId: 'deleteSheet',
        summary: 'Delete a sheet',
        tags: TAGS,
        params: SheetPath,
        querystring: WriteQuery,
        body: ConditionsBody,
        response: { 200: ANSWERS.deleted, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const write = writeOf(api, request);
      return sendReply(api, request, reply, await deleteSheet(api.context, write, request.params.sheet));
    },
  );
}

function keyedRoute(api: Api) {
  return { config: { needs: CHANGES, keyed: true }, preValidation: idempotencyHook(api) };
}
