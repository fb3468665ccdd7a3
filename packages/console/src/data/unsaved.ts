/** Objects with unsaved changes. The browser asks before it closes the page. */
const unsaved = new Set<object>();

addEventListener('beforeunload', (event) => {
  if (unsaved.size > 0) event.preventDefault();
});

/** `owner` identifies the changes; a call with the same object updates the mark. */
export function markUnsaved(owner: object, isUnsaved: boolean): void {
  if (isUnsaved) unsaved.add(owner);
  else unsaved.delete(owner);
}

export function clearUnsaved(): void {
  unsaved.clear();
}
