import { type FormulaPosition, getGrammar, moveReferences, nameKey, parse, print } from '../../formula/index.ts';
import { type Area, area, height, width } from '../../grid/area.ts';
import { mergeMoves } from '../../grid/merge-moves.ts';
import { type Axis, type Block, listMoveSheets, type Move, moveCell, offsetArea } from '../../grid/move.ts';
import type { LocaleId } from '../../locale/index.ts';
import { attachmentOrigin } from '../../sheet/attachment.ts';
import type { SheetFilter } from '../../sheet/filter.ts';
import type { EditOfKind } from '../edits/edit-result.ts';
import type { Edit, Input, InputSyntax } from '../types.ts';
import { followBlock } from './follow-block.ts';
import { moveColumnEdit } from './follow-columns.ts';

interface FollowedLines {
  readonly sheet: number;
  readonly axis: Axis;
  readonly first: number;
  readonly last: number;
}

interface SheetIdentity {
  readonly id: number;
  readonly name: string;
}

/** The changes of a document between the state for which edits were made and a later state. */
export interface LaterChanges {
  readonly moves: readonly Move[];
  /** Sheets before and after, with their ids and names. */
  readonly before: readonly SheetIdentity[];
  readonly after: readonly SheetIdentity[];
  /** The id that the next new sheet gets, before and after the changes. */
  readonly nextSheetId: { readonly before: number; readonly after: number };
}

/**
 * Converts edits of an earlier state to edits with the same effect on a later state. Their cells and the references of
 * their formulas follow moves; sheets are identified by id and get their new names. Null if there are no such edits,
 * because cells or sheets were deleted or because a block that must stay whole was split.
 */
export function followEdits(edits: readonly Edit[], changes: LaterChanges): readonly Edit[] | null {
  const present = new Set(changes.after.map(({ id }) => id));
  const shift = changes.nextSheetId.after - changes.nextSheetId.before;
  const numbered = shift === 0 ? edits : edits.map((edit) => mapEditSheets(edit, (id) => followSheetId(id, changes)));
  const followed: Edit[] = [];
  let { moves } = changes;
  for (const edit of numbered) {
    const exists = (id: number): boolean => present.has(id) || id >= changes.nextSheetId.after;
    if (!listNamedSheets(edit).every(exists)) return null;
    if (edit.kind === 'moveCells') {
      const merged = moves.length === 0 ? { first: [edit.move], second: moves } : mergeMoves([edit.move], moves);
      if (merged === null || !keepsSize(edit.move, merged.first)) return null;
      followed.push(...merged.first.map((move): Edit => ({ kind: 'moveCells', move })));
      moves = merged.second;
      continue;
    }
    const next = new EditFollower(changes, moves).followEdit(edit);
    if (next === null) return null;
    followed.push(...next);
  }
  return followed;
}

/** The id that a sheet of the edits has in the later state. Sheets that the edits add get later ids. */
function followSheetId(id: number, { nextSheetId: { before, after } }: LaterChanges): number {
  return id < before ? id : id - before + after;
}

/** True if the converted move still moves the same number of lines as one block. */
function keepsSize(move: Move, merged: readonly Move[]): boolean {
  const [only, ...others] = merged;
  if (only === undefined || others.length > 0 || only.kind !== move.kind) return false;
  if (move.kind === 'carry' || only.kind === 'carry') {
    return move.kind === 'carry' && only.kind === 'carry' && isSameSize(move.area, only.area);
  }
  return move.count === only.count;
}

function isSameSize(a: Area, b: Area): boolean {
  return height(a) === height(b) && width(a) === width(b);
}

/** Returns the sheets whose cells an edit reads or changes. */
export function listNamedSheets(edit: Edit): readonly number[] {
  if (edit.kind === 'moveCells') return [...listMoveSheets(edit.move)];
  if (edit.kind === 'copy') return [edit.sheet, edit.toSheet];
  if ('sheet' in edit) return [edit.sheet];
  if ('scope' in edit && edit.scope !== undefined) return [edit.scope];
  return [];
}

