/** Objects with unsaved changes. The browser asks before it closes the page. */
const unsaved = new Set<object>();

addEventListener('beforeunload', (event) => {
  if (unsaved.size > 0) event.preventDefault();
});

/** Marks an object as having unsaved changes or not. A later call with the same object replaces the mark. */
export function markUnsaved(owner: object, isUnsaved: boolean): void {
  if (isUnsaved) unsaved.add(owner);
  else unsaved.delete(owner);
}

export function clearUnsaved(): void {
  unsaved.clear();
}
