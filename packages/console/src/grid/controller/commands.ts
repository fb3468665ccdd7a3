export type Direction = 'up' | 'down' | 'left' | 'right';

/** What a key does in the grid. */
export type GridCommand =
  | { readonly kind: 'move'; readonly to: Direction; readonly extend: boolean; readonly far: boolean }
  | { readonly kind: 'page'; readonly to: Direction; readonly extend: boolean }
  | { readonly kind: 'lineStart' | 'sheetStart' | 'sheetEnd'; readonly extend: boolean }
  | { readonly kind: 'step'; readonly by: 'row' | 'column'; readonly step: 1 | -1 }
  | { readonly kind: 'selectRows' | 'selectColumns' | 'selectAll' }
  | {
      readonly kind:
        | 'edit'
        | 'clear'
        | 'cancel'
        | 'undo'
        | 'redo'
        | 'find'
        | 'goTo'
        | 'help'
        | 'menu'
        | 'filter'
        | 'listValues'
        | 'sort';
    }
  | { readonly kind: 'fillDown' | 'fillRight' | 'addSelection' | 'sum' }
  | { readonly kind: 'sheet'; readonly step: 1 | -1 };

export const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

/** The parts of a keyboard event that decide. */
interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

/** Returns the command of a key while no cell is edited; null if the browser handles the key or it starts a draft. */
export function findCommand(press: KeyPress): GridCommand | null {
  const { key, shiftKey: extend, altKey } = press;
  const isControl = press.ctrlKey || press.metaKey;
  const arrow = ARROWS[key];
  if (altKey && key === 'ArrowDown' && !isControl) return { kind: 'filter' };
  if (arrow !== undefined) return altKey ? null : { kind: 'move', to: arrow, extend, far: isControl };
  if (isControl) return altKey ? null : findControlCommand(press);
  if (altKey) {
    if (press.key === '=' || press.code === 'Equal') return { kind: 'sum' };
    const sideways: Readonly<Record<string, Direction>> = { PageUp: 'left', PageDown: 'right' };
    const to = sideways[key];
    return to === undefined ? null : { kind: 'page', to, extend };
  }
  switch (key) {
    case 'Tab':
      return { kind: 'step', by: 'row', step: extend ? -1 : 1 };
    case 'Enter':
      return { kind: 'step', by: 'column', step: extend ? -1 : 1 };
    case 'PageUp':
      return { kind: 'page', to: 'up', extend };
    case 'PageDown':
      return { kind: 'page', to: 'down', extend };
    case 'Home':
      return { kind: 'lineStart', extend };
    case 'End':
      return { kind: 'move', to: 'right', extend, far: true };
    case 'F2':
      return { kind: 'edit' };
    case 'Delete':
    case 'Backspace':
      return { kind: 'clear' };
    case 'Escape':
      return { kind: 'cancel' };
    case 'F1':
      return { kind: 'help' };
    case 'F8':
      return extend ? { kind: 'addSelection' } : null;
    case 'F10':
      return extend ? { kind: 'menu' } : null;
    case 'ContextMenu':
      return { kind: 'menu' };
    case ' ':
      return extend ? { kind: 'selectRows' } : null;
    default:
      return null;
  }
}

/** Uses physical keys for letters, so that shortcuts work in each keyboard layout. */
function findControlCommand({ key, code, shiftKey: extend }: KeyPress): GridCommand | null {
  switch (code) {
    case 'KeyA':
      return { kind: 'selectAll' };
    case 'KeyZ':
      return { kind: extend ? 'redo' : 'undo' };
    case 'KeyY':
      return { kind: 'redo' };
    case 'KeyF':
      return { kind: 'find' };
    case 'KeyH':
      return { kind: 'find' };
    case 'KeyG':
      return { kind: 'goTo' };
    case 'KeyD':
      return { kind: 'fillDown' };
    case 'KeyR':
      return { kind: 'fillRight' };
    case 'Slash':
      return { kind: 'help' };
  }
  switch (key) {
    case 'Home':
      return { kind: 'sheetStart', extend };
    case 'End':
      return { kind: 'sheetEnd', extend };
    case ' ':
      return { kind: 'selectColumns' };
    case 'PageUp':
      return { kind: 'sheet', step: -1 };
    case 'PageDown':
      return { kind: 'sheet', step: 1 };
    default:
      return null;
  }
}
