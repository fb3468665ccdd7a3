import { type FormEvent, useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { Field, Select } from '../components/field.tsx';
import { failureText, LoadedView } from '../components/states.tsx';
import { API, call, OWN } from '../data/http.ts';
import type { Document, Role } from '../data/types.ts';
import { useLoad } from '../data/use-load.ts';
import { t } from '../text/index.ts';

interface Shares {
  readonly shares: readonly {
    readonly user: { readonly id: number; readonly name: string; readonly email: string };
    readonly role: Role;
  }[];
}

const ROLES = ['edit', 'comment', 'view'] as const;

/** Who may open a document, and as what. */
export function ShareDialog({ document, onClose }: { readonly document: Document; readonly onClose: () => void }) {
  const loaded = useLoad(document.id, () => call<Shares>('GET', `${OWN}/documents/${document.id}/shares`), {
    isFollowed: true,
  });
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const share = async (user: string | number, role: string) => {
    const answer = await call('POST', `${API}/documents/${document.id}/share`, { body: { user, role } });
    setProblem(answer.ok ? undefined : failureText(answer));
    if (answer.ok) loaded.reload();
    return answer.ok;
  };
  const add = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const said = new FormData(form);
    if (await share(String(said.get('user') ?? '').trim(), String(said.get('role')))) form.reset();
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
      <LoadedView loaded={loaded}>
        {({ shares }) =>
          shares.length === 0 ? (
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
                    <select
                      className="input"
                      aria-label={t.share.roleOf(user.name)}
                      value={role}
                      onChange={(event) => void share(user.id, event.target.value)}
                    >
                      {ROLES.map((name) => (
                        <option key={name} value={name}>
                          {t.documents.roles[name]}
                        </option>
                      ))}
                      <option value="none">{t.share.none}</option>
                    </select>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </LoadedView>
    </Dialog>
  );
}
