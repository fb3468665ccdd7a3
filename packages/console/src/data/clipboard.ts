/**
 * Puts a text on the clipboard; false where the browser did not. Pages that did not come by https have no
 * `navigator.clipboard`: there it has to happen right after somebody did something.
 */
export async function copyText(text: string): Promise<boolean> {
  const clipboard = systemClipboard();
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

/** A clipboard's content in the types that pages may write at any time. */
export interface ClipboardContent {
  readonly text: string;
  readonly html: string;
}

/** Puts content on the clipboard that is still on its way; null: there is none. False where the browser did not. */
export async function copyWhenReady(content: Promise<ClipboardContent | null>): Promise<boolean> {
  const clipboard = systemClipboard();
  if (clipboard === null) {
    const all = await content;
    return all !== null && copyText(all.text);
  }
  // The promises go to the browser at once: some take nothing that comes after the key.
  const blob = (type: string, pick: (all: ClipboardContent) => string) =>
    content.then((all) => (all === null ? Promise.reject() : new Blob([pick(all)], { type })));
  const item = new ClipboardItem({
    'text/plain': blob('text/plain', ({ text }) => text),
    'text/html': blob('text/html', ({ html }) => html),
  });
  return isFulfilled(clipboard.write([item]));
}

/** Reads the clipboard, for which the browser may ask the person; null: it gives none to this page. */
export async function readClipboard(): Promise<ClipboardContent | null> {
  const clipboard = systemClipboard();
  if (clipboard?.read === undefined) return null;
  try {
    const items = await clipboard.read();
    const of = async (type: string) => {
      const item = items.find(({ types }) => types.includes(type));
      return item === undefined ? '' : (await item.getType(type)).text();
    };
    return { text: await of('text/plain'), html: await of('text/html') };
  } catch {
    return null;
  }
}

/** Null: absent, whatever the types say. */
function systemClipboard(): Clipboard | null {
  return (navigator.clipboard as Clipboard | undefined) ?? null;
}

function isFulfilled(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}
