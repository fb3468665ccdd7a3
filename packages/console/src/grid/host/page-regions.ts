/** The parts of the page that hold the grid and what belongs to it, in their order; some are not there all the time. */
const REGIONS = ['.document-head', '.formula-bar', '.grid-place', '.find-bar', '.side', '.sheet-tabs'] as const;
/** What of a part has the focus then: the first of these that is there. */
const FOCUS_ORDER = ['[aria-selected="true"]', '.grid-editor', 'input', 'a[href]', 'button:not(:disabled)'] as const;

/** F6 leads into the next part, with Shift into the one before: Tab and arrows belong to the cells. */
export function goToRegion(page: HTMLElement, step: 1 | -1): void {
  const regions = REGIONS.flatMap((name) => page.querySelector(name) ?? []);
  const now = regions.findIndex((region) => region.contains(document.activeElement));
  const next = regions.at((now + step) % regions.length);
  const focused = FOCUS_ORDER.flatMap((name) => next?.querySelector<HTMLElement>(name) ?? []);
  focused[0]?.focus();
}

/** The button outside of dialogs and menus that a click with the keyboard came from; null: the mouse, or none. */
export function buttonPressedByKey({ detail, target }: { readonly detail: number; readonly target: EventTarget }) {
  const button = target instanceof Element ? target.closest<HTMLElement>('.document-head button') : null;
  return detail === 0 ? button : null;
}