/** The edit with each sheet id replaced by `map`. */
function mapEditSheets(edit: Edit, map: (id: number) => number): Edit {
  if (edit.kind === 'moveCells') return { ...edit, move: mapMoveSheets(edit.move, map) };
  if (edit.kind === 'copy') return { ...edit, sheet: map(edit.sheet), toSheet: map(edit.toSheet) };
  if ('sheet' in edit) return { ...edit, sheet: map(edit.sheet) };
  if ('scope' in edit && edit.scope !== undefined) return { ...edit, scope: map(edit.scope) };
  return edit;
}

/** The move with each sheet id replaced by `map`. */
function mapMoveSheets(move: Move, map: (id: number) => number): Move {
  const sheet = map(move.sheet);
  return move.kind === 'carry' ? { ...move, sheet, toSheet: map(move.toSheet) } : { ...move, sheet };
}

class EditFollower {
  private readonly changes: LaterChanges;
  private readonly moves: readonly Move[];
  private readonly isSame: boolean;

  constructor(changes: LaterChanges, moves: readonly Move[]) {
    this.changes = changes;
    this.moves = moves;
    const names = new Map(changes.before.map(({ id, name }) => [id, name]));
    this.isSame = moves.length === 0 && changes.after.every(({ id, name }) => (names.get(id) ?? name) === name);
  }

  /** The edits with the same effect after the moves; null if there are none. */
  followEdit(edit: Exclude<Edit, { readonly kind: 'moveCells' }>): readonly Edit[] | null {
    if (this.isSame) return [edit];
    switch (edit.kind) {
      case 'setValues':
        return this.followValues(edit);
      case 'putColumns':
        return moveColumnEdit(edit, (block) => this.followPieces(edit.sheet, block));
      case 'append':
        return this.followAppend(edit);
      case 'clear':
      case 'setFormat':
      case 'styleCells':
      case 'unmergeCells':
        return (
          this.followPieces(edit.sheet, edit.area)?.map(({ sheet, target }) => ({ ...edit, sheet, area: target })) ??
          null
        );
      case 'mergeCells': {
        const to = this.followAreas(edit.sheet, edit.areas);
        return to && [{ ...edit, ...to }];
      }
      case 'attach':
        return this.followAttachments(edit);
      case 'fill':
        return this.followFill(edit);
      case 'copy':
        return this.followCopy(edit);
      case 'sort':
        return this.followSort(edit);
      case 'removeDuplicates': {
        const to = this.followWhole(edit.sheet, edit.area);
        if (to === null) return null;
        const columns = edit.columns.map((column) => column + to.area.left - edit.area.left);
        return [{ ...edit, sheet: to.sheet, area: to.area, columns }];
      }
      case 'replace':
      case 'setTable': {
        const to = this.followWhole(edit.sheet, edit.area);
        return to && [{ ...edit, sheet: to.sheet, area: to.area }];
      }
      case 'sizeLines':
      case 'hideLines':
      case 'groupLines': {
        const to = this.followLines(edit);
        return to && [{ ...edit, ...to }];
      }
      case 'inheritLines':
        return this.followInheritance(edit);
      case 'setFilter':
        return edit.filter === null ? [edit] : this.followFilter(edit, edit.filter);
      case 'filterColumn': {
        const to = this.followWhole(edit.sheet, area(0, edit.column, 0, edit.column));
        return to && [{ ...edit, sheet: to.sheet, column: to.area.left }];
      }
      case 'setName': {
        const place = { sheet: -1, row: 0, column: 0 };
        return [{ ...edit, refersTo: this.followFormula(edit.refersTo, edit.locale ?? null, place) }];
      }
      case 'takeBack':
      case 'restore':
        return this.moves.length === 0 ? [edit] : null;
      case 'setSheetPart':
      case 'changeSettings':
      case 'addSheet':
      case 'renameSheet':
      case 'deleteSheet':
      case 'hideSheet':
      case 'duplicateSheet':
      case 'moveSheet':
      case 'colorSheet':
      case 'deleteName':
      case 'renameName':
      case 'deleteTable':
      case 'recalculate':
        return [edit];
    }
  }

  /** The fill with its areas after the moves; null if one of them was split or they are on different sheets. */
  private followFill(edit: EditOfKind<'fill'>): readonly Edit[] | null {
    const source = this.followWhole(edit.sheet, edit.area);
    const to = this.followWhole(edit.sheet, edit.to);
    if (source === null || to === null || source.sheet !== to.sheet) return null;
    return [{ ...edit, sheet: source.sheet, area: source.area, to: to.area }];
  }

