import { useState } from 'react';
import { copyText } from '../data/clipboard.ts';
import { t } from '../text/index.ts';
import { Icon } from './icon.tsx';

/** A text with a copy button. */
export function Secret({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="secret">
      <code>
        <span className="visually-hidden">{label}: </span>
        {text}
      </code>
      <CopyButton text={text} />
    </div>
  );
}

/** A button that copies a text to the clipboard. */
function CopyButton({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <button
      type="button"
      className="button"
      onClick={() => {
        void copyText(text).then(setCopied);
      }}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
      {isCopied ? t.copied : t.copy}
    </button>
  );
}

/** Code with a copy button. Wide code scrolls, also by keyboard. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className={label === '' ? 'code-block bare' : 'code-block'}>
      <div className="row between">
        <span className="hint">{label}</span>
        <CopyButton text={text} />
      </div>
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}
