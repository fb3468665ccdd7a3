import { useState } from 'react';
import { Field, Select } from '../components/field.tsx';
import { FormDialog, readFormText } from '../components/form-dialog.tsx';
import { describeFailure, LoadedView, Notice } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import { downloadFile } from '../data/documents.ts';
import { CONSOLE_API, callApi, formatQuery } from '../data/http.ts';
import { loadSession, useMe } from '../data/session.ts';
import type { User } from '../data/types.ts';
import { useLoad } from '../data/use-load.ts';
import { formatRelativeTime, t } from '../text/index.ts';

/** The option of `EraseDialog` that deletes the documents. */
const DELETE_DOCUMENTS = '';

interface UserDialogProps {
  readonly user: User;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Changes a user's name and e-mail address. */
export function EditUserDialog({ user, onClose, onDone }: UserDialogProps) {
  const send = async (form: FormData) => {
    const [name, email] = [readFormText(form, 'name'), readFormText(form, 'email')];
    const body = { ...(name === user.name ? {} : { name }), ...(email === user.email ? {} : { email }) };
    const answer = await callApi('PATCH', `${CONSOLE_API}/users/${user.id}`, { body });
    if (!answer.ok) return answer;
    await loadSession();
    onDone();
    onClose();
    return null;
  };
  return (
    <FormDialog title={t.users.editTitle(user.name)} action={t.users.save} onClose={onClose} onSend={send}>
      <Field label={t.users.columns.name} name="name" defaultValue={user.name} required autoFocus />
      <Field label={t.email} name="email" type="email" defaultValue={user.email} required />
    </FormDialog>
  );
}

/** Erases a user after an explanation of the consequences. */
export function EraseDialog({ user, users, onClose, onDone }: UserDialogProps & { readonly users: readonly User[] }) {
  const send = async (form: FormData) => {
    if (readFormText(form, 'confirmed') !== user.email) return t.users.eraseMismatch;
    const to = readFormText(form, 'to');
    const answer = await callApi('POST', `${CONSOLE_API}/users/${user.id}/erase`, {
      body: { to: to === DELETE_DOCUMENTS ? null : Number(to) },
    });
    if (!answer.ok) return answer;
    showToast('good', t.users.erased);
    onDone();
    onClose();
    return null;
  };
  return (
    <FormDialog title={t.users.eraseTitle(user.name)} action={t.users.erase} onClose={onClose} onSend={send}>
      <Notice kind="bad">{t.users.eraseText}</Notice>
      <Select label={t.users.eraseDocuments} name="to">
        {users
          .filter(({ id, disabled }) => id !== user.id && !disabled)
          .map(({ id, name, email }) => (
            <option key={id} value={id}>
              {t.users.eraseTo(`${name} (${email})`)}
            </option>
          ))}
        <option value={DELETE_DOCUMENTS}>{t.users.eraseDelete}</option>
      </Select>
      <Field label={t.users.eraseConfirm(user.email)} name="confirmed" autoComplete="off" required autoFocus />
    </FormDialog>
  );
}

/** Downloads all stored data of a user. */
export async function exportUser({ id }: User): Promise<void> {
  const answer = await downloadFile(`${CONSOLE_API}/users/${id}/export`, `user-${id}.zip`);
  if (!answer.ok) showToast('bad', describeFailure(answer));
}

/** The name of the workspace, which its owner changes. */
export function RenameWorkspaceDialog({ onClose }: { readonly onClose: () => void }) {
  const { workspace } = useMe();
  const send = async (form: FormData) => {
    const answer = await callApi('PATCH', `${CONSOLE_API}/workspace`, { body: { name: readFormText(form, 'name') } });
    if (!answer.ok) return answer;
    await loadSession();
    onClose();
    return null;
  };
  return (
    <FormDialog title={t.users.workspaceTitle} action={t.users.save} onClose={onClose} onSend={send}>
      <Field label={t.users.columns.name} name="name" defaultValue={workspace.name} required autoFocus />
    </FormDialog>
  );
}

interface WorkspaceDocumentPage {
  readonly documents: readonly {
    readonly id: string;
    readonly title: string;
    readonly owner: string;
    readonly updatedAt: string;
  }[];
  readonly nextCursor: string | null;
}

/** All documents of the workspace, a page at a time. */
export function WorkspaceDocuments() {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const path = `${CONSOLE_API}/workspace/documents${formatQuery({ cursor: cursors.at(-1) ?? null })}`;
  const loaded = useLoad(path, () => callApi<WorkspaceDocumentPage>('GET', path));
  const { documentColumns: columns } = t.users;
  return (
    <section className="card padded stack">
      <h2>{t.users.documents}</h2>
      <LoadedView loaded={loaded}>
        {({ documents, nextCursor }) => (
          <>
            <Table columns={[columns.title, columns.owner, { text: columns.changed, className: 'only-wide' }]}>
              {documents.map(({ id, title, owner, updatedAt }) => (
                <tr key={id}>
                  <td>{title}</td>
                  <td className="muted">{owner}</td>
                  <td className="muted nowrap only-wide">{formatRelativeTime(updatedAt)}</td>
                </tr>
              ))}
            </Table>
            {cursors.length > 0 || nextCursor !== null ? (
              <div className="row end">
                <button
                  type="button"
                  className="button"
                  disabled={cursors.length === 0}
                  onClick={() => setCursors(cursors.slice(0, -1))}
                >
                  {t.users.previous}
                </button>
                <button
                  type="button"
                  className="button"
                  disabled={nextCursor === null}
                  onClick={() => nextCursor !== null && setCursors([...cursors, nextCursor])}
                >
                  {t.users.next}
                </button>
              </div>
            ) : null}
          </>
        )}
      </LoadedView>
    </section>
  );
}