  /** The copy with its areas after the moves; null if one of them was split. */
  private followCopy(edit: EditOfKind<'copy'>): readonly Edit[] | null {
    const { area: from, row, column } = edit;
    const source = this.followWhole(edit.sheet, from);
    const over = area(row, column, row + height(from) - 1, column + width(from) - 1);
    const to = this.followWhole(edit.toSheet, over);
    if (source === null || to === null) return null;
    const place = { toSheet: to.sheet, row: to.area.top, column: to.area.left };
    return [{ ...edit, sheet: source.sheet, area: source.area, ...place }];
  }

  /**
   * The sort with its area and key columns after the moves. Null if the area was split, or if it moved to other rows or
   * another sheet and the sort is for only some rows.
   */
  private followSort(edit: EditOfKind<'sort'>): readonly Edit[] | null {
    const to = this.followWhole(edit.sheet, edit.area);
    if (to === null) return null;
    // If the area moved, other rows may now be shown by its filter.
    if (edit.rows !== undefined && (to.sheet !== edit.sheet || to.area.top !== edit.area.top)) return null;
    const by = edit.by.map((key) => ({ ...key, column: key.column + to.area.left - edit.area.left }));
    return [{ ...edit, sheet: to.sheet, area: to.area, by }];
  }

  /** The edit with its lines after the moves; null if they are no longer adjacent lines of the sheet of line `from`. */
  private followInheritance(edit: EditOfKind<'inheritLines'>): readonly Edit[] | null {
    const { axis, from } = edit;
    const to = this.followLines(edit);
    const source = this.followLines({ sheet: edit.sheet, axis, first: from, last: from });
    if (to === null || source === null || source.sheet !== to.sheet) return null;
    return [{ ...edit, ...to, from: source.first }];
  }

  /** The pieces of a block after the moves; null if cells of it were deleted. */
  private followPieces(sheet: number, block: Area) {
    const { pieces, lost } = followBlock({ sheet, area: block }, this.moves);
    return lost.length > 0 ? null : pieces;
  }

  /** Returns the cells of a block after the moves; null if they are not one block. */
  private followWhole(sheet: number, block: Area): Block | null {
    const pieces = this.followPieces(sheet, block);
    const [first] = pieces ?? [];
    if (first === undefined || pieces === null) return null;
    if (pieces.length === 1) return { sheet: first.sheet, area: first.target };
    const [rows, columns] = [first.target.top - first.source.top, first.target.left - first.source.left];
    const isWhole = pieces.every(
      ({ sheet: id, source, target }) =>
        id === first.sheet && target.top - source.top === rows && target.left - source.left === columns,
    );
    return isWhole ? { sheet: first.sheet, area: offsetArea(block, rows, columns) } : null;
  }

  /** Returns rows or columns after the moves; null if they are no longer adjacent. */
  private followLines({ sheet, axis, first, last }: FollowedLines): FollowedLines | null {
    const isRows = axis === 'rows';
    const to = this.followWhole(sheet, isRows ? area(first, 0, last, 0) : area(0, first, 0, last));
    if (to === null) return null;
    const { top, bottom, left, right } = to.area;
    return isRows
      ? { sheet: to.sheet, axis, first: top, last: bottom }
      : { sheet: to.sheet, axis, first: left, last: right };
  }

  /** Returns areas after the moves; null if one of them was split, or if they are on different sheets. */
  private followAreas(sheet: number, areas: readonly Area[]): { sheet: number; areas: readonly Area[] } | null {
    const moved: Area[] = [];
    let onSheet: number | null = null;
    for (const one of areas) {
      const to = this.followWhole(sheet, one);
      if (to === null || to.sheet !== (onSheet ?? to.sheet)) return null;
      onSheet = to.sheet;
      moved.push(to.area);
    }
    return { sheet: onSheet ?? sheet, areas: moved };
  }

  /** The attachments with areas and formulas after the moves; null if an area was split. */
  private followAttachments(edit: EditOfKind<'attach'>): readonly Edit[] | null {
    const { sheet, within, attachments } = edit;
    const all = [...(within === null ? [] : [within]), ...attachments.flatMap(({ areas }) => areas)];
    const to = this.followAreas(sheet, all);
    if (to === null) return null;
    const [first, ...others] = to.areas;
    const rest = [...(within === null ? to.areas : others)];
    const moved = attachments.map((one) => ({
      ...one,
      areas: rest.splice(0, one.areas.length),
      ...(one.formulas && { formulas: this.followFormulas(edit, one.areas, one.formulas) }),
    }));
    return [{ ...edit, sheet: to.sheet, within: within && (first ?? null), attachments: moved }];
  }

