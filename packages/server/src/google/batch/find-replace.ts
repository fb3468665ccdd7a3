import { type Area, createRegexReplacer } from '@cellwire/engine';
import { MAX_SEARCH_STEPS, SEARCH_STEPS_PER_CELL } from '../../limits/google.ts';
import { type RequestObject, readFlag, readInteger, readObject, readText, refuseUnknownMembers } from '../json.ts';
import { createInvalidProblem } from '../problem.ts';
import { CellRenderer } from '../values/render.ts';
import { CellRows } from './cell-rows.ts';
import { clipToExtent } from './filled-area.ts';
import type { RequestBatch, RequestHandler, RequestSteps, WorkingSheet } from './state.ts';

interface ReplacedText {
  /** Number of replaced matches. */
  readonly matches: number;
  readonly text: string;
}

/**
 * Replaces the matches in a text. Before each search it yields the maximum number of steps of that search. Null: the
 * text is too long to search, or the result is too long.
 */
type ReplaceSteps = (text: string) => Generator<number, ReplacedText | null>;

/** Replaces a text in the cells of a range, of a sheet or of all sheets. */
export const findReplace: RequestHandler = function* (batch, members, path): RequestSteps {
  const ownMembers = ['find', 'replacement', 'matchCase', 'matchEntireCell', 'searchByRegex', 'includeFormulas'];
  refuseUnknownMembers(members, [...ownMembers, 'range', 'sheetId', 'allSheets'], path);
  const search = new CountedSearch(batch, createReplacer(batch, members, path));
  const searchesBlankCells = (yield* search.replaceSteps('')).matches > 0;
  const withFormulas = readFlag(members, 'includeFormulas', path) ?? false;
  const counts = { valuesChanged: 0, formulasChanged: 0, rowsChanged: 0, sheetsChanged: 0, occurrencesChanged: 0 };
  for (const { sheet, area } of listSearchAreas(batch, members, path)) {
    const cells = yield* batch.calculateSheet(sheet);
    // As in Google's user interface, `^\s*$` finds the blank cells of a range.
    const within = area !== null && searchesBlankCells ? area : clipToExtent(cells, area ?? toSheetArea(sheet));
    if (within === null) continue;
    batch.countScannedCells(within);
    const renderer = new CellRenderer(yield* batch.calculateState(), cells);
    const writer = new CellRows<string>((row, column, matrix) => {
      batch.enterMatrix(sheet, row, column, matrix, 'USER_ENTERED');
    });
    let hasChanged = false;
    for (let row = within.top; row <= within.bottom; row++) {
      let rowHasChanged = false;
      for (let column = within.left; column <= within.right; column++) {
        if (batch.endsStep()) yield;
        const formula = renderer.renderFormula(row, column);
        if (formula !== null && !withFormulas) continue;
        const shown = formula ?? String(renderer.renderValue(row, column, 'FORMATTED_VALUE', 'SERIAL_NUMBER') ?? '');
        if (shown === '' && area === null) continue;
        const { matches, text } = yield* search.replaceSteps(shown);
        if (matches === 0) continue;
        counts.occurrencesChanged += matches;
        if (formula === null) counts.valuesChanged++;
        else counts.formulasChanged++;
        rowHasChanged = true;
        batch.refuseProtectedArea(sheet, { top: row, left: column, bottom: row, right: column });
        writer.addCell(row, column, text);
        // Examining the protected ranges may take longer than examining the cell.
        yield;
      }
      if (rowHasChanged) counts.rowsChanged++;
      hasChanged ||= rowHasChanged;
    }
    writer.flushRows();
    if (hasChanged) counts.sheetsChanged++;
  }
  const shown = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  return { findReplace: shown };
};

/** Counts the steps of the searches of one request. */
class CountedSearch {
  private readonly batch: RequestBatch;
  private readonly replacer: ReplaceSteps;
  private steps = 0;

  constructor(batch: RequestBatch, replacer: ReplaceSteps) {
    this.batch = batch;
    this.replacer = replacer;
  }

