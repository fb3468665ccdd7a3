import type { DocumentAccess } from '../../access/access.ts';
import type { InputLocale } from '../../access/input-locale.ts';
import type { BatchResult, Head } from '../../documents/types.ts';
import { inputLocaleOf } from '../cells/input-locale.ts';
import { GROUND_MOVED } from '../commit-loop.ts';
import type { ServiceContext } from '../context.ts';
import { openTable } from '../open-table.ts';
import { locate, sheetFinder } from '../ranges.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { Reply } from '../reply.ts';
import { write, writePrepared } from '../write.ts';
import type { WriteProposal, WriteRequest } from '../write-request.ts';
import { parseOperations, type RangeText } from './operations.ts';
import { rowsShownTo } from './sheet-filter.ts';
import { gravest, type Sent, type ShownRows, type Translated } from './translated-operation.ts';
import { Translator } from './translator.ts';

/** Restructures a document: all operations or none, in one revision; each finds what the one before it left. */
export async function changeStructure(
  context: ServiceContext,
  request: WriteRequest,
  sent: unknown,
  inputLocale: InputLocale | null,
): Promise<Reply | Refusal> {
  const operations = parseOperations(sent);
  if (isRefusal(operations)) return operations;
  const propose = (head: Head, access: DocumentAccess, shown: ShownRows | null): WriteProposal | Refusal => {
    const locale = inputLocaleOf(inputLocale, access, head.snapshot);
    const translator = new Translator(head, access, { locale, isTrial: request.dryRun ?? false, shown });
    const translated = operations.map((operation, i) =>
      translator.translate(operation, (sent as Sent[])[i] as Sent, i),
    );
    const refusal = gravest(translated.filter(isRefusal));
    if (refusal !== null) return refusal;
    const translations = translated.filter((one): one is Translated => !isRefusal(one));
    const places = translations.flatMap(({ edit }, i) => (edit === null ? [] : [i]));
    const cellsOfEach = (outcomes: BatchResult['outcomes']) => cellsOf(translations.length, places, outcomes);
    const body = (revision: number, outcomes: BatchResult['outcomes']) => ({
      structure: {
        revisionId: String(revision),
        operations: cellsOfEach(outcomes).map((count) => ({ cells: count })),
      },
    });
    return {
      edits: translations.flatMap(({ edit }) => edit ?? []),
      places: places.map((i) => `operations.${i}`),
      structure: translations.map(({ stored }) => stored),
      describe: ({ outcomes }, { revision }) => ({
        body: body(revision, outcomes),
        notes: [
          { action: 'structure', range: '', cells: cellsOfEach(outcomes).reduce((sum, count) => sum + count, 0) },
        ],
        also: translator.protectCopies(),
      }),
      foretell: body,
    };
  };
  const [first] = operations;
  if (first?.kind !== 'sort' || !first.filtered) {
    return write(context, request, (head, access) => propose(head, access, null));
  }
  return writePrepared(context, request, async (access) => {
    const shown = await shownRows(context, access, first.range);
    if (isRefusal(shown)) return shown;
    return (head, by) => (head.snapshot === shown.snapshot ? propose(head, by, shown) : GROUND_MOVED);
  });
}

async function shownRows(
  context: ServiceContext,
  access: DocumentAccess,
  range: RangeText,
): Promise<ShownRows | Refusal> {
  const snapshot = await openTable(context, access);
  if (isRefusal(snapshot)) return snapshot;
  const target = locate(sheetFinder(snapshot.sheets), range);
  // The operation is refused when it is translated.
  if (isRefusal(target) || access.hiddenSheets.has(target.sheet.id)) return { snapshot, stretches: null };
  return { snapshot, stretches: await rowsShownTo(context, access, snapshot, target.sheet) };
}

function cellsOf(count: number, places: readonly number[], outcomes: BatchResult['outcomes']): readonly number[] {
  const cells = Array.from({ length: count }, () => 0);
  places.forEach((place, i) => {
    cells[place] = outcomes[i]?.cells ?? 0;
  });
  return cells;
}