  /** The formulas of an attachment, relative to its areas after the moves. */
  private followFormulas(
    { sheet, locale = null }: EditOfKind<'attach'>,
    areas: readonly Area[],
    formulas: readonly string[],
  ): readonly string[] {
    const from = { sheet, ...attachmentOrigin(areas) };
    return formulas.map((text) => this.followFormula(text, locale, from));
  }

  /** The filter with its area and columns after the moves; null if the area was split. */
  private followFilter(edit: EditOfKind<'setFilter'>, filter: SheetFilter): readonly Edit[] | null {
    const to = this.followWhole(edit.sheet, filter.area);
    if (to === null) return null;
    const shift = to.area.left - filter.area.left;
    const columns = filter.columns.map((one) => ({ ...one, column: one.column + shift }));
    return [{ ...edit, sheet: to.sheet, filter: { ...filter, area: to.area, columns } }];
  }

  /** One edit for each piece of the written block after the moves; null if cells of it were deleted. */
  private followValues(edit: EditOfKind<'setValues'>): readonly Edit[] | null {
    const { row, column, values } = edit;
    const columns = values.reduce((most, cells) => Math.max(most, cells.length), 0);
    if (columns === 0) return [edit];
    const block = area(row, column, row + values.length - 1, column + columns - 1);
    const pieces = this.followPieces(edit.sheet, block);
    return (
      pieces?.map(({ source, sheet, target }): Edit => {
        const part = values.slice(source.top - row, source.bottom - row + 1).map((cells, r) =>
          cells.slice(source.left - column, source.right - column + 1).map((input, c) => {
            return this.followInput(input, edit, { sheet: edit.sheet, row: source.top + r, column: source.left + c });
          }),
        );
        return { ...edit, sheet, row: target.top, column: target.left, values: part };
      }) ?? null
    );
  }

  /** The appended rows at the moved column, with formulas that refer to the moved cells. */
  private followAppend(edit: EditOfKind<'append'>): readonly Edit[] | null {
    const place = { sheet: edit.sheet, row: 0, column: edit.column };
    const to = this.moves.reduce<{ sheet: number; row: number; column: number } | null>(
      (at, move) => at && moveCell(move, at.sheet, at.row, at.column),
      place,
    );
    const column = to?.sheet === edit.sheet ? to.column : edit.column;
    const values = edit.values.map((cells) => cells.map((input) => this.followInput(input, edit, place)));
    return [{ ...edit, column, values }];
  }

  /** An input whose formula refers to the moved cells; other inputs do not change. */
  private followInput(input: Input, { mode, locale = null }: InputSyntax, position: FormulaPosition): Input {
    if (typeof input === 'string') {
      return mode === 'user' && isFormula(input) ? this.followFormula(input, locale, position) : input;
    }
    if (typeof input !== 'object' || input === null || input.as !== 'formula') return input;
    return { ...input, value: this.followFormula(String(input.value), null, position) };
  }

  /**
   * Returns the text of a formula, entered at `position`, with its references updated for the moves. Unchanged if it
   * cannot be parsed.
   */
  private followFormula(text: string, locale: LocaleId | null, position: FormulaPosition): string {
    const { before, after } = this.changes;
    const grammar = getGrammar(locale);
    const ids = new Map(before.map(({ id, name }) => [nameKey(name), id]));
    let node = parse(text, grammar, position, { findSheetId: (name) => ids.get(nameKey(name)) ?? -1 });
    if (node.k === 'invalid') return text;
    let place = position;
    for (const move of this.moves) {
      const next = moveCell(move, place.sheet, place.row, place.column) ?? place;
      node = moveReferences(node, move, place, next);
      place = next;
    }
    const names = new Map(after.map(({ id, name }) => [id, name]));
    return print(node, grammar, place, { getSheetName: (id) => names.get(id) ?? null });
  }
}

function isFormula(text: string): boolean {
  return text.length > 1 && text.startsWith('=');
}
