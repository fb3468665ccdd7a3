import { useRef, useState } from 'react';
import { Confirm } from '../components/dialog.tsx';
import { Field } from '../components/field.tsx';
import { FormDialog, readFormText } from '../components/form-dialog.tsx';
import { Page } from '../components/frame.tsx';
import { Icon } from '../components/icon.tsx';
import { Link } from '../components/link.tsx';
import { Menu, type MenuItem } from '../components/menu.tsx';
import { describeFailure, EmptyState, LoadedView } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import {
  copyDocument,
  createDocument,
  deleteDocument,
  downloadFile,
  formatExportUrl,
  listDocuments,
  listTrash,
  renameDocument,
} from '../data/documents.ts';
import { FILE_ENDINGS } from '../data/file-upload.ts';
import type { Result } from '../data/http.ts';
import { navigate } from '../data/route.ts';
import { useMe } from '../data/session.ts';
import type { Document } from '../data/types.ts';
import { useLoad } from '../data/use-load.ts';
import { formatDate, formatRelativeTime, t } from '../text/index.ts';
import { DropFiles, FileImports, useImports } from './imports.tsx';
import { chooseNewLocale } from './new-document-locale.ts';
import { restoreWithNotice } from './restore-document.ts';
import { ShareDialog } from './share.tsx';
import { useDocumentTitle } from './sign-in.tsx';

type OpenDocumentDialog =
  | { readonly kind: 'create' }
  | { readonly kind: 'rename' | 'delete' | 'share'; readonly document: Document }
  | null;

export function DocumentsPage() {
  const loaded = useLoad('documents', listDocuments, { isFollowed: true });
  const trash = useLoad('trash', listTrash);
  const [text, setText] = useState('');
  const [open, setOpen] = useState<OpenDocumentDialog>(null);
  const files = useRef<HTMLInputElement>(null);
  const imports = useImports(loaded.reload);
  useDocumentTitle(t.documents.title);
  const close = () => setOpen(null);
  const closeAndReload = () => {
    close();
    loaded.reload();
  };
  return (
    <Page
      title={t.documents.title}
      actions={
        <div className="row">
          <Link className="button quiet" href="/trash">
            <Icon name="trash" />
            {t.trash.title}
          </Link>
          <input
            ref={files}
            type="file"
            accept={FILE_ENDINGS}
            multiple
            hidden
            onChange={({ currentTarget }) => {
              imports.begin([...(currentTarget.files ?? [])]);
              currentTarget.value = '';
            }}
          />
          <button
            type="button"
            className="button"
            title={t.documents.importHint}
            onClick={() => files.current?.click()}
          >
            <Icon name="upload" />
            {t.documents.import}
          </button>
          <button type="button" className="button primary" onClick={() => setOpen({ kind: 'create' })}>
            <Icon name="add" />
            {t.documents.create}
          </button>
        </div>
      }
    >
      <div className="stack">
        <div className="search">
          <Icon name="find" />
          <input
            className="input"
            type="search"
            placeholder={t.documents.search}
            aria-label={t.documents.search}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <FileImports imports={imports} />
        <div className="card">
          <LoadedView loaded={loaded}>
            {({ documents }) => <DocumentTable documents={documents} text={text} setOpen={setOpen} />}
          </LoadedView>
        </div>
      </div>
      <DropFiles onFiles={imports.begin} />
      {open?.kind === 'create' ? (
        <TitleDialog onClose={close} onDone={(createdDocument) => navigate(`/documents/${createdDocument.id}`)} />
      ) : null}
      {open?.kind === 'rename' ? (
        <TitleDialog document={open.document} onClose={close} onDone={closeAndReload} />
      ) : null}
      {open?.kind === 'share' ? <ShareDialog document={open.document} onClose={close} /> : null}
      {open?.kind === 'delete' ? (
        <DeleteDialog
          document={open.document}
          days={trash.value?.trash.days ?? 0}
          onClose={close}
          onDone={closeAndReload}
          onRestored={loaded.reload}
        />
      ) : null}
    </Page>
  );
}

interface DocumentTableProps {
  readonly documents: readonly Document[];
  readonly text: string;
  readonly setOpen: (open: OpenDocumentDialog) => void;
}

