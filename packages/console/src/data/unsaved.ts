/** What would be lost with the page: the browser asks before it closes it. */
const unsaved = new Set<object>();

addEventListener('beforeunload', (event) => {
  if (unsaved.size > 0) event.preventDefault();
});

/** `what` names the same thing each time. */
export function markUnsaved(what: object, isUnsaved: boolean): void {
  if (isUnsaved) unsaved.add(what);
  else unsaved.delete(what);
}

export function clearUnsaved(): void {
  unsaved.clear();
}
