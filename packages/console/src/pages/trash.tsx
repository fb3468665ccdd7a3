import { useState } from 'react';
import { Confirm } from '../components/dialog.tsx';
import { Page } from '../components/frame.tsx';
import { Icon } from '../components/icon.tsx';
import { Link } from '../components/link.tsx';
import { describeFailure, EmptyState, LoadedView } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import { listTrash, purgeDocument } from '../data/documents.ts';
import type { TrashedDocument } from '../data/types.ts';
import { useLoad } from '../data/use-load.ts';
import { formatDate, formatLocalNumber, formatRelativeTime, t } from '../text/index.ts';
import { createDocumentNames } from './document-choice.tsx';
import { restoreWithNotice } from './restore-document.ts';
import { useDocumentTitle } from './sign-in.tsx';

/** Deleted documents that can be restored. */
export default function TrashPage() {
  const loaded = useLoad('trash', listTrash, { isFollowed: true });
  const [purged, setPurged] = useState<TrashedDocument | null>(null);
  const close = () => setPurged(null);
  const names = createDocumentNames(loaded.value?.trash.documents ?? []);
  const getName = ({ id, title }: TrashedDocument) => names.get(id) ?? title;
  useDocumentTitle(t.trash.title);
  const restore = async ({ id }: TrashedDocument, name: string) => {
    await restoreWithNotice({ id, title: name });
    loaded.reload();
  };
  return (
    <Page
      title={t.trash.title}
      text={loaded.value === null ? t.trash.text : t.trash.kept(loaded.value.trash.days)}
      actions={
        <Link className="button" href="/">
          {t.nav.documents}
        </Link>
      }
    >
      <div className="card">
        <LoadedView loaded={loaded}>
          {({ trash }) =>
            trash.documents.length === 0 ? (
              <EmptyState icon="trash" title={t.trash.none} />
            ) : (
              <Table
                columns={[t.documents.heading.title, t.trash.changes, t.trash.deleted, t.trash.expires]}
                hasActions
              >
                {trash.documents.map((document) => (
                  <tr key={document.id}>
                    <td>{getName(document)}</td>
                    <td className="muted nowrap">{formatLocalNumber(document.revision)}</td>
                    <td className="muted nowrap">
                      <time dateTime={document.deletedAt} title={formatDate(document.deletedAt)}>
                        {formatRelativeTime(document.deletedAt)}
                      </time>
                    </td>
                    <td className="muted nowrap">
                      <time dateTime={document.expiresAt}>{formatDate(document.expiresAt)}</time>
                    </td>
                    <td className="end nowrap">
                      <button
                        type="button"
                        className="button"
                        aria-label={t.trash.restoreNamed(getName(document))}
                        onClick={() => void restore(document, getName(document))}
                      >
                        {t.trash.restore}
                      </button>{' '}
                      <button
                        type="button"
                        className="button quiet danger icon-only"
                        aria-label={t.trash.purgeNamed(getName(document))}
                        onClick={() => setPurged(document)}
                      >
                        <Icon name="trash" />
                      </button>
                    </td>
                  </tr>
                ))}
              </Table>
            )
          }
        </LoadedView>
      </div>
      {purged === null ? null : (
        <PurgeDialog
          document={{ id: purged.id, title: getName(purged) }}
          onClose={close}
          onDone={() => {
            close();
            loaded.reload();
          }}
        />
      )}
    </Page>
  );
}

interface PurgeDialogProps {
  readonly document: Pick<TrashedDocument, 'id' | 'title'>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function PurgeDialog({ document, onClose, onDone }: PurgeDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    const answer = await purgeDocument(document.id);
    setBusy(false);
    if (!answer.ok) return showToast('bad', describeFailure(answer));
    showToast('good', t.trash.purged(document.title));
    onDone();
  };
  return (
    <Confirm
      title={t.trash.purge}
      text={t.trash.purgeText(document.title)}
      action={t.trash.purge}
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={() => void send()}
    />
  );
}
