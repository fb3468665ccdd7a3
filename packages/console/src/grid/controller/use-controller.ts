import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { PositionHistory } from '../session/position-history.ts';
import type { PositionMapping } from '../session/position-mapping.ts';
import type { GridController } from './grid-controller.ts';
import type { GridState } from './grid-state.ts';

export function useGridState(controller: GridController): GridState {
  return useSyncExternalStore(controller.subscribe, () => controller.state);
}

export function useSessionState(controller: GridController) {
  return useSyncExternalStore(controller.session.subscribe, () => controller.session.state);
}

/** Calls `onChange` with the new positions of a form whenever cells of the document move. */
export function useHeldPositions<T extends object>(
  controller: GridController,
  positions: T,
  mapPositions: (positions: T, mapping: PositionMapping) => T,
  onChange: (positions: T) => void,
): void {
  // Several changes can arrive before the form is drawn again.
  const latest = useRef(positions);
  latest.current = positions;
  const notify = useRef(onChange);
  notify.current = onChange;
  const [history] = useState(() => new PositionHistory(mapPositions));
  useEffect(
    () =>
      controller.session.revisions.onMapping((mapping) => {
        latest.current = history.map(latest.current, mapping);
        notify.current(latest.current);
      }),
    [controller, history],
  );
}
