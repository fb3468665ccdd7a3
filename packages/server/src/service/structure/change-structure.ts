import type { DocumentAccess } from '../../access/access.ts';
import type { InputLocale } from '../../access/input-locale.ts';
import type { BatchResult, ProposalHead } from '../../documents/types.ts';
import { resolveInputLocale } from '../cells/input-locale.ts';
import { STATE_CHANGED } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import { openTable } from '../open-table.ts';
import { createSheetFinder, locateRange } from '../ranges.ts';
import { findMostSevere, isRefusal, type Refusal } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import { commitWrite, prepareAndWrite } from '../write.ts';
import type { WriteProposal, WriteRequest } from '../write-request.ts';
import type { OperationRange } from './operation-members.ts';
import { parseOperations } from './operations.ts';
import { readRowsShownByFilter } from './sheet-filter.ts';
import type { EngineOperation, OperationJson, ShownRows } from './translated-operation.ts';
import { Translator } from './translator.ts';

/** Runs structural operations: all or none, in one revision. Each applies to the result of the one before it. */
export async function changeStructure(
  context: ServiceContext,
  request: WriteRequest,
  rawOperations: unknown,
  inputLocale: InputLocale | null,
): Promise<WriteReply | Refusal> {
  const operations = parseOperations(rawOperations);
  if (isRefusal(operations)) return operations;
  const propose = (head: ProposalHead, access: DocumentAccess, shown: ShownRows | null): WriteProposal | Refusal => {
    const locale = resolveInputLocale(inputLocale, access, head.snapshot);
    const translator = new Translator(head, access, { locale, isTrial: request.dryRun ?? false, shown });
    const translated = operations.map((operation, i) =>
      translator.translateOperation(operation, (rawOperations as OperationJson[])[i] as OperationJson, i),
    );
    const refusal = findMostSevere(translated.filter(isRefusal));
    if (refusal !== null) return refusal;
    const translations = translated.filter((one): one is EngineOperation => !isRefusal(one));
    const places = translations.flatMap(({ edit }, i) => (edit === null ? [] : [i]));
    const countCellsOfEach = (outcomes: BatchResult['outcomes']) =>
      countOperationCells(translations.length, places, outcomes);
    const buildBody = (revision: number, outcomes: BatchResult['outcomes']) => ({
      structure: {
        revisionId: String(revision),
        operations: countCellsOfEach(outcomes).map((count) => ({ cells: count })),
      },
    });
    return {
      edits: translations.flatMap(({ edit }) => edit ?? []),
      places: places.map((i) => `operations.${i}`),
      structure: translations.map(({ stored }) => stored),
      describe: ({ outcomes }, { revision }) => ({
        body: buildBody(revision, outcomes),
        notes: [
          { action: 'structure', range: '', cells: countCellsOfEach(outcomes).reduce((sum, count) => sum + count, 0) },
        ],
        extraStatements: translator.state.protectCopies(),
      }),
      preview: buildBody,
    };
  };
  const [first] = operations;
  if (first?.kind !== 'sort' || !first.filtered) {
    return commitWrite(context, request, (head, access) => propose(head, access, null));
  }
  return prepareAndWrite(context, request, async (access) => {
    const shown = await readShownRows(context, access, first.range);
    if (isRefusal(shown)) return shown;
    return (head, by) => (head.snapshot === shown.snapshot ? propose(head, by, shown) : STATE_CHANGED);
  });
}

/**
 * The rows of the range's sheet that the caller's filter shows. The rows are null if it has no conditions or the range
 * is refused.
 */
async function readShownRows(
  context: ServiceContext,
  access: DocumentAccess,
  range: OperationRange,
): Promise<ShownRows | Refusal> {
  const snapshot = await openTable(context, access);
  if (isRefusal(snapshot)) return snapshot;
  const target = locateRange(createSheetFinder(snapshot.sheets), range);
  // The translator refuses the operation.
  if (isRefusal(target) || access.hiddenSheets.has(target.sheet.id)) return { snapshot, rows: null };
  return { snapshot, rows: await readRowsShownByFilter(context, access, snapshot, target.sheet) };
}

/** The number of changed cells of each operation. `operationIndexes` names the operation of each outcome. */
function countOperationCells(
  count: number,
  operationIndexes: readonly number[],
  outcomes: BatchResult['outcomes'],
): readonly number[] {
  const cells = Array.from({ length: count }, () => 0);
  operationIndexes.forEach((place, i) => {
    cells[place] = outcomes[i]?.cells ?? 0;
  });
  return cells;
}
