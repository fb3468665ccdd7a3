/**
 * Puts a text on the clipboard; false where the browser did not. Pages that did not come by https have no
 * `navigator.clipboard`: there it has to happen right after somebody did something.
 */
export async function copyText(text: string): Promise<boolean> {
  const clipboard = ownClipboard();
  if (clipboard !== null) return isFulfilled(clipboard.writeText(text));
  const take = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    event.clipboardData?.setData('text/plain', text);
  };
  addEventListener('copy', take, true);
  const isDone = document.execCommand('copy');
  removeEventListener('copy', take, true);
  return isDone;
}

/** The same with a text that is still on its way; null: there is none. */
export async function copyWhenThere(text: Promise<string | null>): Promise<boolean> {
  const clipboard = ownClipboard();
  if (clipboard === null) {
    const all = await text;
    return all !== null && copyText(all);
  }
  // The promise goes to the browser at once: some take nothing that comes after the key.
  const blob = text.then((all) => (all === null ? Promise.reject() : new Blob([all], { type: 'text/plain' })));
  return isFulfilled(clipboard.write([new ClipboardItem({ 'text/plain': blob })]));
}

/** Null: absent, whatever the types say. */
function ownClipboard(): Clipboard | null {
  return (navigator.clipboard as Clipboard | undefined) ?? null;
}

function isFulfilled(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}
