import { Type } from 'typebox';
import type { AccessRequirements } from '../../access/gate.ts';
import {
  MAX_CHECKED_INPUT,
  MAX_COUNTED_AREAS,
  MAX_FILTER_OPERAND_LENGTH,
  MAX_PULLED_WIDTH,
} from '../../limits/display.ts';
import { MAX_BATCH_BLOCKS, MAX_BATCH_RANGES, MAX_RANGE_LENGTH } from '../../limits/requests.ts';
import { ProposalPath } from '../../operations/schemas/proposals.ts';
import {
  DocumentPath,
  defineBody,
  definePathSegment,
  defineQuery,
  InputLocaleChoice,
  Matrix,
  RangePath,
  SheetPath,
} from '../../operations/schemas/requests.ts';
import { checkInput, readListedValues } from '../../service/cells/input-rules.ts';
import { findBlock } from '../../service/cells/sheet-block.ts';
import { findDataEdge, findSpill, readRangeStyles, readSheetLayout } from '../../service/cells/sheet-display.ts';
import { computeStatistics, countDistinctValues } from '../../service/cells/sheet-statistics.ts';
import { readPastSheets } from '../../service/history/past-sheets.ts';
import { readProposedCells } from '../../service/proposals/proposed-cells.ts';
import { writeCells, writeFormat, writeSeries, writeSizes } from '../../service/rebase/console-writes.ts';
import { REVISION_NOT_FOUND } from '../../service/refusal.ts';
import { listProtectedSheets } from '../../service/sharing/protect.ts';
import { listFilterValues, readSheetFilter, storePersonalFilter } from '../../service/structure/sheet-filter.ts';
import { type Api, type App, requireDocumentAccess } from '../api.ts';
import { toConsoleWrite } from '../call-conditions.ts';
import { sendOutcome, sendRefusal } from '../errors.ts';
import { createIdempotencyHook } from '../idempotency-hook.ts';
import { sendReply } from '../write-reply.ts';
import { parseNumericId } from './session-routes.ts';

const READS: AccessRequirements = { scope: 'sheets.read' };
const WRITES: AccessRequirements = { scope: 'sheets.write', feature: 'valueWrites', writes: true };
const READS_PAST: AccessRequirements = { scope: 'sheets.read', feature: 'sheetOperations' };
const HIDDEN = { hide: true };
const RevisionPath = Type.Object({ ...DocumentPath.properties, revision: definePathSegment('Number of a revision.') });

const LooksQuery = defineQuery({
  ranges: Type.Array(Type.String({ maxLength: MAX_RANGE_LENGTH }), { minItems: 1, maxItems: MAX_BATCH_RANGES }),
});
const EdgeQuery = defineQuery({
  cell: Type.String({ maxLength: MAX_RANGE_LENGTH }),
  direction: Type.Union([Type.Literal('up'), Type.Literal('down'), Type.Literal('left'), Type.Literal('right')]),
});
const FilterValuesQuery = defineQuery({
  range: Type.String({ maxLength: MAX_RANGE_LENGTH }),
  column: Type.String({ maxLength: MAX_RANGE_LENGTH }),
  search: Type.Optional(Type.String({ maxLength: MAX_FILTER_OPERAND_LENGTH })),
});
const PersonalFilterBody = defineBody({
  revisionId: Type.String({ pattern: '^[0-9]{1,15}$' }),
  range: Type.String({ maxLength: MAX_RANGE_LENGTH }),
  columns: Type.Unknown(),
});
const BlockQuery = defineQuery({ range: Type.String({ maxLength: MAX_RANGE_LENGTH }) });
const StatisticsQuery = defineQuery({
  ranges: Type.Array(Type.String({ maxLength: MAX_RANGE_LENGTH }), { minItems: 1, maxItems: MAX_COUNTED_AREAS }),
});
const SpillQuery = defineQuery({ cell: Type.String({ maxLength: MAX_RANGE_LENGTH }) });
const InputCheckBody = defineBody({
  cell: Type.String({ maxLength: MAX_RANGE_LENGTH }),
  input: Type.Union([Type.String({ maxLength: MAX_CHECKED_INPUT }), Type.Number(), Type.Boolean(), Type.Null()]),
});
const FormatBody = defineBody({ format: Type.String({ minLength: 1, maxLength: 255 }) });
const SizeBody = defineBody({ size: Type.Integer({ minimum: 0, maximum: MAX_PULLED_WIDTH }) });
const FillBody = defineBody({
  from: Type.String({ maxLength: MAX_RANGE_LENGTH }),
  to: Type.String({ maxLength: MAX_RANGE_LENGTH }),
  values: Type.Array(Type.Array(Type.Union([Type.Number(), Type.String(), Type.Null()]))),
});

