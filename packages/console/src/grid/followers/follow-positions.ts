import { type Area, areaText, parseArea } from '@cellwire/engine';
import { draftAfter } from '../controller/draft-after.ts';
import type { Desk } from '../controller/grid-controller.ts';
import type { DeskState } from '../controller/grid-state.ts';
import type { Filter } from '../session/filter.ts';
import { type Arrangement, rearrangedSelection } from '../session/position-mapping.ts';
import { placeOf, rangeText } from '../session/sheet-ranges.ts';

/** Keeps everything that a desk remembers at the same cells while these change places, until the answer is called. */
export function followPlaces(desk: Desk): () => void {
  return desk.book.places.onArranged((arrangement) => {
    const { state, sheet } = desk;
    desk.rearrangeLeft(arrangement);
    sheet.filter = sheet.filter && filterAfter(sheet.filter, arrangement);
    desk.become({
      ...(state.lostAt === null ? selectionAfter(state, arrangement) : {}),
      draft: state.draft && draftAfter(state.draft, arrangement),
      taken: state.taken && takenAfter(state.taken, arrangement),
      spill: state.spill && spillAfter(state.spill, arrangement),
      filter: state.filter && filterAfter(state.filter, arrangement),
    });
    const present = desk.book.state.present.map((one) => ({ ...one, range: rangeAfter(one.range, arrangement) }));
    desk.book.become({ present });
    desk.view?.setShape(desk.shape);
  });
}

/** A selection whose cells are gone stays as it is: what is sent of it says since when. */
function selectionAfter(state: DeskState, arrangement: Arrangement): Partial<DeskState> {
  const { sheet, others, tabColumn } = state;
  const selection = rearrangedSelection(state.selection, sheet, arrangement);
  // Cells that others were put over are still where the person looks.
  if (selection === null && arrangement.losesCells) return { lostAt: arrangement.revision - 1 };
  return {
    selection: selection ?? state.selection,
    others: others.flatMap((area) => areaOn(sheet, area, arrangement) ?? []),
    tabColumn: tabColumn === null ? null : (arrangement.line(sheet, 'columns', tabColumn) ?? tabColumn),
  };
}

function areaOn(sheet: string, area: Area, arrangement: Arrangement): Area | null {
  const found = arrangement.area({ sheet, area });
  return found?.sheet === sheet ? found.area : null;
}

type Taken = NonNullable<DeskState['taken']>;

/** Copied cells that are gone or apart are still in the clipboard as what they were; a cut of them ends. */
function takenAfter(taken: Taken, arrangement: Arrangement): Taken | null {
  const { sheet, table } = taken;
  const found = arrangement.area({ sheet, area: taken.area });
  if (found === null) return null;
  if (found.sheet !== sheet) {
    const [rows, columns] = [taken.table.rows, taken.table.columns];
    const [down, right] = [found.area.top - taken.area.top, found.area.left - taken.area.left];
    return {
      ...taken,
      ...found,
      table: { ...table, rows: rows.map((row) => row + down), columns: columns.map((column) => column + right) },
    };
  }
  const rows = linesAfter(table.rows, (row) => arrangement.cell({ sheet, row, column: table.columns[0] ?? 0 })?.row);
  const columns = linesAfter(
    table.columns,
    (column) => arrangement.cell({ sheet, row: table.rows[0] ?? 0, column })?.column,
  );
  if (rows === null || columns === null) return null;
  return { ...taken, area: found.area, table: { ...table, rows, columns } };
}

/** Null: one of the lines is gone. */
function linesAfter(lines: readonly number[], after: (line: number) => number | undefined): readonly number[] | null {
  const moved = lines.map(after);
  return moved.every((line) => line !== undefined) ? moved : null;
}

function spillAfter(spill: NonNullable<DeskState['spill']>, arrangement: Arrangement): DeskState['spill'] {
  const found = arrangement.area(spill);
  return found && { ...spill, ...found };
}

/** Rows that come into the sheet are shown until the filter is evaluated again. Null: its range is gone. */
function filterAfter(filter: Filter, arrangement: Arrangement): Filter | null {
  const { sheet, count } = filter;
  const area = areaOn(sheet, filter.area, arrangement);
  if (area === null) return null;
  const shown = filter.rows.flatMap((row) => arrangement.line(sheet, 'rows', row) ?? []);
  const rows = [...new Set([...shown, ...arrangement.insertedRows(sheet)])].sort((a, b) => a - b);
  const columns = [...filter.columns].flatMap(([column, condition]) => {
    const moved = arrangement.line(sheet, 'columns', column);
    return moved === null ? [] : [[moved, condition] as const];
  });
  return {
    ...filter,
    area,
    columns: new Map(columns),
    revision: String(arrangement.revision),
    top: area.top,
    rows,
    count: arrangement.line(sheet, 'rows', count) ?? count,
  };
}

function rangeAfter(range: string | null, arrangement: Arrangement): string | null {
  const place = range === null ? null : placeOf(range);
  if (place === null) return range;
  const found = arrangement.area(place);
  return found === null || parseArea(areaText(found.area)) === null
    ? null
    : rangeText(found.sheet, areaText(found.area));
}
