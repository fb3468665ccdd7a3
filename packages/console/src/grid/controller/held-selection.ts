import type { Area } from '@cellwire/engine';
import type { Selection } from '../selection/selection.ts';
import type { OpenSheet } from '../session/open-sheet.ts';
import { mapSelection } from '../session/position-mapping.ts';
import type { GridModel } from './grid-model.ts';

/** A selection that follows its cells while an action waits for the service. */
export interface TrackedSelection {
  readonly sheet: OpenSheet;
  /** The current selection; null if its cells were deleted. */
  readonly now: () => Selection | null;
  /** Ends the tracking. Call it when the action ends. */
  readonly release: () => void;
}

/** An area that follows its cells. */
export interface TrackedArea {
  readonly sheet: OpenSheet;
  /** The current area; null if its cells were deleted, separated or moved to another sheet. */
  readonly now: () => Area | null;
  readonly release: () => void;
}

/** Maximum number of plans of one action while cells keep moving. */
const MAX_PLANS = 5;

/** Keeps track of the present selection, even if the person then selects other cells. */
export function trackSelection(model: GridModel): TrackedSelection {
  const { sheet } = model;
  let selection: Selection | null = model.state.selection;
  // A selection of deleted cells stays at its last revision.
  const isDeleted = model.state.lastRevision !== null;
  const release = model.session.revisions.onMapping((mapping) => {
    if (!isDeleted) selection = selection && mapSelection(selection, sheet.name, mapping);
  });
  return { sheet, now: () => selection, release };
}

/** Holds an area of the current sheet. */
export function trackArea(model: GridModel, area: Area): TrackedArea {
  const { sheet } = model;
  let current: Area | null = area;
  const release = model.session.revisions.onMapping((mapping) => {
    const found = current && mapping.mapArea({ sheet: sheet.name, area: current });
    current = found?.sheet === sheet.name ? found.area : null;
  });
  return { sheet, now: () => current, release };
}

/**
 * Plans an action on the present selection with requests to the service. Plans again if cells moved while the plan was
 * made. Null if there is no plan for the cells as they are now: they were deleted, the person has left the sheet or
 * selected cells of another revision, or cells keep moving. The caller sends the action before it waits again.
 */
export async function planForSelection<T>(
  model: GridModel,
  plan: (selection: Selection) => Promise<T>,
): Promise<T | null> {
  const heldSelection = trackSelection(model);
  const { lastRevision } = model.state;
  try {
    for (let attempt = 0; attempt < MAX_PLANS; attempt++) {
      const selection = heldSelection.now();
      if (selection === null || model.sheet !== heldSelection.sheet) return null;
      const planned = await plan(selection);
      // Requests name the last revision of the cells that are selected now.
      if (model.state.lastRevision !== lastRevision) return null;
      if (heldSelection.now() === selection && model.sheet === heldSelection.sheet) return planned;
    }
    return null;
  } finally {
    heldSelection.release();
  }
}
