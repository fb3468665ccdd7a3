import {
  type Area,
  areaText,
  type ChangeSet,
  columnName,
  findFilter,
  getGrammar,
  type LocaleId,
  type Move,
  moveBlocks,
  nameViews,
  nameViewsAfterMoves,
  quoteSheetName,
  type Sheet,
  type SheetFilter,
  type Snapshot,
  type Table,
  union,
} from '@cellwire/engine';
import { MAX_PREVIEWED_SETTINGS } from '../limits/requests.ts';

/** A defined name, a table, a filter or the layout of a sheet that a batch changes. Plain data. */
export interface SettingChange {
  readonly setting: 'name' | 'table' | 'filter' | 'layout';
  readonly change: 'add' | 'change' | 'delete';
  /** The defined name or the table; of a filter or layout the sheet. */
  readonly name: string;
  /** The formula of a name, or the range of a table or filter, before the batch; absent if there was none. */
  readonly before?: string;
  /** The same after the batch; absent if there is none. */
  readonly after?: string;
  /** Letters of the columns whose conditions change in a filter. */
  readonly columns?: readonly string[];
  /** Id of the sheet of a table, filter or layout. Absent for a name, whose formula every reader may see. */
  readonly sheet?: number;
}

/** A name or a table with its formula or range. */
type NamedText = Pick<SettingChange, 'name' | 'sheet'> & { readonly text: string };

/**
 * Lists names, tables, filters and layouts that a batch changes by more than moving their cells: at most one more than
 * `MAX_PREVIEWED_SETTINGS`. `formulaLocale`: the locale in whose grammar formulas of names are written; null: the API's
 * grammar.
 */
export function listSettingChanges(change: ChangeSet, formulaLocale: LocaleId | null): readonly SettingChange[] {
  const { before, after } = change;
  const names = before.names === after.names ? [] : listNameChanges(change, formulaLocale);
  const tables = before.tables === after.tables ? [] : listTableChanges(change);
  const sheets = after.sheets.flatMap((sheet) => describeSheetSettings(change, sheet));
  return [...names, ...tables, ...sheets].slice(0, MAX_PREVIEWED_SETTINGS + 1);
}

function listNameChanges(
  { before, after, moves }: ChangeSet,
  formulaLocale: LocaleId | null,
): readonly SettingChange[] {
  const grammar = getGrammar(formulaLocale);
  const toTexts = (views: ReturnType<typeof nameViews>): readonly NamedText[] =>
    views.map(({ name, refersTo }) => ({ name, text: refersTo }));
  return compareTexts(
    'name',
    toTexts(nameViewsAfterMoves(before, moves, after, grammar)),
    toTexts(nameViews(after, grammar)),
  );
}

function listTableChanges({ before, after, moves }: ChangeSet): readonly SettingChange[] {
  const toTexts = (tables: readonly Table[]): readonly NamedText[] =>
    tables.map(({ name, sheet, area }) => ({ name, text: formatPlace(after, sheet, area), sheet }));
  const moved = before.tables
    .filter(({ sheet }) => after.hasSheet(sheet))
    .flatMap((table) => {
      const area = followTable(table, moves);
      return area === null ? [] : { ...table, area };
    });
  return compareTexts('table', toTexts(moved), toTexts(after.tables));
}

/** The area around all cells of a table after moves; null: they are deleted. */
function followTable({ sheet, area }: Table, moves: readonly Move[]): Area | null {
  let blocks = [{ sheet, area }] as ReturnType<typeof moveBlocks>;
  for (const move of moves) blocks = blocks.flatMap((block) => moveBlocks(move, block));
  const areas = blocks.filter((block) => block.sheet === sheet).map((block) => block.area);
  return areas.length === 0 ? null : areas.reduce(union);
}

/** Names and tables that were added, got another text or are gone. */
function compareTexts(
  setting: 'name' | 'table',
  before: readonly NamedText[],
  after: readonly NamedText[],
): readonly SettingChange[] {
  const old = new Map(before.map((one) => [one.name, one]));
  const present = new Set(after.map(({ name }) => name));
  const changed = after.flatMap(({ text, ...one }): readonly SettingChange[] => {
    const earlier = old.get(one.name);
    if (earlier === undefined) return [{ setting, change: 'add', ...one, after: text }];
    return earlier.text === text ? [] : [{ setting, change: 'change', ...one, before: earlier.text, after: text }];
  });
  const deleted = before.filter(({ name }) => !present.has(name));
  return [
    ...changed,
    ...deleted.map(({ text, ...one }): SettingChange => ({ setting, change: 'delete', ...one, before: text })),
  ];
}

/** The change of a sheet's filter, or else of its layout. */
function describeSheetSettings({ moved, moves }: ChangeSet, sheet: Sheet): readonly SettingChange[] {
  const earlier = moved.sheetById(sheet.id);
  if (earlier === undefined || earlier.layout === sheet.layout) return [];
  const filter = describeFilterChange(sheet, findFilter(earlier.layout), findFilter(sheet.layout));
  if (filter !== null) return [filter];
  // After moves equal layouts may be different objects. The proposal then has its moves to show.
  return moves.length > 0 ? [] : [{ setting: 'layout', change: 'change', name: sheet.name, sheet: sheet.id }];
}

function describeFilterChange(
  { id, name }: Sheet,
  before: SheetFilter | null,
  after: SheetFilter | null,
): SettingChange | null {
  const columns = listChangedConditions(before, after);
  const texts = {
    ...(before === null ? {} : { before: formatRangeOf(name, before.area) }),
    ...(after === null ? {} : { after: formatRangeOf(name, after.area) }),
  };
  if (columns.length === 0 && texts.before === texts.after) return null;
  const change = before === null ? 'add' : after === null ? 'delete' : 'change';
  return { setting: 'filter', change, name, ...texts, columns, sheet: id };
}

/** Letters of the columns whose conditions differ. */
function listChangedConditions(before: SheetFilter | null, after: SheetFilter | null): readonly string[] {
  const toConditions = (filter: SheetFilter | null) =>
    new Map(filter?.columns.map(({ column, condition }) => [column, JSON.stringify(condition)]));
  const [old, now] = [toConditions(before), toConditions(after)];
  const columns = [...new Set([...old.keys(), ...now.keys()])].sort((a, b) => a - b);
  return columns.filter((column) => old.get(column) !== now.get(column)).map(columnName);
}

function formatPlace({ sheets }: Snapshot, sheet: number, area: Area): string {
  return formatRangeOf(sheets.find(({ id }) => id === sheet)?.name ?? '', area);
}

function formatRangeOf(sheetName: string, area: Area): string {
  return `${quoteSheetName(sheetName)}!${areaText(area)}`;
}