const Range = Type.Optional(Type.String({ maxLength: MAX_RANGE_LENGTH }));
const CellsBody = defineBody({
  edits: Type.Array(
    defineBody({
      clear: Range,
      format: Range,
      code: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
      copy: Range,
      fill: Range,
      to: Range,
      put: Range,
      values: Type.Optional(Matrix),
    }),
    { minItems: 1, maxItems: MAX_BATCH_BLOCKS },
  ),
  inputLocale: Type.Optional(InputLocaleChoice),
});

/** Adds the routes that only the console's grid uses, for example number formats, sizes, filters and series. */
export function addGridRoutes(app: App, api: Api): void {
  addDisplayRoutes(app, api);
  addProposalRoute(app, api);
  addCellQuestionRoutes(app, api);
  addFilterRoutes(app, api);
  addWriteRoutes(app, api);
}

function addDisplayRoutes(app: App, { context }: Api): void {
  app.get(
    '/documents/:document/sheets/:sheet/layout',
    { config: { needs: READS }, schema: { ...HIDDEN, params: SheetPath } },
    async (request, reply) => {
      const { sheet } = request.params;
      return sendOutcome(reply, await readSheetLayout(context, requireDocumentAccess(request), sheet), 'layout');
    },
  );
  app.get(
    '/documents/:document/looks',
    { config: { needs: READS }, schema: { ...HIDDEN, params: DocumentPath, querystring: LooksQuery } },
    async (request, reply) => {
      const { ranges } = request.query;
      return sendOutcome(reply, await readRangeStyles(context, requireDocumentAccess(request), ranges), 'looks');
    },
  );
  app.get(
    '/documents/:document/protections',
    { config: { needs: READS }, schema: { ...HIDDEN, params: DocumentPath } },
    async (request, reply) =>
      sendOutcome(reply, await listProtectedSheets(context, requireDocumentAccess(request)), 'protections'),
  );
  app.get(
    '/documents/:document/revisions/:revision/sheets',
    { config: { needs: READS_PAST }, schema: { ...HIDDEN, params: RevisionPath } },
    async (request, reply) => {
      const revision = parseNumericId(request.params.revision);
      if (revision === null) return sendRefusal(reply, REVISION_NOT_FOUND);
      return sendOutcome(reply, await readPastSheets(context, requireDocumentAccess(request), revision), 'sheets');
    },
  );
}

/** Adds the route for the cells that the grid shows as the result of a proposal before it is applied. */
function addProposalRoute(app: App, { context }: Api): void {
  app.get(
    '/documents/:document/proposals/:proposal/cells',
    { config: { needs: READS }, schema: { ...HIDDEN, params: ProposalPath, querystring: BlockQuery } },
    async (request, reply) => {
      const { proposal: id } = request.params;
      const { range } = request.query;
      const values = await readProposedCells(context, requireDocumentAccess(request), { id, range });
      return sendOutcome(reply, values, 'values');
    },
  );
}

/** Questions about cells of a sheet. */
function addCellQuestionRoutes(app: App, { context }: Api): void {
  app.get(
    '/documents/:document/sheets/:sheet/edge',
    { config: { needs: READS }, schema: { ...HIDDEN, params: SheetPath, querystring: EdgeQuery } },
    async (request, reply) => {
      const { cell, direction } = request.query;
      const { sheet } = request.params;
      return sendOutcome(reply, await findDataEdge(context, requireDocumentAccess(request), sheet, cell, direction));
    },
  );
  app.get(
    '/documents/:document/sheets/:sheet/block',
    { config: { needs: READS }, schema: { ...HIDDEN, params: SheetPath, querystring: BlockQuery } },
    async (request, reply) => {
      const { range } = request.query;
      return sendOutcome(reply, await findBlock(context, requireDocumentAccess(request), request.params.sheet, range));
    },
  );
  app.get(
    '/documents/:document/sheets/:sheet/statistics',
    { config: { needs: READS }, schema: { ...HIDDEN, params: SheetPath, querystring: StatisticsQuery } },
    async (request, reply) => {
      const { ranges } = request.query;
      const access = requireDocumentAccess(request);
      const statistics = await computeStatistics(context, access, request.params.sheet, ranges);
      return sendOutcome(reply, statistics, 'statistics');
    },
  );
  app.get(
    '/documents/:document/sheets/:sheet/distinct',
    { config: { needs: READS }, schema: { ...HIDDEN, params: SheetPath, querystring: StatisticsQuery } },
    async (request, reply) => {
      const { ranges } = request.query;
      const access = requireDocumentAccess(request);
      const distinct = await countDistinctValues(context, access, request.params.sheet, ranges);
      return sendOutcome(reply, distinct, 'distinct');
    },
  );
  app.get(
    '/documents/:document/sheets/:sheet/spill',
    { config: { needs: READS }, schema: { ...HIDDEN, params: SheetPath, querystring: SpillQuery } },
    async (request, reply) => {
      const { cell } = request.query;
      const spill = await findSpill(context, requireDocumentAccess(request), request.params.sheet, cell);
      return sendOutcome(reply, spill, 'spill');
    },
  );
  app.get(
    '/documents/:document/sheets/:sheet/listed-values',
    { config: { needs: READS }, schema: { ...HIDDEN, params: SheetPath, querystring: SpillQuery } },
    async (request, reply) => {
      const { cell } = request.query;
      const values = await readListedValues(context, requireDocumentAccess(request), request.params.sheet, cell);
      return sendOutcome(reply, values, 'values');
    },
  );
  // Nothing is written, but the input is calculated.
  app.post(
    '/documents/:document/sheets/:sheet/input-check',
    { config: { needs: WRITES }, schema: { ...HIDDEN, params: SheetPath, body: InputCheckBody } },
    async (request, reply) => {
      const { sheet } = request.params;
      return sendOutcome(reply, await checkInput(context, requireDocumentAccess(request), sheet, request.body));
    },
  );
}

