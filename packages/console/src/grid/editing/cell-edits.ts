import { type Area, type LocaleId, parseArea, splitSheetPrefix } from '@cellwire/engine';
import type { Failure, Result } from '../../data/http.ts';
import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { getUsedSelection, listVisibleRowSpans } from '../controller/selected-areas.ts';
import type { GridPosition } from '../selection/selection.ts';
import { createRefusal, nameRefusedCell } from '../session/cell-refusals.ts';
import { extendUsedArea } from '../session/open-sheet.ts';
import type { SharedChoice } from '../session/session-state.ts';

/** Result of an action: null on success, else the failure. */
export type ActionResult = Promise<Failure | null>;

/** Maximum number of edits in a request; see the console's route `cells`. */
export const MAX_EDITS = 10_000;
/** Maximum number of operations in a request; see `structure` of the API. */
export const MAX_OPERATIONS = 1_000;
/** One edit of a request; see the service's `CellEdit`. */
export type CellEdit =
  | { readonly clear: string }
  | { readonly format: string; readonly code: string }
  | { readonly copy: string; readonly to: string }
  | { readonly fill: string; readonly to: string }
  | { readonly put: string; readonly values: readonly (readonly unknown[])[] };

export async function toActionResult(answer: Promise<Result<unknown>>): ActionResult {
  const result = await answer;
  return result.ok ? null : result;
}

/** Sends edits as one revision. */
export function sendEdits(
  { session, editBase }: GridController,
  edits: readonly CellEdit[],
  {
    inputLocale = null,
    base = editBase,
    shared = null,
  }: { readonly inputLocale?: LocaleId | null; readonly base?: number; readonly shared?: SharedChoice | null } = {},
): Promise<Result<unknown>> {
  if (edits.length > MAX_EDITS) return Promise.resolve(createRefusal(t.grid.tooManyAreas(MAX_EDITS)));
  const locale = inputLocale ?? session.locale;
  const body = locale === null ? { edits } : { edits, inputLocale: locale };
  return session.sendConsoleEdit('POST', '/cells', body, { base, shared });
}

/** Sends edits of the current sheet as one revision and reloads the areas. */
export async function editAreas(
  controller: GridController,
  edits: readonly CellEdit[],
  areas: readonly Area[],
  inputLocale: LocaleId | null = null,
): ActionResult {
  if (edits.length === 0) return null;
  const { session } = controller;
  const open = session.getOpenSheet(controller.state.sheet);
  for (const area of areas) extendUsedArea(open, area);
  const answer = await sendEdits(controller, edits, { inputLocale });
  if (!answer.ok) session.openSheets.scheduleLayoutReload();
  open.cells.markStale(areas);
  return answer.ok ? null : nameRefusedCell(answer, (position) => findFirstCell(edits[position]));
}

/** The first cell of an edit's values; null if it has no values. */
function findFirstCell(edit: CellEdit | undefined): GridPosition | null {
  const area = edit === undefined || !('put' in edit) ? null : parseArea(splitSheetPrefix(edit.put)?.rest ?? '');
  return area === null ? null : { row: area.top, column: area.left };
}

/** Returns a failure if the selection has several areas or hidden rows inside it; else null. */
export function refuseSeveralAreas(controller: GridController): Failure | null {
  if (controller.state.otherAreas.length > 0) return createRefusal(t.grid.oneArea);
  return listVisibleRowSpans(controller, getUsedSelection(controller)).length > 1
    ? createRefusal(t.grid.hasHiddenRows)
    : null;
}

export function reportFailure(controller: GridController, outcome: Promise<Failure | null>): void {
  void outcome.then((failure) => failure !== null && controller.onFailure(failure));
}
