/** Objects with unsaved changes. The browser asks before it closes the page. */
const unsaved = new Set<object>();

addEventListener('beforeunload', (event) => {
  if (unsaved.size > 0) event.preventDefault();
});

/** `what` identifies the changes; a call with the same object updates the mark. */
export function markUnsaved(what: object, isUnsaved: boolean): void {
  if (isUnsaved) unsaved.add(what);
  else unsaved.delete(what);
}

export function clearUnsaved(): void {
  unsaved.clear();
}
