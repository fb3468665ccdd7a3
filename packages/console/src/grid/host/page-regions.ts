/** Parts of the document page in focus order. Some are not always present. */
const REGIONS = ['.document-head', '.formula-bar', '.grid-place', '.find-bar', '.side', '.sheet-tabs'] as const;
/** Selectors of the element that gets the focus in a region of the page. The first match wins. */
const FOCUS_ORDER = ['[aria-selected="true"]', '.grid-editor', 'input', 'a[href]', 'button:not(:disabled)'] as const;

/** F6 moves the focus to the next part, Shift+F6 to the previous one. Tab and arrows belong to the cells. */
export function goToRegion(page: HTMLElement, step: 1 | -1): void {
  const regions = REGIONS.flatMap((name) => page.querySelector(name) ?? []);
  const now = regions.findIndex((region) => region.contains(document.activeElement));
  const next = regions.at((now + step) % regions.length);
  const focused = FOCUS_ORDER.flatMap((name) => next?.querySelector<HTMLElement>(name) ?? []);
  focused[0]?.focus();
}

/** Returns the header button that was activated by keyboard; null for a mouse click or another target. */
export function findButtonPressedByKey({ detail, target }: { readonly detail: number; readonly target: EventTarget }) {
  const button = target instanceof Element ? target.closest<HTMLElement>('.document-head button') : null;
  return detail === 0 ? button : null;
}
