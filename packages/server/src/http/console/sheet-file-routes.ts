import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AccessRequirements } from '../../access/gate.ts';
import { MAX_SENT_NAME_LENGTH } from '../../limits/requests.ts';
import { DocumentPath, defineChoice, defineQuery } from '../../operations/schemas/requests.ts';
import { type FileTarget, previewSheetFile } from '../../service/document/import-sheet.ts';
import { isTabSeparated } from '../../service/document/read-file.ts';
import { writeSheetFile } from '../../service/rebase/console-writes.ts';
import { invalidRequest } from '../../service/refusal.ts';
import { type Api, type App, requireDocumentAccess } from '../api.ts';
import { acceptFiles, ReceivedFile } from '../bodies/uploads.ts';
import { toConsoleWrite } from '../call-conditions.ts';
import { sendOutcome, sendRefusal } from '../errors.ts';
import { createIdempotencyHook } from '../idempotency-hook.ts';
import { createGoneSignal } from '../streams/until-gone.ts';
import { sendReply } from '../write-reply.ts';

const WRITES: AccessRequirements = { scope: 'sheets.write', feature: 'valueWrites', writes: true };
const ADDS: AccessRequirements = { scope: 'sheets.write', feature: 'sheetOperations', writes: true };
/** The body is a file; see `acceptFiles`. */
const FILE = { hide: true, params: DocumentPath, body: Type.Any() };

const FILE_OPTIONS = {
  /** Name of the file with its extension. */
  name: Type.String({ minLength: 1, maxLength: MAX_SENT_NAME_LENGTH }),
  delimiter: Type.Optional(Type.String({ maxLength: 3 })),
  decimal: Type.Optional(defineChoice(['.', ','], 'Decimal mark.')),
  encoding: Type.Optional(Type.String({ maxLength: MAX_SENT_NAME_LENGTH })),
};
const SheetId = Type.String({ pattern: '^[0-9]{1,9}$' });
const PreviewQuery = defineQuery({ ...FILE_OPTIONS, sheet: Type.Optional(SheetId) });
const NewSheetQuery = defineQuery(FILE_OPTIONS);
const SheetQuery = defineQuery({ ...FILE_OPTIONS, sheet: SheetId });

type SheetFileOptions = Static<typeof NewSheetQuery>;

/**
 * Import of a file that a person drops on an open document. Sheets are named by id, because another person may rename
 * them.
 */
export function addSheetFileRoutes(app: App, api: Api): void {
  app.register(async (scope) => {
    acceptFiles(scope as App);
    addFileRoutes(scope as App, api);
  });
}

function addFileRoutes(app: App, api: Api): void {
  app.post(
    '/documents/:document/sheet-file/preview',
    { config: { needs: WRITES }, schema: { ...FILE, querystring: PreviewQuery } },
    async (request, reply) => {
      const upload = toSheetFileUpload(request, reply, request.query);
      if (upload === null) return sendRefusal(reply, NO_FILE);
      const sheet = request.query.sheet === undefined ? null : Number(request.query.sheet);
      return sendOutcome(reply, await previewSheetFile(api.context, requireDocumentAccess(request), upload, sheet));
    },
  );
  const send = async (request: FastifyRequest, reply: FastifyReply, options: SheetFileOptions, target: FileTarget) => {
    const upload = toSheetFileUpload(request, reply, options);
    if (upload === null) return sendRefusal(reply, NO_FILE);
    const imported = await writeSheetFile(api.context, toConsoleWrite(api, request), upload, target);
    return sendReply(api, request, reply, imported);
  };
  app.post(
    '/documents/:document/sheet-file/new-sheet',
    { ...buildKeyedRouteOptions(api, ADDS), schema: { ...FILE, querystring: NewSheetQuery } },
    (request, reply) => send(request, reply, request.query, { kind: 'newSheet' }),
  );
  for (const kind of ['replace', 'append'] as const) {
    app.post(
      `/documents/:document/sheet-file/${kind}`,
      { ...buildKeyedRouteOptions(api, WRITES), schema: { ...FILE, querystring: SheetQuery } },
      (request, reply) => send(request, reply, request.query, { kind, sheet: Number(request.query.sheet) }),
    );
  }
}

const NO_FILE = invalidRequest('file', 'The body must be a .csv or .xlsx file');

/** Options of a route whose requests have an idempotency key. */
function buildKeyedRouteOptions(api: Api, needs: AccessRequirements) {
  return { config: { needs, keyed: true }, preValidation: createIdempotencyHook(api) };
}

/** The uploaded file with its options for CSV; null if the body is not a file. */
function toSheetFileUpload(request: FastifyRequest, reply: FastifyReply, { name, ...csv }: SheetFileOptions) {
  const { body } = request;
  if (!(body instanceof ReceivedFile)) return null;
  const { path, format, isTabbed: hasTabs } = body;
  const delimiter = csv.delimiter ?? (format === 'csv' && (hasTabs || isTabSeparated(name)) ? 'tab' : undefined);
  return {
    file: { path, format },
    name: name.replace(/\.[^.]*$/, ''),
    csv: { decimal: csv.decimal, encoding: csv.encoding, delimiter },
    signal: createGoneSignal(reply),
  };
}
