import { Page, signOutWithNotice } from '../components/frame.tsx';
import { describeFailure, LoadedView } from '../components/states.tsx';
import { showToast } from '../components/toasts.tsx';
import { CONSOLE_API, callApi } from '../data/http.ts';
import { useMe } from '../data/session.ts';
import type { Session } from '../data/types.ts';
import { useLoad } from '../data/use-load.ts';
import { describeBrowser } from '../text/browser-name.ts';
import { formatRelativeTime, t } from '../text/index.ts';
import { PasswordForm, useDocumentTitle } from './sign-in.tsx';

/** Password and sessions of the user. */
export default function AccountPage() {
  const { user, build } = useMe();
  const loaded = useLoad('sessions', () =>
    callApi<{ readonly sessions: readonly Session[] }>('GET', `${CONSOLE_API}/sessions`),
  );
  useDocumentTitle(t.account.title);
  const end = async (id: Session['id']) => {
    const answer = await callApi('DELETE', `${CONSOLE_API}/sessions/${id}`);
    if (!answer.ok) showToast('bad', describeFailure(answer));
    loaded.reload();
  };
  return (
    <Page title={t.account.title} text={`${user.name} · ${user.email}`}>
      <div className="halves">
        <section className="card padded stack">
          <h2>{t.account.password}</h2>
          <PasswordForm
            isFirst={false}
            onDone={() => {
              showToast('good', t.signIn.changed);
              loaded.reload();
            }}
          />
        </section>
        <section className="card padded stack">
          <div className="row between">
            <h2>{t.account.sessions}</h2>
            <button type="button" className="button" onClick={() => void signOutWithNotice(true)}>
              {t.account.everywhere}
            </button>
          </div>
          <LoadedView loaded={loaded}>
            {({ sessions }) => (
              <ul className="people">
                {sessions.map(({ id, current, agent, address, lastUsedAt }) => (
                  <li key={id}>
                    <span>
                      {describeBrowser(agent)}{' '}
                      {current ? <span className="badge good">{t.account.thisOne}</span> : null}
                      <br />
                      <span className="hint">
                        {address} · {t.account.used(formatRelativeTime(lastUsedAt))}
                      </span>
                    </span>
                    {current ? null : (
                      <button type="button" className="button" onClick={() => void end(id)}>
                        {t.account.end}
                      </button>
                    )}
                  </li>
                ))}
              </ul>
            )}
          </LoadedView>
        </section>
      </div>
      <p className="hint below">{t.account.version(build.version, build.commit)}</p>
    </Page>
  );
}
