import { useSyncExternalStore } from 'react';
import type { Desk } from './grid-controller.ts';
import type { DeskState } from './grid-state.ts';

export function useDesk(desk: Desk): DeskState {
  return useSyncExternalStore(desk.subscribe, () => desk.state);
}

export function useBook(desk: Desk) {
  return useSyncExternalStore(desk.book.subscribe, () => desk.book.state);
}
