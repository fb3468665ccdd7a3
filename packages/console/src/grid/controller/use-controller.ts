import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { PositionMapping } from '../session/position-mapping.ts';
import type { GridController } from './grid-controller.ts';
import type { GridState } from './grid-state.ts';

export function useGridState(controller: GridController): GridState {
  return useSyncExternalStore(controller.subscribe, () => controller.state);
}

export function useSessionState(controller: GridController) {
  return useSyncExternalStore(controller.session.subscribe, () => controller.session.state);
}

/** Calls `onMapping` whenever cells of the document move, so that a form can follow them. */
export function useMapping(controller: GridController, onMapping: (mapping: PositionMapping) => void): void {
  const latest = useRef(onMapping);
  latest.current = onMapping;
  useEffect(() => controller.session.revisions.onMapping((mapping) => latest.current(mapping)), [controller]);
}
