import type { Area } from '@cellwire/engine';
import type { Proposal, ProposedChange } from '../data/proposals.ts';
import { parseSheetRange } from '../grid/session/sheet-ranges.ts';
import { t } from '../text/index.ts';

/** `now`: positions and names in the present document. `after`: after the proposal is applied. */
type ProposalView = 'now' | 'after';

/** A place of the grid that a person looks at. */
export interface ProposalPlace {
  readonly view: ProposalView;
  readonly sheet: string;
  readonly area: Area;
}

/** One step of a proposal: a change of a sheet, a move of cells, or a changed cell. */
export interface ProposalItem {
  readonly key: string;
  /** What happens to a sheet, or to rows and columns, in words; null for a changed cell. */
  readonly text: string | null;
  readonly change: ProposedChange | null;
  /** Null: the item has no place. */
  readonly place: ProposalPlace | null;
}

/** The steps of a proposal in the order in which they are shown. */
export function listProposalItems(proposal: Proposal): readonly ProposalItem[] {
  const { sheetChanges, moves, settingChanges, changes, summary } = proposal;
  return [
    ...sheetChanges.map((one): ProposalItem => {
      const view = one.change === 'delete' ? 'now' : 'after';
      const place = { view, sheet: one.sheet, area: { top: 0, left: 0, bottom: 0, right: 0 } } as const;
      return { key: `${one.change} ${one.sheet}`, text: describeSheetChange(one), change: null, place };
    }),
    ...moves.map((move): ProposalItem => {
      const { from, to } = move;
      const place = to === undefined ? locateRange(from ?? '', 'now') : locateRange(to, 'after');
      return { key: `${from} ${to}`, text: describeMove(move), change: null, place };
    }),
    ...settingChanges.map((one): ProposalItem => {
      const place = one.after === undefined ? locateRange(one.before ?? '', 'now') : locateRange(one.after, 'after');
      return { key: `${one.setting} ${one.name}`, text: describeSettingChange(one), change: null, place };
    }),
    ...changes
      .map((change): ProposalItem => {
        const place = locateRange(change.cell, change.deleted ? 'now' : 'after');
        return { key: `${change.deleted} ${change.cell}`, text: null, change, place };
      })
      .sort((a, b) => compareItems(a, b, summary.sheets)),
  ];
}

/** Written cells, then removed cells, then recalculated cells; within these by sheet and in the order of reading. */
function compareItems(a: ProposalItem, b: ProposalItem, sheets: readonly string[]): number {
  const byKind = getKindOrder(a) - getKindOrder(b);
  if (byKind !== 0 || a.place === null || b.place === null) return byKind;
  const [one, other] = [a.place, b.place];
  const bySheet = sheets.indexOf(one.sheet) - sheets.indexOf(other.sheet);
  return bySheet || one.area.top - other.area.top || one.area.left - other.area.left;
}

function getKindOrder({ change }: ProposalItem): number {
  return change?.derived ? 2 : change?.deleted ? 1 : 0;
}

export function locateRange(range: string, view: ProposalView): ProposalPlace | null {
  const parsed = parseSheetRange(range);
  return parsed === null ? null : { view, ...parsed };
}

function describeSheetChange({ change, sheet, before = '', position = 0 }: Proposal['sheetChanges'][number]): string {
  const { sheets } = t.proposals;
  if (change === 'rename') return sheets.rename(before, sheet);
  return change === 'move' ? sheets.move(sheet, position) : sheets[change](sheet);
}

function describeMove({ from, to }: Proposal['moves'][number]): string {
  const { moves } = t.proposals;
  const [source, target] = [describeRange(from), describeRange(to)];
  if (source === null) return moves.insert(target?.cells ?? '', target?.sheet ?? '');
  if (target === null) return moves.delete(source.cells, source.sheet);
  return moves.move(source.cells, source.sheet, target.cells, target.sheet);
}

function describeSettingChange(changed: Proposal['settingChanges'][number]): string {
  const { setting, change, name, before = '', after = '', columns = [] } = changed;
  const { settings } = t.proposals;
  if (setting === 'layout') return settings.layout(name);
  if (setting === 'filter') return settings.filter[change](name, columns.join(', '));
  const words = settings[setting];
  return change === 'change' ? words.change(name, before, after) : words[change](name, after);
}

const ROWS = /^(\d+):(\d+)$/;
const COLUMNS = /^([A-Z]+):([A-Z]+)$/;

/** Rows, columns or cells in words, and their sheet. */
function describeRange(range: string | undefined): { readonly cells: string; readonly sheet: string } | null {
  if (range === undefined) return null;
  const sheet = parseSheetRange(range)?.sheet ?? '';
  const cells = range.slice(range.lastIndexOf('!') + 1);
  const { rows, columns, cells: describeCells } = t.proposals.lines;
  const [, firstRow, lastRow] = ROWS.exec(cells) ?? [];
  if (firstRow !== undefined && lastRow !== undefined) return { cells: rows(firstRow, lastRow), sheet };
  const [, firstColumn, lastColumn] = COLUMNS.exec(cells) ?? [];
  if (firstColumn !== undefined && lastColumn !== undefined) return { cells: columns(firstColumn, lastColumn), sheet };
  return { cells: describeCells(cells), sheet };
}

/** A changed value as the grid shows it; empty if the cell is empty. */
export function getDisplayedText({ shown, ...values }: ProposedChange, when: 'before' | 'after'): string {
  if (shown !== undefined) return shown[when] ?? '';
  const value = values[when];
  if (value === null) return '';
  if (typeof value === 'object') return 'error' in value ? String(value.error) : '';
  return typeof value === 'boolean' ? String(value).toUpperCase() : String(value);
}

/** The values of a change that the number format hides, such as 62.4% and 62.5% shown as 62%; null: it hides none. */
export function getHiddenValues(change: ProposedChange): Pick<ProposedChange, 'before' | 'after'> | null {
  const { before, after, shown } = change;
  return shown !== undefined && shown.before === shown.after && before !== after ? { before, after } : null;
}
