import { type ReactNode, type RefObject, useId, useLayoutEffect, useRef } from 'react';
import { t } from '../text/index.ts';
import { Icon } from './icon.tsx';

interface DialogProps {
  readonly title: string;
  readonly isWide?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Shows a dialog while it is rendered, with the focus in it, which goes back to where it was. */
export function useModal(place: RefObject<HTMLDialogElement | null>): void {
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = place.current;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (!(before instanceof HTMLElement)) return;
      // Closing gives it the focus without its caret: what is typed would go nowhere.
      before.blur();
      before.focus();
    };
  }, [place]);
}

/** A modal dialog while it is rendered: keeps the focus, closes on Escape, and gives the focus back. */
export function Dialog({ title, isWide = false, onClose, children }: DialogProps) {
  const place = useRef<HTMLDialogElement>(null);
  const id = useId();
  useModal(place);
  return (
    <dialog
      ref={place}
      className={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" className="button quiet icon-only" aria-label={t.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div className="content">{children}</div>
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly text: ReactNode;
  readonly action: string;
  readonly isBusy?: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

/** Asks before something that cannot be taken back. */
export function Confirm({ title, text, action, isBusy = false, onClose, onConfirm }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{text}</div>
      <div className="row end">
        <button type="button" className="button" onClick={onClose}>
          {t.cancel}
        </button>
        <button type="button" className="button danger primary" disabled={isBusy} onClick={onConfirm}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
