import { LOCALE_IDS } from '@cellwire/engine/locales';
import { useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { Field, Select } from '../components/field.tsx';
import { FormDialog, readFormText } from '../components/form-dialog.tsx';
import { Page } from '../components/frame.tsx';
import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/menu.tsx';
import { Secret } from '../components/secret.tsx';
import { describeFailure, LoadedView, Notice } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import { CONSOLE_API, callApi, type Result } from '../data/http.ts';
import { loadSession, useMe } from '../data/session.ts';
import type { Invitation, User } from '../data/types.ts';
import { useLoad } from '../data/use-load.ts';
import { describeLocale, formatDate, formatRelativeTime, t } from '../text/index.ts';
import { EditUserDialog, EraseDialog, exportUser, RenameWorkspaceDialog, WorkspaceDocuments } from './manage-users.tsx';
import { useDocumentTitle } from './sign-in.tsx';

type OpenUserDialog =
  | { readonly kind: 'invite' }
  | { readonly kind: 'password'; readonly user: User; readonly password: string }
  | { readonly kind: 'transfer' | 'edit' | 'erase'; readonly user: User }
  | { readonly kind: 'workspace' }
  | null;

/** Members of the workspace; the owner manages them. */
export default function UsersPage() {
  const { workspace } = useMe();
  const users = useLoad('users', () => callApi<{ readonly users: readonly User[] }>('GET', `${CONSOLE_API}/users`));
  const [open, setOpen] = useState<OpenUserDialog>(null);
  const [invited, setInvited] = useState(0);
  useDocumentTitle(t.users.title);
  const close = () => setOpen(null);
  return (
    <Page
      title={t.users.title}
      text={t.users.text(workspace.name)}
      actions={
        workspace.owner ? (
          <>
            <button type="button" className="button" onClick={() => setOpen({ kind: 'workspace' })}>
              {t.users.workspaceTitle}
            </button>
            <button type="button" className="button primary" onClick={() => setOpen({ kind: 'invite' })}>
              <Icon name="add" />
              {t.users.invite}
            </button>
          </>
        ) : null
      }
    >
      <div className="stack">
        <div className="card">
          <LoadedView loaded={users}>
            {({ users: all }) => (
              <UserTable users={all} isOwner={workspace.owner} setOpen={setOpen} reload={users.reload} />
            )}
          </LoadedView>
        </div>
        {workspace.owner ? <Invitations key={invited} /> : null}
        <section className="card padded stack">
          <h2>{t.users.newDocuments}</h2>
          <WorkspaceLocale />
        </section>
        {workspace.owner ? <WorkspaceDocuments /> : null}
      </div>
      {open?.kind === 'invite' ? <InviteDialog onClose={close} onDone={() => setInvited(invited + 1)} /> : null}
      {open?.kind === 'workspace' ? <RenameWorkspaceDialog onClose={close} /> : null}
      {open?.kind === 'edit' ? <EditUserDialog user={open.user} onClose={close} onDone={users.reload} /> : null}
      {open?.kind === 'erase' ? (
        <EraseDialog user={open.user} users={users.value?.users ?? []} onClose={close} onDone={users.reload} />
      ) : null}
      {open?.kind === 'transfer' ? (
        <TransferDialog user={open.user} users={users.value?.users ?? []} onClose={close} />
      ) : null}
      {open?.kind === 'password' ? (
        <Dialog title={t.users.passwordTitle} onClose={close}>
          <p>{t.users.passwordText(open.user.name)}</p>
          <Secret text={open.password} label={t.users.passwordTitle} />
        </Dialog>
      ) : null}
    </Page>
  );
}

/** Locale of new documents. The workspace's owner chooses it. */
function WorkspaceLocale() {
  const { workspace } = useMe();
  const choose = async (locale: string | null) => {
    const answer = await callApi('PATCH', `${CONSOLE_API}/workspace`, { body: { locale } });
    if (!answer.ok) showToast('bad', describeFailure(answer));
    await loadSession();
  };
  return (
    <>
      <Select
        label={t.users.locale}
        value={workspace.locale ?? ''}
        disabled={!workspace.owner}
        onChange={({ currentTarget }) => void choose(currentTarget.value === '' ? null : currentTarget.value)}
      >
        <option value="">{t.users.localeOfLanguage}</option>
        {LOCALE_IDS.map((id) => (
          <option key={id} value={id}>
            {describeLocale(id)}
          </option>
        ))}
      </Select>
      <p className="hint">{t.users.localeHint}</p>
    </>
  );
}

interface UserTableProps {
  readonly users: readonly User[];
  readonly isOwner: boolean;
  readonly setOpen: (open: OpenUserDialog) => void;
  readonly reload: () => void;
}

function UserTable({ users, isOwner, setOpen, reload }: UserTableProps) {
  const { columns } = t.users;
  const unwrapOrToast = <T,>(answer: Result<T>): T | null => {
    if (answer.ok) return answer.value;
    showToast('bad', describeFailure(answer));
    return null;
  };
  const setDisabled = async ({ id }: User, disabled: boolean) => {
    unwrapOrToast(await callApi('PATCH', `${CONSOLE_API}/users/${id}`, { body: { disabled } }));
    reload();
  };
  const resetPassword = async (user: User) => {
    const answer = unwrapOrToast(
      await callApi<{ readonly password: string }>('POST', `${CONSOLE_API}/users/${user.id}/password`),
    );
    if (answer !== null) setOpen({ kind: 'password', user, password: answer.password });
  };
  const createMenuItems = (user: User) => [
    { text: t.users.edit, icon: 'format' as const, onPick: () => setOpen({ kind: 'edit', user }) },
    { text: t.users.export, icon: 'download' as const, onPick: () => void exportUser(user) },
  ];
  return (
    <Table columns={[columns.name, { text: columns.email, className: 'only-wide' }, columns.signedIn]} hasActions>
      {users.map((user) => (
        <tr key={user.id}>
          <td>
            <b>{user.name}</b> {user.owner ? <span className="badge accent">{t.users.owner}</span> : null}
            {user.disabled ? <span className="badge bad">{t.users.disabled}</span> : null}
            {user.damaged ? <span className="badge bad">{t.users.damaged}</span> : null}
          </td>
          <td className="muted only-wide">{user.email}</td>
          <td className="muted nowrap">
            {user.lastSignInAt === null ? t.users.never : formatRelativeTime(user.lastSignInAt)}
          </td>
          <td className="end">
            {isOwner ? (
              <Menu
                label={t.users.actions(user.name)}
                items={
                  user.owner
                    ? createMenuItems(user)
                    : [
                        ...createMenuItems(user),
                        { text: t.users.password, icon: 'key', onPick: () => void resetPassword(user) },
                        { text: t.users.transfer, icon: 'send', onPick: () => setOpen({ kind: 'transfer', user }) },
                        {
                          text: user.disabled ? t.users.enable : t.users.disable,
                          icon: 'lock',
                          isDanger: !user.disabled,
                          onPick: () => void setDisabled(user, !user.disabled),
                        },
                        {
                          text: t.users.erase,
                          icon: 'trash',
                          isDanger: true,
                          onPick: () => setOpen({ kind: 'erase', user }),
                        },
                      ]
                }
              />
            ) : null}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Invitations() {
  const loaded = useLoad('invitations', () =>
    callApi<{ readonly invitations: readonly Invitation[] }>('GET', `${CONSOLE_API}/invitations`),
  );
  const withdraw = async (id: number) => {
    const answer = await callApi('DELETE', `${CONSOLE_API}/invitations/${id}`);
    if (!answer.ok) showToast('bad', describeFailure(answer));
    loaded.reload();
  };
  const invitations = loaded.value?.invitations ?? [];
  if (invitations.length === 0) return null;
  return (
    <section className="card padded stack">
      <h2>{t.users.open}</h2>
      <ul className="people">
        {invitations.map(({ id, email, expiresAt }) => (
          <li key={id}>
            <span>
              {email}
              <br />
              <span className="hint">{t.users.expires(formatDate(expiresAt))}</span>
            </span>
            <button type="button" className="button" onClick={() => void withdraw(id)}>
              {t.users.withdraw}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function InviteDialog({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  const send = async (form: FormData) => {
    const body = { email: readFormText(form, 'email') };
    const answer = await callApi<{ readonly invitation: Invitation }>('POST', `${CONSOLE_API}/invitations`, { body });
    if (!answer.ok) return answer;
    setInvitation(answer.value.invitation);
    onDone();
    return null;
  };
  if (invitation === null) {
    return (
      <FormDialog title={t.users.inviteTitle} action={t.users.invite} onClose={onClose} onSend={send}>
        <p className="muted">{t.users.inviteText}</p>
        <Field label={t.email} name="email" type="email" required autoFocus />
      </FormDialog>
    );
  }
  return (
    <Dialog title={t.users.inviteTitle} onClose={onClose}>
      <Notice kind="good">{t.users.linkOnce}</Notice>
      <Secret text={invitation.link ?? ''} label={t.users.link} />
      <p className="hint">{t.users.expires(formatDate(invitation.expiresAt))}</p>
    </Dialog>
  );
}

interface TransferDialogProps {
  readonly user: User;
  readonly users: readonly User[];
  readonly onClose: () => void;
}

function TransferDialog({ user, users, onClose }: TransferDialogProps) {
  const send = async (form: FormData) => {
    const body = { to: Number(form.get('to')) };
    const path = `${CONSOLE_API}/users/${user.id}/transfer`;
    const answer = await callApi<{ readonly transferred: number }>('POST', path, { body });
    if (!answer.ok) return answer;
    showToast('good', t.users.transferred(answer.value.transferred));
    onClose();
    return null;
  };
  return (
    <FormDialog title={t.users.transferTitle(user.name)} action={t.users.transfer} onClose={onClose} onSend={send}>
      <Select label={t.users.transferTo} name="to">
        {users
          .filter(({ id, disabled }) => id !== user.id && !disabled)
          .map(({ id, name, email }) => (
            <option key={id} value={id}>
              {name} ({email})
            </option>
          ))}
      </Select>
    </FormDialog>
  );
}
