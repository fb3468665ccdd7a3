import { Fragment, type ReactNode } from 'react';

/** Renders the parts of a text between backticks as code. */
export function renderCode(text: string): ReactNode {
  const parts = text.split('`').map((part, place) => ({ part, place, isCode: place % 2 === 1 }));
  return parts.map(({ part, place, isCode }) =>
    isCode ? <code key={place}>{part}</code> : <Fragment key={place}>{part}</Fragment>,
  );
}
