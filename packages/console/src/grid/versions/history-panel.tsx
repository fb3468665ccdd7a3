import { useEffect, useState } from 'react';
import { Confirm } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { FormDialog, readFormText } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { describeFailure, EmptyState, FailureState, LoadingPlaceholder } from '../../components/states.tsx';
import { showToast } from '../../components/toasts.tsx';
import { API, callApi, formatQuery, type Result } from '../../data/http.ts';
import type { DocumentChange, Revision } from '../../data/types.ts';
import { useLoad } from '../../data/use-load.ts';
import { formatDate, formatRelativeTime, t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { useSessionState } from '../controller/use-controller.ts';
import { createAreaSelection } from '../selection/selection.ts';
import { parseSheetRange } from '../session/sheet-ranges.ts';
import { describeStructure } from './describe-structure.ts';

const PAGE_ENTRIES = 50;
/** Maximum number of operations of a revision that the panel shows. */
const MAX_OPERATIONS = 3;
/** Delay before the list follows a change, in milliseconds. */
const FOLLOW_MS = 500;

interface RevisionPage {
  readonly revisions: { readonly entries: readonly Revision[]; readonly total: number };
}

interface History extends RevisionPage {
  /** Operations on rows, columns and sheets by revision. Revisions that the log does not keep have none. */
  readonly structure: ReadonlyMap<number, DocumentChange['structure']>;
}

/** Loads the last revisions of a document, with their operations. */
async function loadHistory(document: string, limit: number): Promise<Result<History>> {
  const path = `${API}/documents/${document}`;
  const answer = await callApi<RevisionPage>('GET', `${path}/revisions${formatQuery({ limit })}`);
  if (!answer.ok) return answer;
  const { entries } = answer.value.revisions;
  const oldest = entries.at(-1)?.revision ?? 1;
  const changes = await callApi<{ readonly changes: { readonly entries: readonly DocumentChange[] } }>(
    'GET',
    `${path}/changes${formatQuery({ since: oldest - 1, limit })}`,
  );
  const known = changes.ok ? changes.value.changes.entries : [];
  return {
    ...answer,
    value: { ...answer.value, structure: new Map(known.map((one) => [one.revision, one.structure])) },
  };
}

/** Revisions with author and time. Each can be viewed, named and restored. */
export function HistoryPanel({
  controller,
  onView,
}: {
  readonly controller: GridController;
  readonly onView: (revision: number) => void;
}) {
  const { document, latestRevision } = useSessionState(controller);
  const [limit, setLimit] = useState(PAGE_ENTRIES);
  const [restoring, setRestoring] = useState<number | null>(null);
  const [naming, setNaming] = useState<Revision | null>(null);
  const path = `${API}/documents/${document.id}/revisions`;
  const { value, failure, isLoading, reload } = useLoad(`${path} ${limit}`, () => loadHistory(document.id, limit));
  useEffect(() => {
    if (latestRevision === null) return;
    const timer = setTimeout(reload, FOLLOW_MS);
    return () => clearTimeout(timer);
  }, [latestRevision, reload]);
  const restore = async (revision: number) => {
    setRestoring(null);
    const answer = await controller.session.sendEdit('POST', `/revisions/${revision}/restore`, {}, controller.editBase);
    if (!answer.ok) return showToast('bad', describeFailure(answer));
    showToast('good', t.history.restored(revision));
    controller.session.openSheets.markAllStale();
    reload();
  };
  if (value === null)
    return failure === null ? <LoadingPlaceholder /> : <FailureState failure={failure} onRetry={reload} />;
  const { entries, total } = value.revisions;
  if (entries.length === 0) return <EmptyState icon="history" title={t.history.none} />;
  return (
    <>
      <button type="button" className="button quiet" disabled={isLoading} onClick={reload}>
        <Icon name="refresh" />
        {t.refresh}
      </button>
      <ol className="history">
        {entries.map((entry) => (
          <RevisionEntry
            key={entry.revision}
            entry={entry}
            structure={value.structure.get(entry.revision) ?? []}
            controller={controller}
            onView={onView}
            onName={setNaming}
            onRestore={setRestoring}
          />
        ))}
      </ol>
      {entries.length < total ? (
        <button type="button" className="button" onClick={() => setLimit(limit + PAGE_ENTRIES)}>
          {t.history.more}
        </button>
      ) : null}
      {naming === null ? null : (
        <NameRevisionDialog
          path={`${path}/${naming.revision}`}
          name={naming.name ?? ''}
          onClose={() => setNaming(null)}
          onDone={reload}
        />
      )}
      {restoring === null ? null : (
        <Confirm
          title={t.history.restoreTitle}
          text={t.history.restoreText(restoring)}
          action={t.history.restore}
          onClose={() => setRestoring(null)}
          onConfirm={() => void restore(restoring)}
        />
      )}
    </>
  );
}

interface EntryProps {
  readonly entry: Revision;
  readonly structure: DocumentChange['structure'];
  readonly controller: GridController;
  readonly onView: (revision: number) => void;
  readonly onName: (revision: Revision) => void;
  readonly onRestore: (revision: number) => void;
}

function RevisionEntry({ entry, structure, controller, onView, onName, onRestore }: EntryProps) {
  const { revision, at, userName, token, origin, ranges, cells, name } = entry;
  const by = t.history.by[origin as keyof typeof t.history.by] ?? origin;
  const operations = [...new Set(structure.map(describeStructure))];
  return (
    <li>
      <div className="row between">
        <b>{userName ?? t.history.nobody}</b>
        <time dateTime={at} title={formatDate(at)} className="hint">
          {formatRelativeTime(at)}
        </time>
      </div>
      <div className="hint">
        {name == null ? null : <span className="badge accent">{name}</span>} {revision} · {by}
        {token === null ? '' : ` · ${token}`}
        {cells === 0 ? '' : ` · ${t.history.cells(cells)}`}
      </div>
      {operations.slice(0, MAX_OPERATIONS).map((text) => (
        <div key={text}>{text}</div>
      ))}
      {operations.length > MAX_OPERATIONS ? (
        <div className="hint">{t.history.moreOperations(operations.length - MAX_OPERATIONS)}</div>
      ) : null}
      <div className="row">
        {ranges.slice(0, 4).map((range) => (
          <button
            key={range}
            type="button"
            className="range-link"
            title={t.history.goThere}
            onClick={() => {
              const place = parseSheetRange(range);
              const isThere = controller.session.state.sheets.some(({ name: sheet }) => sheet === place?.sheet);
              if (place !== null && isThere) controller.showSheet(place.sheet, createAreaSelection(place.area));
              else showToast('bad', t.history.notThere(range));
            }}
          >
            {range}
          </button>
        ))}
      </div>
      <div className="row entry-actions">
        <button type="button" className="button quiet" onClick={() => onView(revision)}>
          {t.history.see}
        </button>
        <button
          type="button"
          className="button quiet"
          title={t.history.nameHint}
          disabled={!controller.session.canEdit}
          onClick={() => onName(entry)}
        >
          {t.history.name}
        </button>
        <button
          type="button"
          className="button quiet"
          disabled={!controller.session.canEdit}
          onClick={() => onRestore(revision)}
        >
          {t.history.restore}
        </button>
      </div>
    </li>
  );
}

interface NameDialogProps {
  /** Address of the revision. */
  readonly path: string;
  /** Name of the revision; empty if it has none. */
  readonly name: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function NameRevisionDialog({ path, name, onClose, onDone }: NameDialogProps) {
  const send = async (form: FormData) => {
    const answer = await callApi('PUT', path, { body: { name: readFormText(form, 'name') } });
    if (!answer.ok) return answer;
    onDone();
    onClose();
    return null;
  };
  return (
    <FormDialog title={t.history.nameTitle} action={t.save} onClose={onClose} onSend={send}>
      <Field
        label={t.history.nameTitle}
        hint={t.history.nameHint}
        name="name"
        defaultValue={name}
        maxLength={255}
        required
        autoFocus
      />
    </FormDialog>
  );
}
