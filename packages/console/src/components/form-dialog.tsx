import { type FormEvent, type ReactNode, useState } from 'react';
import type { Failure } from '../data/http.ts';
import { t } from '../text/index.ts';
import { Dialog } from './dialog.tsx';
import { describeFailure, Notice } from './states.tsx';

interface FormDialogProps {
  readonly title: string;
  /** Label of the submit button. */
  readonly action: string;
  /** True while the data of the form is loading. */
  readonly isOff?: boolean;
  readonly onClose: () => void;
  /** Returns null on success, else a text or a failure to show. */
  readonly onSend: (form: FormData) => Promise<Failure | string | null>;
  readonly children: ReactNode;
}

/** A dialog with a form. It sends one request at a time and shows the errors of the answer. */
export function FormDialog({ title, action, isOff = false, onClose, onSend, children }: FormDialogProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    const refused = await onSend(new FormData(event.currentTarget));
    setBusy(false);
    setProblem(refused === null || typeof refused === 'string' ? refused : describeFailure(refused));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="form" onSubmit={(event) => void send(event)}>
        {children}
        {problem === null ? null : <Notice kind="bad">{problem}</Notice>}
        <div className="row end">
          <button type="button" className="button" onClick={onClose}>
            {t.cancel}
          </button>
          <button type="submit" className="button primary" disabled={isBusy || isOff}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns a form field's text, trimmed. */
export function readFormText(form: FormData, name: string): string {
  return String(form.get(name) ?? '').trim();
}