  /** Replaces the matches in a text. Throws if a text is too long, or if all searches so far took too many steps. */
  *replaceSteps(text: string): Generator<void, ReplacedText> {
    const searches = this.replacer(text);
    for (;;) {
      const search = searches.next();
      if (search.done) {
        if (search.value !== null) return search.value;
        throw createInvalidProblem('A text is too long to search, or to be stored in a cell.');
      }
      this.steps += search.value;
      if (this.steps > MAX_SEARCH_STEPS)
        throw createInvalidProblem('The search takes too long. Search a smaller range.');
      if (this.batch.endsStep(Math.floor(search.value / SEARCH_STEPS_PER_CELL))) yield;
    }
  }
}

/** The function that replaces matches in one text, from the members of a `findReplace` request. */
function createReplacer(batch: RequestBatch, members: RequestObject, path: string): ReplaceSteps {
  const find = readText(members, 'find', path) ?? '';
  if (find === '') throw createInvalidProblem('find must not be empty.');
  const replacement = readText(members, 'replacement', path) ?? '';
  const options: SearchOptions = {
    ignoreCase: !(readFlag(members, 'matchCase', path) ?? false),
    matchesWhole: readFlag(members, 'matchEntireCell', path) ?? false,
    maxLength: batch.context.config.limits.maxStringLength,
  };
  if (!readFlag(members, 'searchByRegex', path)) return createTextReplacer(find, replacement, options);
  const replacer = createRegexReplacer(find, replacement, options);
  if (replacer === 'pattern')
    throw createInvalidProblem(
      'find must be a regular expression without look-around, back references and nested classes.',
    );
  if (replacer === 'replacement')
    throw createInvalidProblem('replacement is malformed, or names a group that find does not have.');
  return (text) => replacer.replaceSteps(text);
}

interface SearchOptions {
  readonly ignoreCase: boolean;
  /** True: the text of a cell has to match as a whole. */
  readonly matchesWhole: boolean;
  /** Maximum length of a cell's text, in UTF-16 units. */
  readonly maxLength: number;
}

/** Replaces plain text, not a regular expression, in one text of a cell. */
function createTextReplacer(
  find: string,
  replacement: string,
  { ignoreCase, matchesWhole, maxLength }: SearchOptions,
): ReplaceSteps {
  const pattern = new RegExp(find.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), ignoreCase ? 'giu' : 'gu');
  return function* (text) {
    yield text.length;
    const found = text.match(pattern) ?? [];
    const isWhole = found.length === 1 && found[0]?.length === text.length;
    if (found.length === 0 || (matchesWhole && !isWhole)) return { matches: 0, text };
    if (found.length * replacement.length > maxLength) return null;
    return { matches: found.length, text: text.replaceAll(pattern, () => replacement) };
  };
}

/** All cells of the sheet's grid. */
function toSheetArea({ grid }: WorkingSheet): Area {
  return { top: 0, left: 0, bottom: grid.rows - 1, right: grid.columns - 1 };
}

/**
 * Where a request searches: one range, one sheet, or all sheets that the caller may see. The area null stands for a
 * whole sheet.
 */
function listSearchAreas(
  batch: RequestBatch,
  members: RequestObject,
  path: string,
): readonly { readonly sheet: WorkingSheet; readonly area: Area | null }[] {
  const range = readObject(members, 'range', path);
  if (range !== undefined) {
    const { sheet, range: area } = batch.parseRange(range, `${path}.range`);
    return [{ sheet, area }];
  }
  if (readFlag(members, 'allSheets', path)) {
    const visibleSheets = batch.sheets.filter(({ id }) => !batch.access.hiddenSheets.has(id));
    return visibleSheets.map((sheet) => ({ sheet, area: null }));
  }
  if (readInteger(members, 'sheetId', path) === undefined)
    throw createInvalidProblem('One of range, sheetId or allSheets must be set.');
  return [{ sheet: batch.requireSheet(members, path), area: null }];
}