function DocumentTable({ documents, text, setOpen }: DocumentTableProps) {
  const query = text.trim().toLowerCase();
  const shown = documents.filter(({ title }) => title.toLowerCase().includes(query));
  if (documents.length === 0) return <EmptyState icon="grid" title={t.documents.none} text={t.documents.noneHint} />;
  if (shown.length === 0)
    return <EmptyState icon="find" title={t.documents.noMatch} text={t.documents.noMatchHint(text.trim())} />;
  return (
    <Table
      columns={[
        t.documents.heading.title,
        { text: t.documents.heading.role, className: 'only-wide' },
        t.documents.heading.updated,
      ]}
      hasActions
    >
      {shown.map((document) => (
        <tr key={document.id}>
          <td>
            <Link className="document-link" href={`/documents/${document.id}`}>
              <Icon name="grid" />
              {document.title || t.documents.untitled}
            </Link>
            {document.openProposals > 0 ? (
              <span className="badge">{t.proposals.open(document.openProposals)}</span>
            ) : null}
          </td>
          <td className="only-wide muted">{t.documents.roles[document.permission]}</td>
          <td className="muted nowrap">
            <time dateTime={document.updatedAt} title={formatDate(document.updatedAt)}>
              {formatRelativeTime(document.updatedAt)}
            </time>
          </td>
          <td className="end">
            <Menu label={t.documents.actions(document.title)} items={createDocumentActions(document, setOpen)} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function createDocumentActions(document: Document, setOpen: (open: OpenDocumentDialog) => void): readonly MenuItem[] {
  const isOwner = document.permission === 'owner';
  const get = async (format: 'xlsx' | 'csv') => {
    const got = await downloadFile(formatExportUrl(document.id, format), `${document.title}.${format}`);
    if (!got.ok) showToast('bad', describeFailure(got));
  };
  const duplicate = async () => {
    const copied = await copyDocument(document.id, `${document.title} (2)`);
    if (!copied.ok) return showToast('bad', describeFailure(copied));
    navigate(`/documents/${copied.value.document.id}`);
  };
  const edit = { rename: document.permission !== 'owner' && document.permission !== 'edit', own: !isOwner };
  return [
    {
      text: t.documents.rename,
      icon: 'format',
      isOff: edit.rename,
      onPick: () => setOpen({ kind: 'rename', document }),
    },
    { text: t.documents.duplicate, icon: 'copy', onPick: () => void duplicate() },
    { text: t.documents.exportXlsx, icon: 'download', onPick: () => void get('xlsx') },
    { text: t.documents.exportCsv, icon: 'download', onPick: () => void get('csv') },
    { text: t.documents.share, icon: 'people', isOff: edit.own, onPick: () => setOpen({ kind: 'share', document }) },
    {
      text: t.documents.delete,
      icon: 'trash',
      isDanger: true,
      isOff: edit.own,
      onPick: () => setOpen({ kind: 'delete', document }),
    },
  ];
}

interface TitleDialogProps {
  /** The document to change; absent for a new document. */
  readonly document?: Document;
  readonly onClose: () => void;
  readonly onDone: (document: Document) => void;
}

/** Asks for the title of a new or existing document. */
export function TitleDialog({ document, onClose, onDone }: TitleDialogProps) {
  const { workspace } = useMe();
  const send = async (form: FormData) => {
    const title = readFormText(form, 'title');
    const answer: Result<{ readonly document: Document }> =
      document === undefined
        ? await createDocument(title, chooseNewLocale(workspace))
        : await renameDocument(document.id, title);
    if (!answer.ok) return answer;
    onDone(answer.value.document);
    return null;
  };
  return (
    <FormDialog
      title={document === undefined ? t.documents.create : t.documents.rename}
      action={document === undefined ? t.create : t.save}
      onClose={onClose}
      onSend={send}
    >
      <Field
        label={t.documents.newTitle}
        name="title"
        defaultValue={document?.title ?? t.documents.untitled}
        maxLength={255}
        onFocus={(event) => event.target.select()}
        required
        autoFocus
      />
    </FormDialog>
  );
}

interface DeleteDialogProps {
  readonly document: Document;
  /** Days in which a deleted document can be restored; 0 if it cannot be restored. */
  readonly days: number;
  readonly onClose: () => void;
  readonly onDone: () => void;
  readonly onRestored: () => void;
}

function DeleteDialog({ document, days, onClose, onDone, onRestored }: DeleteDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    const answer = await deleteDocument(document.id);
    setBusy(false);
    if (!answer.ok) return showToast('bad', describeFailure(answer));
    const undo = { text: t.trash.undo, onPick: () => void restoreWithNotice(document).then(onRestored) };
    showToast('good', t.documents.deleted(document.title), days === 0 ? undefined : undo);
    onDone();
  };
  return (
    <Confirm
      title={t.documents.deleteTitle}
      text={days === 0 ? t.documents.deleteText(document.title) : t.trash.deleteText(document.title, days)}
      action={t.documents.delete}
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={() => void send()}
    />
  );
}
