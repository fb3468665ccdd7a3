import { type FormEvent, useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { Field, Select } from '../components/field.tsx';
import { Secret } from '../components/secret.tsx';
import { describeFailure, LoadedView, Notice } from '../components/states.tsx';
import { API, CONSOLE_API, callApi, type Failure } from '../data/http.ts';
import type { Document, Invitation, Role } from '../data/types.ts';
import { useLoad } from '../data/use-load.ts';
import { formatDate, t } from '../text/index.ts';

interface DocumentShares {
  /** The role of every user who knows the document's address; null: none. */
  readonly anyone: Role | null;
  readonly invitations: readonly Invitation[];
  readonly shares: readonly {
    readonly user: { readonly id: number; readonly name: string; readonly email: string };
    readonly role: Role;
  }[];
}

const ROLES = ['edit', 'comment', 'view'] as const;

/** Dialog that shows the people with access to a document and their roles, and changes them. */
export function ShareDialog({ document, onClose }: { readonly document: Document; readonly onClose: () => void }) {
  const loaded = useLoad(
    document.id,
    () => callApi<DocumentShares>('GET', `${CONSOLE_API}/documents/${document.id}/shares`),
    {
      isFollowed: true,
    },
  );
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [invited, setInvited] = useState<Invitation | null>(null);
  const own = `${CONSOLE_API}/documents/${document.id}/invitations`;
  const finish = (failure: Failure | null): boolean => {
    setProblem(failure === null ? undefined : describeFailure(failure));
    if (failure === null) loaded.reload();
    return failure === null;
  };
  const share = async (user: string | number, role: string): Promise<Failure | null> => {
    const answer = await callApi('POST', `${API}/documents/${document.id}/share`, { body: { user, role } });
    return answer.ok ? null : answer;
  };
  const shareWithAnyone = async (role: string): Promise<Failure | null> => {
    const answer = await callApi('PUT', `${CONSOLE_API}/documents/${document.id}/anyone`, { body: { role } });
    return answer.ok ? null : answer;
  };
  /** Invites an unknown address if the caller may do that. */
  const invite = async (email: string, role: string, refused: Failure): Promise<Failure | null> => {
    const answer = await callApi<{ readonly invitation: Invitation }>('POST', own, { body: { email, role } });
    if (answer.ok) setInvited(answer.value.invitation);
    if (answer.ok) return null;
    return answer.status === 403 ? { ...refused, message: t.share.mayNotInvite(email) } : answer;
  };
  const withdraw = async (id: number) => {
    const answer = await callApi('DELETE', `${own}/${id}`);
    finish(answer.ok ? null : answer);
  };
  const add = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    const [user, role] = [String(fields.get('user') ?? '').trim(), String(fields.get('role'))];
    setInvited(null);
    const refused = await share(user, role);
    const isUnknown = refused?.status === 422 && refused.errors['user'] !== undefined && user.includes('@');
    if (finish(isUnknown ? await invite(user, role, refused) : refused)) form.reset();
  };
  return (
    <Dialog title={t.share.title(document.title)} onClose={onClose}>
      <form className="row share" onSubmit={(event) => void add(event)}>
        <Field label={t.share.whom} name="user" type="email" problem={problem} required autoFocus />
        <Select label={t.share.role} name="role" defaultValue="edit">
          {ROLES.map((role) => (
            <option key={role} value={role}>
              {t.documents.roles[role]}
            </option>
          ))}
        </Select>
        <button type="submit" className="button primary">
          {t.share.add}
        </button>
      </form>
      {invited === null ? null : (
        <>
          <Notice kind="good">{t.share.invited(invited.email)}</Notice>
          <Secret text={invited.link ?? ''} label={t.users.link} />
        </>
      )}
      <LoadedView loaded={loaded}>
        {({ shares, invitations, anyone }) =>
          shares.length + invitations.length === 0 && anyone === null ? (
            <p className="muted">{t.share.nobody}</p>
          ) : (
            <ul className="people">
              {shares.map(({ user, role }) => (
                <li key={user.id}>
                  <span>
                    {user.name}
                    <br />
                    <span className="hint">{user.email}</span>
                  </span>
                  {role === 'owner' ? (
                    <span className="badge">{t.documents.roles.owner}</span>
                  ) : (
                    <RoleSelect
                      name={user.name}
                      role={role}
                      onChange={(role) => void share(user.id, role).then(finish)}
                    />
                  )}
                </li>
              ))}
              {anyone === null ? null : (
                <li>
                  <span>
                    {t.share.anyone}
                    <br />
                    <span className="hint">{t.share.anyoneHint}</span>
                  </span>
                  <RoleSelect
                    name={t.share.anyone}
                    role={anyone}
                    onChange={(role) => void shareWithAnyone(role).then(finish)}
                  />
                </li>
              )}
              {invitations.map(({ id, email, expiresAt, document: invitedTo }) => (
                <li key={`invitation ${id}`}>
                  <span>
                    {email} <span className="badge">{t.share.isInvited}</span>
                    <br />
                    <span className="hint">
                      {invitedTo === null ? null : `${t.documents.roles[invitedTo.role]}, `}
                      {t.users.expires(formatDate(expiresAt))}
                    </span>
                  </span>
                  <button
                    type="button"
                    className="button"
                    aria-label={t.share.withdraw(email)}
                    onClick={() => void withdraw(id)}
                  >
                    {t.users.withdraw}
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </LoadedView>
    </Dialog>
  );
}

function RoleSelect({
  name,
  role,
  onChange,
}: {
  readonly name: string;
  readonly role: Role;
  readonly onChange: (role: string) => void;
}) {
  return (
    <select
      className="input"
      aria-label={t.share.formatRole(name)}
      value={role}
      onChange={(event) => onChange(event.target.value)}
    >
      {ROLES.map((role) => (
        <option key={role} value={role}>
          {t.documents.roles[role]}
        </option>
      ))}
      <option value="none">{t.share.none}</option>
    </select>
  );
}
