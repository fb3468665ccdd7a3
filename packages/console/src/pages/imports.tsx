import { useEffect, useReducer, useRef, useState } from 'react';
import { Icon } from '../components/icon.tsx';
import { Link } from '../components/link.tsx';
import { describeFailure } from '../components/states.tsx';
import { showToast } from '../components/toasts.tsx';
import { importFile } from '../data/documents.ts';
import { findFileType } from '../data/file-upload.ts';
import type { Failure } from '../data/http.ts';
import { useMe } from '../data/session.ts';
import type { OmittedFeature } from '../data/types.ts';
import { formatLocalNumber, t } from '../text/index.ts';
import { chooseNewLocale } from './new-document-locale.ts';

/** A file that is being imported. */
interface FileImport {
  readonly id: number;
  readonly file: string;
  /** Sent part of the file, from 0 to 1. At 1 the service starts to read the file. */
  readonly sent: number;
  readonly document: {
    readonly id: string;
    readonly title: string;
    readonly leftOut: readonly OmittedFeature[];
  } | null;
  readonly problem: string | null;
  readonly abort: () => void;
}

type ImportStep =
  | { readonly kind: 'began'; readonly fileImport: FileImport }
  | { readonly kind: 'changed'; readonly id: number; readonly to: Partial<FileImport> }
  | { readonly kind: 'gone'; readonly id: number };

/** Returns the list of imports after a step. */
function reduceImports(list: readonly FileImport[], step: ImportStep): readonly FileImport[] {
  if (step.kind === 'began') return [...list, step.fileImport];
  if (step.kind === 'gone') return list.filter(({ id }) => id !== step.id);
  return list.map((one) => (one.id === step.id ? { ...one, ...step.to } : one));
}

interface ImportList {
  readonly list: readonly FileImport[];
  readonly begin: (files: readonly File[]) => void;
  readonly close: (id: number) => void;
}

/** Imports files one after another. */
export function useImports(onDone: () => void): ImportList {
  const { workspace } = useMe();
  const [list, change] = useReducer(reduceImports, []);
  const turn = useRef(Promise.resolve());
  const ids = useRef(0);
  const begin = (files: readonly File[]) => {
    for (const file of files) {
      if (findFileType(file.name) === null) {
        showToast('bad', t.documents.notAFile(file.name));
        continue;
      }
      const id = ++ids.current;
      const stop = new AbortController();
      const abort = () => stop.abort();
      change({ kind: 'began', fileImport: { id, file: file.name, sent: 0, document: null, problem: null, abort } });
      turn.current = turn.current.then(async () => {
        if (stop.signal.aborted) return;
        const onSent = (share: number) => change({ kind: 'changed', id, to: { sent: share } });
        const answer = await importFile(file, chooseNewLocale(workspace), onSent, stop.signal);
        if (!answer.ok) return change({ kind: 'changed', id, to: { problem: describeImportProblem(answer) } });
        const { document, leftOut = [] } = answer.value;
        change({ kind: 'changed', id, to: { document: { ...document, leftOut } } });
        onDone();
      });
    }
  };
  return { list, begin, close: (id) => change({ kind: 'gone', id }) };
}

/** Returns the text to show for a failed import. */
function describeImportProblem(failure: Failure): string {
  const hint = failure.errors['encoding'] === undefined ? '' : ` ${t.documents.encodingHint}`;
  return `${describeFailure(failure)}${hint}`;
}

export function FileImports({ imports: { list, close } }: { readonly imports: ImportList }) {
  return (
    <div className="imports" aria-live="polite">
      {list.map((one) => (
        <div key={one.id} className={one.problem === null ? 'import' : 'import bad'}>
          <Icon name={one.problem !== null ? 'alert' : one.document === null ? 'upload' : 'check'} />
          <div>
            <ImportText {...one} />
          </div>
          <button
            type="button"
            className="button quiet icon-only"
            aria-label={one.document === null && one.problem === null ? t.cancel : t.close}
            onClick={() => {
              one.abort();
              close(one.id);
            }}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

const OMITTED_NAMES: Readonly<Record<string, string>> = t.documents.leftOutOf;

/** Kinds of a newer service are shown by their names. */
export function describeOmitted({ kind, count }: OmittedFeature): string {
  return `${OMITTED_NAMES[kind] ?? kind} (${formatLocalNumber(count)})`;
}

/** Progress of an upload. `sent`: from 0 to 1; at 1 the service starts to read the file. */
export function UploadProgress({ label, sent }: { readonly label: string; readonly sent: number }) {
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    if (bar.current !== null) bar.current.style.transform = `scaleX(${sent})`;
  }, [sent]);
  const percent = Math.round(sent * 100);
  return (
    <>
      <span>
        {label} · {sent < 1 ? t.documents.uploading(percent) : t.documents.reading}
      </span>
      <div
        className="progress"
        role="progressbar"
        aria-label={label}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <i ref={bar} />
      </div>
    </>
  );
}

function ImportText({ file, sent, document, problem }: FileImport) {
  if (problem !== null) return <span>{`${file}: ${problem}`}</span>;
  if (document !== null) {
    return (
      <>
        <span>
          {t.documents.imported(document.title)} <Link href={`/documents/${document.id}`}>{t.documents.open}</Link>
        </span>
        {document.leftOut.length === 0 ? null : (
          <span className="hint">
            {t.documents.leftOut} {document.leftOut.map(describeOmitted).join(', ')}
          </span>
        )}
      </>
    );
  }
  return <UploadProgress label={t.documents.importing(file)} sent={sent} />;
}

/** Accepts files dropped anywhere in the window. */
export function DropFiles({
  onFiles,
  hint = t.documents.drop,
}: {
  readonly onFiles: (files: readonly File[]) => void;
  readonly hint?: string;
}) {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFiles);
  take.current = onFiles;
  useEffect(() => {
    const onDragOver = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      take.current([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener('dragover', onDragOver);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', onDragOver);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  return isOver ? (
    <div className="drop">
      <div>{hint}</div>
    </div>
  ) : null;
}
