import type { Axis, Sheet } from '@cellwire/engine';
import { KINDS, readStoredObjects } from './state.ts';

/** A group of lines. Bounds start at 0 and are inclusive. */
interface DimensionGroup {
  readonly first: number;
  readonly last: number;
  readonly depth: number;
}

/** The groups of an axis, outer ones first if they start at the same line. */
export function listGroups({ layout }: Pick<Sheet, 'layout'>, axis: Axis): readonly DimensionGroup[] {
  const bands = layout[axis].filter(({ level }) => level !== undefined);
  const groups: DimensionGroup[] = [];
  const open: DimensionGroup[] = [];
  const closeGroups = (depth: number) => {
    while (open.length > depth) groups.push(open.pop() as DimensionGroup);
  };
  let end = -1;
  for (const { first, last, level = 0 } of bands) {
    if (first > end + 1) closeGroups(0);
    closeGroups(level);
    for (let depth = 0; depth < open.length; depth++) open[depth] = { ...(open[depth] as DimensionGroup), last };
    while (open.length < level) open.push({ first, last, depth: open.length + 1 });
    end = last;
  }
  closeGroups(0);
  return groups.sort((a, b) => a.first - b.first || a.depth - b.depth);
}

/** Groups in the form of answers. */
export function toGroupAnswers(sheet: Sheet, axis: Axis, sheetId: number): readonly object[] {
  const collapsed = readStoredObjects(sheet, KINDS.group).flatMap(({ value, areas: [area] }) =>
    value['axis'] === axis && area !== undefined
      ? [
          axis === 'rows'
            ? `${area.top}:${area.bottom}:${value['depth']}`
            : `${area.left}:${area.right}:${value['depth']}`,
        ]
      : [],
  );
  return listGroups(sheet, axis).map(({ first, last, depth }) => ({
    range: {
      ...(sheetId === 0 ? {} : { sheetId }),
      dimension: axis === 'rows' ? 'ROWS' : 'COLUMNS',
      startIndex: first,
      endIndex: last + 1,
    },
    depth,
    ...(collapsed.includes(`${first}:${last}:${depth}`) ? { collapsed: true } : {}),
  }));
}
