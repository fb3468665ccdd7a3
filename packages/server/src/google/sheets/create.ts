import type { LocaleId, Snapshot } from '@cellwire/engine';
import { withAccessRetry } from '../../service/access-retry.ts';
import { discardNewDocument } from '../../service/document/change.ts';
import { createDocumentFor } from '../../service/document/create.ts';
import type { DocumentView } from '../../service/document/list-documents.ts';
import { parseTitle } from '../../service/document/store-document.ts';
import { isRefusal } from '../../service/refusal.ts';
import { applyBatch } from '../batch/apply.ts';
import {
  type GoogleCall,
  type GoogleMethod,
  readSnapshot,
  requireBodyObject,
  requireCallDocument,
  requireSuccess,
  toCreatorAction,
} from '../call.ts';
import { compileMask } from '../field-mask.ts';
import { readObject, readObjects, readText, refuseUnknownMembers } from '../json.ts';
import { createInvalidProblem, FORBIDDEN, Problem, toProblem } from '../problem.ts';
import { parseLocaleName, parseTimeZone } from './document-settings.ts';
import { writeSpreadsheet } from './get.ts';
import { type CreationStep, planNewSheets } from './new-sheets.ts';
import { readEditorEmails } from './protected-ranges.ts';

const FIRST_SHEET_NAME = 'Sheet1';
const NEW_LOCALE: LocaleId = 'en-US';
const NEW_TIME_ZONE = 'Etc/GMT';
/** Members that Google has. Clients send all members of a spreadsheet that they have read. */
const SPREADSHEET_PROPERTIES = [
  'title',
  'locale',
  'autoRecalc',
  'timeZone',
  'defaultFormat',
  'iterativeCalculationSettings',
  'spreadsheetTheme',
  'importFunctionsExternalUrlAccessAllowed',
];

interface NewSpreadsheet {
  readonly title: string;
  readonly locale?: LocaleId;
  readonly timeZone?: string;
  readonly firstSheet?: string;
}

/** Creates a document owned by the caller, with Google's defaults. */
export async function createSpreadsheetDocument(call: GoogleCall, spreadsheet: NewSpreadsheet): Promise<DocumentView> {
  const { locale = NEW_LOCALE, timeZone = NEW_TIME_ZONE, firstSheet = FIRST_SHEET_NAME } = spreadsheet;
  const title = parseTitle(spreadsheet.title);
  if (isRefusal(title)) throw toProblem(title);
  const action = toCreatorAction(call);
  const settings = { title, type: 'table', format: 'collaborative', locale, inputLocale: null } as const;
  const content = { kind: 'empty', locale, dateSystem: 'google', timeZone, firstSheet } as const;
  const { body } = requireSuccess(
    await withAccessRetry(call.context, action, (by) =>
      createDocumentFor(call.context, { by, keyed: null }, { settings, content, show: (document) => ({ document }) }),
    ),
  );
  return (JSON.parse(body) as { readonly document: DocumentView }).document;
}

/** POST `spreadsheets`. */
export const createSpreadsheet: GoogleMethod = {
  // Programs that write spreadsheets create them with the same scope.
  requires: { scope: 'sheets.write', createsDocument: true, feature: 'valueWrites' },
  writes: true,
  async run(call) {
    const { caller, query } = call;
    if (!caller.scopes.has('documents.write') && !call.isKey) throw new Problem(403, FORBIDDEN);
    const body = requireBodyObject(call);
    refuseUnknownMembers(
      body,
      ['properties', 'sheets', 'namedRanges', 'developerMetadata', 'spreadsheetId', 'spreadsheetUrl'],
      '',
    );
    const mask = compileMask(query.get('fields') || '*');
    const properties = readObject(body, 'properties', '') ?? {};
    refuseUnknownMembers(properties, SPREADSHEET_PROPERTIES, 'properties');
    const locale = readText(properties, 'locale', 'properties');
    const timeZone = readText(properties, 'timeZone', 'properties');
    const sheets = readObjects(body, 'sheets', '') ?? [];
    const { firstSheet, steps } = planNewSheets(body, sheets);
    const documentView = await createSpreadsheetDocument(call, {
      title: readText(properties, 'title', 'properties') || 'Untitled spreadsheet',
      ...(locale ? { locale: parseLocaleName(locale) } : {}),
      ...(timeZone ? { timeZone: parseTimeZone(timeZone) } : {}),
      ...(firstSheet === null ? {} : { firstSheet }),
    });
    const document = await call.openOther(documentView.id, { scope: 'sheets.read' });
    const inside: GoogleCall = { ...call, document, renewDocument: async () => document };
    const snapshot = await applySteps(inside, steps);
    const emails = await readEditorEmails(call.context, document, snapshot);
    return {
      kind: 'pieces',
      pieces: writeSpreadsheet(
        { snapshot, title: documentView.title, access: document, origin: call.origin, emails },
        { mask, places: null, withData: false },
      ),
    };
  },
};

/** Makes the parts of a new spreadsheet. If one cannot be made, the document is deleted. */
async function applySteps(call: GoogleCall, steps: readonly CreationStep[]): Promise<Snapshot> {
  try {
    if (steps.length > 0)
      await applyBatch(
        call,
        steps.map(({ request }) => request),
      );
    return await readSnapshot(call);
  } catch (error) {
    await discardNewDocument(call.context, requireCallDocument(call));
    throw error instanceof Problem ? namePart(error, steps) : error;
  }
}

const REQUEST = /^Invalid requests\[(\d+)\]\.\w+/;

/** A problem that names the part of the spreadsheet instead of a request. */
function namePart(problem: Problem, steps: readonly CreationStep[]): Problem {
  const [shown, index] = REQUEST.exec(problem.message) ?? [];
  const step = steps[Number(index)];
  if (shown === undefined || step === undefined) return problem;
  return createInvalidProblem(`Invalid ${step.place}${problem.message.slice(shown.length)}`);
}
