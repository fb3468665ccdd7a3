import { type ReactNode, type RefObject, useId, useLayoutEffect, useRef } from 'react';
import { t } from '../text/index.ts';
import { Icon } from './icon.tsx';
import { Toasts } from './toasts.tsx';

interface DialogProps {
  readonly title: string;
  readonly isWide?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

const FIELD_SELECTOR = ['input:not([type="hidden"])', 'select', 'textarea']
  .map((field) => `.content ${field}:not(:disabled):not([readonly])`)
  .join(', ');

/** Returns the element with `data-focus-first`, else the first field; null if the dialog has neither yet. */
function findElementToFocus(dialog: HTMLDialogElement): HTMLElement | null {
  return dialog.querySelector<HTMLElement>('[data-focus-first]') ?? dialog.querySelector<HTMLElement>(FIELD_SELECTOR);
}

/**
 * Moves the focus to the first field of a dialog. Browsers focus the first button, and React removes `autofocus`. A
 * field that loads later gets the focus unless the person has moved it. Returns a function that stops waiting.
 */
function focusFirstField(dialog: HTMLDialogElement): () => void {
  const initial = document.activeElement;
  const focus = () => {
    const first = findElementToFocus(dialog);
    if (first === null) return false;
    if (document.activeElement === initial) first.focus();
    return true;
  };
  const observer = new MutationObserver(() => {
    if (focus()) observer.disconnect();
  });
  if (!focus()) observer.observe(dialog, { childList: true, subtree: true });
  return () => observer.disconnect();
}

/** Opens a dialog while the component is mounted, and returns the focus on close. */
export function useModal(dialogRef: RefObject<HTMLDialogElement | null>): void {
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = dialogRef.current;
    dialog?.showModal();
    const stop = dialog === null ? () => {} : focusFirstField(dialog);
    return () => {
      stop();
      dialog?.close();
      if (!(before instanceof HTMLElement)) return;
      // Closing restores the focus without the caret, so typed text would be lost.
      before.blur();
      before.focus();
    };
  }, [dialogRef]);
}

/** A modal dialog. It keeps the focus inside, closes on Escape and returns the focus. */
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
      <Toasts />
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

/** Asks before an action that cannot be undone. The safe button has the focus. */
export function Confirm({ title, text, action, isBusy = false, onClose, onConfirm }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{text}</div>
      <div className="row end">
        <button type="button" className="button" data-focus-first onClick={onClose}>
          {t.cancel}
        </button>
        <button type="button" className="button danger primary" disabled={isBusy} onClick={onConfirm}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
