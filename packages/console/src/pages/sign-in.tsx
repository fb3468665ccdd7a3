import { type FormEvent, useEffect, useState } from 'react';
import { Field } from '../components/field.tsx';
import { SignInLayout, signOutWithNotice } from '../components/frame.tsx';
import { Link } from '../components/link.tsx';
import { describeFailure, EmptyState, LoadedView, Notice } from '../components/states.tsx';
import { CONSOLE_API, callApi, type Failure } from '../data/http.ts';
import { navigate } from '../data/route.ts';
import { acceptInvitation, changePassword, signIn } from '../data/session.ts';
import { useLoad } from '../data/use-load.ts';
import { t, translateServiceText } from '../text/index.ts';

/** State of a form: sending and the last failure. */
export function useSubmit(send: (form: FormData) => Promise<Failure | null>) {
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isBusy, setBusy] = useState(false);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    void send(new FormData(event.currentTarget)).then((failed) => {
      setBusy(false);
      setFailure(failed);
    });
  };
  return { failure, isBusy, onSubmit };
}

/** Value of a form field as the person typed it. */
export const readFormField = (form: FormData, name: string): string => String(form.get(name) ?? '');

/** Page for signing in. Afterwards the requested page is shown. */
export function SignInPage() {
  const { failure, isBusy, onSubmit } = useSubmit(async (form) => {
    const answer = await signIn(readFormField(form, 'email').trim(), readFormField(form, 'password'));
    if (!answer.ok) return answer;
    if (location.pathname === '/sign-in') navigate('/', true);
    return null;
  });
  useDocumentTitle(t.signIn.title);
  return (
    <SignInLayout>
      <form className="form" onSubmit={onSubmit}>
        <h1>{t.signIn.title}</h1>
        {failure === null ? null : (
          <Notice kind="bad">{failure.status === 401 ? t.signIn.wrong : describeFailure(failure)}</Notice>
        )}
        <Field label={t.email} name="email" type="email" autoComplete="username" required autoFocus />
        <Field label={t.password} name="password" type="password" autoComplete="current-password" required />
        <button type="submit" className="button primary" disabled={isBusy}>
          {t.signIn.action}
        </button>
        <p className="hint">{t.signIn.lost}</p>
      </form>
    </SignInLayout>
  );
}

/** Form for a new password. A user with a one-time password sees no other page before the change. */
export function PasswordForm({ isFirst, onDone }: { readonly isFirst: boolean; readonly onDone?: () => void }) {
  const [differ, setDiffer] = useState(false);
  const { failure, isBusy, onSubmit } = useSubmit(async (form) => {
    const password = readFormField(form, 'password');
    const isSame = password === readFormField(form, 'again');
    setDiffer(!isSame);
    if (!isSame) return null;
    const answer = await changePassword(readFormField(form, 'current'), password);
    if (!answer.ok) return answer;
    onDone?.();
    return null;
  });
  const findProblem = (field: string) => {
    const message = failure?.errors[field]?.[0];
    return message === undefined ? undefined : translateServiceText(message);
  };
  const isFields = findProblem('current') !== undefined || findProblem('password') !== undefined;
  return (
    <form className="form" onSubmit={onSubmit}>
      {failure === null || isFields ? null : <Notice kind="bad">{describeFailure(failure)}</Notice>}
      <Field
        label={t.signIn.current}
        name="current"
        type="password"
        autoComplete="current-password"
        problem={findProblem('current')}
        required
        autoFocus={isFirst}
      />
      <Field
        label={t.signIn.fresh}
        name="password"
        type="password"
        autoComplete="new-password"
        hint={t.signIn.rule}
        problem={findProblem('password')}
        minLength={8}
        maxLength={256}
        required
      />
      <Field
        label={t.signIn.again}
        name="again"
        type="password"
        autoComplete="new-password"
        problem={differ ? t.signIn.differ : undefined}
        required
      />
      <button type="submit" className="button primary" disabled={isBusy}>
        {t.signIn.change}
      </button>
    </form>
  );
}

/** Page on which a user replaces a one-time password. */
export function FirstPasswordPage() {
  useDocumentTitle(t.signIn.first);
  return (
    <SignInLayout>
      <div className="stack">
        <h1>{t.signIn.first}</h1>
        <p className="muted">{t.signIn.firstHint}</p>
        <PasswordForm isFirst />
        <button type="button" className="button quiet" onClick={() => void signOutWithNotice()}>
          {t.nav.signOut}
        </button>
      </div>
    </SignInLayout>
  );
}

interface InvitationAnswer {
  readonly invitation: { readonly email: string; readonly workspace: string; readonly document: string | null };
}

/** The service's messages for ended invitations. */
const ENDED_INVITATIONS: Readonly<Record<string, keyof typeof t.signIn.endedInvitation>> = {
  'This invitation has been used already': 'used',
  'This invitation has expired': 'expired',
  'This invitation was withdrawn': 'withdrawn',
};

/** Says why an invitation has ended and what to do. */
function EndedInvitation({ failure }: { readonly failure: Failure }) {
  const ended = t.signIn.endedInvitation[ENDED_INVITATIONS[failure.message] ?? 'unknown'];
  return (
    <div role="alert">
      <EmptyState icon="alert" title={ended.title} text={ended.text}>
        <Link className="button" href="/">
          {t.signIn.title}
        </Link>
      </EmptyState>
    </div>
  );
}

/**
 * Page of an invitation. The secret is in the fragment, which is not sent to servers, and is removed from the address
 * immediately.
 */
export function InvitationPage() {
  const [invitation] = useState(() => location.hash.slice(1));
  useEffect(() => history.replaceState(null, '', location.pathname), []);
  const look = useLoad('invitation', () =>
    callApi<InvitationAnswer>('POST', `${CONSOLE_API}/invitations/look`, { body: { invitation } }),
  );
  const { failure, isBusy, onSubmit } = useSubmit(async (form) => {
    const name = readFormField(form, 'name').trim();
    const answer = await acceptInvitation({ invitation, name, password: readFormField(form, 'password') });
    // The session may have ended since the list was loaded.
    if (!answer.ok && answer.status === 404) look.reload();
    if (!answer.ok) return answer;
    navigate('/', true);
    return null;
  });
  useDocumentTitle(t.signIn.invited);
  if (look.failure?.status === 404) {
    return (
      <SignInLayout>
        <EndedInvitation failure={look.failure} />
      </SignInLayout>
    );
  }
  return (
    <SignInLayout>
      <LoadedView loaded={look}>
        {({ invitation: { email, workspace, document } }) => (
          <form className="form" onSubmit={onSubmit}>
            <h1>{t.signIn.invited}</h1>
            <p>{t.signIn.invitedTo(workspace, email)}</p>
            {document === null ? null : <p>{t.signIn.invitedToDocument(document)}</p>}
            {failure === null ? null : <Notice kind="bad">{describeFailure(failure)}</Notice>}
            <input type="hidden" name="username" value={email} autoComplete="username" />
            <Field label={t.signIn.yourName} name="name" autoComplete="name" maxLength={255} required autoFocus />
            <Field
              label={t.password}
              name="password"
              type="password"
              autoComplete="new-password"
              hint={t.signIn.rule}
              minLength={8}
              maxLength={256}
              required
            />
            <button type="submit" className="button primary" disabled={isBusy}>
              {t.signIn.join}
            </button>
          </form>
        )}
      </LoadedView>
    </SignInLayout>
  );
}

/** Sets the title of the browser's tab. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Cellwire`;
  }, [title]);
}
