import type { Area } from '@cellwire/engine';
import type { Selection } from '../selection/selection.ts';
import type { OpenSheet } from '../session/open-sheet.ts';
import { PositionHistory } from '../session/position-history.ts';
import { mapSelection } from '../session/position-mapping.ts';
import type { GridModel } from './grid-model.ts';

/** A selection that follows its cells while an action waits for the service. */
export interface TrackedSelection {
  readonly sheet: OpenSheet;
  /** The current selection; null if its cells were deleted. */
  readonly getCurrent: () => Selection | null;
  /** Ends the tracking. Call it when the action ends. */
  readonly release: () => void;
}

/** An area that follows its cells. */
export interface TrackedArea {
  readonly sheet: OpenSheet;
  /** The current area; null if its cells were deleted, separated or moved to another sheet. */
  readonly getCurrent: () => Area | null;
  readonly release: () => void;
}

/** Maximum number of plans of one action while cells keep moving. */
const MAX_PLANS = 5;

/** Keeps track of the present selection, even if the person then selects other cells. */
export function trackSelection(model: GridModel): TrackedSelection {
  const { sheet } = model;
  // A selection of deleted cells stays at its last revision.
  const isDeleted = model.state.lastRevision !== null;
  let held: { readonly selection: Selection | null } = { selection: model.state.selection };
  const history = new PositionHistory<typeof held>(({ selection }, mapping) => ({
    selection: isDeleted ? selection : selection && mapSelection(selection, sheet.name, mapping),
  }));
  const release = model.session.revisions.onMapping((mapping) => {
    held = history.map(held, mapping);
    // Cells were moved away and back: what was read in between is not valid.
    if (mapping.restores !== null) held = { selection: held.selection && { ...held.selection } };
  });
  return { sheet, getCurrent: () => held.selection, release };
}

/** Holds an area of the current sheet. */
export function trackArea(model: GridModel, area: Area): TrackedArea {
  const { sheet } = model;
  let held: { readonly area: Area | null } = { area };
  const history = new PositionHistory<typeof held>(({ area: current }, mapping) => {
    const found = current && mapping.mapArea({ sheet: sheet.name, area: current });
    return { area: found?.sheet === sheet.name ? found.area : null };
  });
  const release = model.session.revisions.onMapping((mapping) => {
    held = history.map(held, mapping);
  });
  return { sheet, getCurrent: () => held.area, release };
}

/**
 * Plans an action on the present selection with requests to the service. Plans again if cells moved while the plan was
 * made. Null if there is no plan for the cells as they are now: they are or were deleted, the person has left the sheet or
 * selected cells of another revision, or cells keep moving. The caller sends the action before it waits again.
 */
export async function planForSelection<T>(
  model: GridModel,
  plan: (selection: Selection) => Promise<T>,
): Promise<T | null> {
  if (model.isSelectionDeleted) return null;
  const heldSelection = trackSelection(model);
  const { lastRevision } = model.state;
  try {
    for (let attempt = 0; attempt < MAX_PLANS; attempt++) {
      const selection = heldSelection.getCurrent();
      if (selection === null || model.sheet !== heldSelection.sheet) return null;
      const planned = await plan(selection);
      // Requests name the last revision of the cells that are selected now.
      if (model.state.lastRevision !== lastRevision) return null;
      if (heldSelection.getCurrent() === selection && model.sheet === heldSelection.sheet) return planned;
    }
    return null;
  } finally {
    heldSelection.release();
  }
}
