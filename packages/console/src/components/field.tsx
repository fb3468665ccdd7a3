import { type ComponentProps, type ReactNode, useId } from 'react';

interface FieldProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
}

/** A labelled input with its error message. */
export function Field({ label, hint, problem, ...input }: FieldProps) {
  const id = useId();
  const about = [hint === undefined ? '' : `${id}-hint`, problem === undefined ? '' : `${id}-problem`];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        className="input"
        {...input}
        id={id}
        data-focus-first={input.autoFocus}
        aria-invalid={problem !== undefined}
        aria-describedby={about.join(' ').trim() || undefined}
      />
      {hint === undefined ? null : (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {problem === undefined ? null : (
        <span className="problem" id={`${id}-problem`} role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}

interface SelectProps extends ComponentProps<'select'> {
  readonly label: string;
  readonly children: ReactNode;
}

/** A labelled select. */
export function Select({ label, children, ...select }: SelectProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select className="input" {...select} id={id}>
        {children}
      </select>
    </div>
  );
}

interface CheckProps extends ComponentProps<'input'> {
  readonly label: ReactNode;
  readonly hint?: string | undefined;
}

/** A labelled check box with an optional hint. */
export function Checkbox({ label, hint, ...input }: CheckProps) {
  return (
    <label className="check">
      <input type="checkbox" {...input} />
      <span>
        {label}
        {hint === undefined ? null : (
          <>
            <br />
            <span className="hint">{hint}</span>
          </>
        )}
      </span>
    </label>
  );
}