/** Every viewer of a document may have a filter of their own. */
function addFilterRoutes(app: App, { context }: Api): void {
  app.get(
    '/documents/:document/sheets/:sheet/filter',
    { config: { needs: READS }, schema: { ...HIDDEN, params: SheetPath } },
    async (request, reply) => {
      const { sheet } = request.params;
      return sendOutcome(reply, await readSheetFilter(context, requireDocumentAccess(request), sheet), 'filter');
    },
  );
  app.put(
    '/documents/:document/sheets/:sheet/filter',
    { config: { needs: READS }, schema: { ...HIDDEN, params: SheetPath, body: PersonalFilterBody } },
    async (request, reply) => {
      const { body: filter, params } = request;
      const refusal = await storePersonalFilter(context, requireDocumentAccess(request), params.sheet, filter);
      return sendOutcome(reply, refusal ?? { filter });
    },
  );
  app.delete(
    '/documents/:document/sheets/:sheet/filter',
    { config: { needs: READS }, schema: { ...HIDDEN, params: SheetPath } },
    async (request, reply) => {
      const refusal = await storePersonalFilter(context, requireDocumentAccess(request), request.params.sheet, null);
      return sendOutcome(reply, refusal ?? { filter: null });
    },
  );
  app.get(
    '/documents/:document/sheets/:sheet/filter-values',
    { config: { needs: READS }, schema: { ...HIDDEN, params: SheetPath, querystring: FilterValuesQuery } },
    async (request, reply) => {
      const { range, column, search = '' } = request.query;
      const query = { range, column, search };
      return sendOutcome(
        reply,
        await listFilterValues(context, requireDocumentAccess(request), request.params.sheet, query),
      );
    },
  );
}

function addWriteRoutes(app: App, api: Api): void {
  const { context } = api;
  app.put(
    '/documents/:document/format/:range',
    { ...buildKeyedRouteOptions(api), schema: { ...HIDDEN, params: RangePath, body: FormatBody } },
    async (request, reply) => {
      const { range } = request.params;
      const formatted = await writeFormat(context, toConsoleWrite(api, request), range, request.body.format);
      return sendReply(api, request, reply, formatted);
    },
  );
  app.put(
    '/documents/:document/sizes/:range',
    { ...buildKeyedRouteOptions(api), schema: { ...HIDDEN, params: RangePath, body: SizeBody } },
    async (request, reply) => {
      const { range } = request.params;
      const sized = await writeSizes(context, toConsoleWrite(api, request), range, request.body.size);
      return sendReply(api, request, reply, sized);
    },
  );
  app.post(
    '/documents/:document/fill',
    {
      ...buildKeyedRouteOptions(api),
      ...buildCellsRouteOptions(api),
      schema: { ...HIDDEN, params: DocumentPath, body: FillBody },
    },
    async (request, reply) => {
      const filled = await writeSeries(context, toConsoleWrite(api, request), request.body);
      return sendReply(api, request, reply, filled);
    },
  );
  app.post(
    '/documents/:document/cells',
    {
      ...buildKeyedRouteOptions(api),
      ...buildCellsRouteOptions(api),
      schema: { ...HIDDEN, params: DocumentPath, body: CellsBody },
    },
    async (request, reply) => {
      const { edits, inputLocale = null } = request.body;
      const edited = await writeCells(context, toConsoleWrite(api, request), edits, inputLocale);
      return sendReply(api, request, reply, edited);
    },
  );
}

/** Options of a route for writers whose writes have an idempotency key. */
function buildKeyedRouteOptions(api: Api) {
  return { config: { needs: WRITES, keyed: true }, preValidation: createIdempotencyHook(api) };
}

/** Builds the options of a route whose body contains cells, with the same limit as the API's writes. */
function buildCellsRouteOptions({ context }: Api) {
  return { bodyLimit: context.config.limits.maxBodyBytes };
}
