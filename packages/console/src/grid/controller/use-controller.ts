import { useSyncExternalStore } from 'react';
import type { GridController } from './grid-controller.ts';
import type { GridState } from './grid-state.ts';

export function useGridState(controller: GridController): GridState {
  return useSyncExternalStore(controller.subscribe, () => controller.state);
}

export function useSessionState(controller: GridController) {
  return useSyncExternalStore(controller.session.subscribe, () => controller.session.state);
}
