import { type Area, areaText, parseArea } from '@cellwire/engine';
import { callApi, type Failure, formatQuery, formatSheetPath } from '../../data/http.ts';
import type { GridController } from '../controller/grid-controller.ts';

/** Filled cells surrounded by empty rows and columns, with the detected header and totals. */
export interface TableBlock {
  readonly area: Area;
  readonly hasHeader: boolean;
  readonly hasTotal: boolean;
  /** Display texts of the first row. */
  readonly headings: readonly string[];
}

interface TableBlockAnswer {
  readonly revision: number;
  readonly block: (Omit<TableBlock, 'area'> & { readonly range: string }) | null;
}

/**
 * The block around a cell, or the used part of a range. Null if the block is empty. `getRange`: returns the present
 * position of the range.
 */
export async function readTableBlock(
  controller: GridController,
  getRange: () => Area,
): Promise<TableBlock | Failure | null> {
  const answer = await controller.session.revisions.requestPositions(() => {
    const path = formatSheetPath(controller.session.id, controller.state.sheet, 'block');
    return callApi<TableBlockAnswer>('GET', path + formatQuery({ range: areaText(getRange()) }));
  });
  if (!answer.ok) return answer;
  const { block } = answer.value;
  const area = block === null ? null : parseArea(block.range);
  if (block === null || area === null) return null;
  const { top, left, bottom, right } = area;
  const { hasHeader, hasTotal, headings } = block;
  return { area: { top, left, bottom, right }, hasHeader, hasTotal, headings };
}
