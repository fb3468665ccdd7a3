import type { Selection } from '../selection/selection.ts';
import { mapSelection } from '../session/position-mapping.ts';
import type { GridModel } from './grid-model.ts';

/** A selection that follows its cells while an action waits for the service. */
export interface HeldSelection {
  /** Null if its cells were deleted. */
  readonly now: () => Selection | null;
  /** To be called when the action ends. */
  readonly release: () => void;
}

/** Holds the present selection, also if the person then selects other cells. */
export function holdSelection(model: GridModel): HeldSelection {
  const { sheet } = model.state;
  let held: Selection | null = model.state.selection;
  const release = model.session.revisions.onMapping((mapping) => {
    held = held && mapSelection(held, sheet, mapping);
  });
  return { now: () => held, release };
}
