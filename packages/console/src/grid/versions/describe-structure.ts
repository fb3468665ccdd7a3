import { areaText, columnName, MAX_COLUMNS, MAX_ROWS, parseArea } from '@cellwire/engine';
import { t } from '../../text/index.ts';
import { parseSheetRange } from '../session/sheet-ranges.ts';

type Members = Readonly<Record<string, unknown>>;

/** Describes an operation of a change, for example `Delete column C of “Sheet1”`. */
export function describeStructure(operation: Members): string {
  const [kind = '', members] = Object.entries(operation)[0] ?? [];
  const describe = DESCRIPTIONS[kind];
  const isKnown = describe !== undefined && typeof members === 'object' && members !== null;
  return isKnown ? describe({ ...members }) : t.proposals.actions.structure;
}

const { sheets, moves, settings, operations: words } = t.proposals;

const DESCRIPTIONS: Readonly<Record<string, (members: Members) => string>> = {
  insertRows: (m) => moves.insert(describeRows(m['before'], m['count']), readText(m['sheet'])),
  insertColumns: (m) => moves.insert(describeColumns(m['before'], m['count']), readText(m['sheet'])),
  insertCells: (m) => describeCells(m['range'], moves.insert),
  deleteRows: (m) => moves.delete(describeRows(m['from'], m['count']), readText(m['sheet'])),
  deleteColumns: (m) => moves.delete(describeColumns(m['from'], m['count']), readText(m['sheet'])),
  deleteCells: (m) => describeCells(m['range'], moves.delete),
  moveRows: (m) => words.moved(describeRows(m['from'], m['count']), readText(m['sheet']), readText(m['before'])),
  moveColumns: (m) => words.moved(describeColumns(m['from'], m['count']), readText(m['sheet']), readText(m['before'])),
  sort: (m) => words.sort(readText(m['range'])),
  copy: (m) => words.copy(readText(m['from']), readText(m['to'])),
  cut: (m) => words.cut(readText(m['from']), readText(m['to'])),
  fill: (m) => words.fill(readText(m['to'])),
  replace: (m) => words.replace(readText(m['find']), readText(m['with']), readText(m['range'])),
  removeDuplicates: (m) => words.removeDuplicates(readText(m['range'])),
  setFilter: (m) => words.filter(parseSheetRange(readText(m['range']))?.sheet ?? readText(m['range'])),
  filterColumn: (m) => words.filter(readText(m['sheet'])),
  deleteFilter: (m) => settings.filter.delete(readText(m['sheet'])),
  addSheet: (m) => sheets.add(readText(m['name'])),
  duplicateSheet: (m) => words.duplicate(readText(m['sheet']), readText(m['name'])),
  renameSheet: (m) => sheets.rename(readText(m['sheet']), readText(m['name'])),
  deleteSheet: (m) => sheets.delete(readText(m['sheet'])),
  hideSheet: (m) => sheets.hide(readText(m['sheet'])),
  showSheet: (m) => sheets.show(readText(m['sheet'])),
  moveSheet: (m) => sheets.move(readText(m['sheet']), Number(m['order']) + 1),
  colorSheet: (m) => sheets.color(readText(m['sheet'])),
  setName: (m) => settings.name.add(readText(m['name']), readText(m['refersTo'])),
  deleteName: (m) => settings.name.delete(readText(m['name'])),
  setTable: (m) => settings.table.add(readText(m['name']), readText(m['range'])),
  deleteTable: (m) => settings.table.delete(readText(m['name'])),
};

function readText(member: unknown): string {
  return typeof member === 'string' || typeof member === 'number' ? String(member) : '';
}

/** `first`: number of the first row, from 1. */
function describeRows(first: unknown, count: unknown): string {
  const last = Number(first) + Number(count ?? 1) - 1;
  return t.proposals.lines.rows(readText(first), String(Math.min(last, MAX_ROWS)));
}

/** `first`: letters of the first column. */
function describeColumns(first: unknown, count: unknown): string {
  const letters = readText(first);
  const left = parseArea(`${letters}:${letters}`)?.left ?? 0;
  const right = Math.min(left + Number(count ?? 1) - 1, MAX_COLUMNS - 1);
  return t.proposals.lines.columns(columnName(left), columnName(right));
}

function describeCells(range: unknown, describe: (cells: string, sheet: string) => string): string {
  const place = parseSheetRange(readText(range));
  return describe(t.proposals.lines.cells(place === null ? readText(range) : areaText(place.area)), place?.sheet ?? '');
}
