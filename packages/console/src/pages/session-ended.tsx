import { useRef } from 'react';
import { useModal } from '../components/dialog.tsx';
import { Field } from '../components/field.tsx';
import { describeFailure, Notice } from '../components/states.tsx';
import { discardSession, signIn } from '../data/session.ts';
import type { Me } from '../data/types.ts';
import { t } from '../text/index.ts';
import { PasswordForm, readFormField, useSubmit } from './sign-in.tsx';

/**
 * Asks the person to sign in again after the session has ended. The page stays unchanged behind the dialog. It is
 * discarded if another person signs in.
 */
export function SessionEnded({ me }: { readonly me: Me }) {
  const place = useRef<HTMLDialogElement>(null);
  useModal(place);
  return (
    <dialog
      ref={place}
      className="dialog over-page"
      aria-labelledby="session-ended"
      onCancel={(event) => event.preventDefault()}
      // Some browsers close the dialog with the second Escape even if the first was prevented.
      onClose={() => place.current?.isConnected && !place.current.open && place.current.showModal()}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div className="content">
        <h2 id="session-ended">{me.mustChangePassword ? t.signIn.first : t.signIn.ended}</h2>
        {me.mustChangePassword ? (
          <>
            <p className="muted">{t.signIn.firstHint}</p>
            <PasswordForm isFirst />
          </>
        ) : (
          <SignInAgain me={me} />
        )}
        <button type="button" className="button quiet" onClick={discardSession}>
          {t.signIn.another}
        </button>
      </div>
    </dialog>
  );
}

function SignInAgain({ me }: { readonly me: Me }) {
  const { failure, isBusy, onSubmit } = useSubmit(async (form) => {
    const answer = await signIn(me.user.email, readFormField(form, 'password'));
    return answer.ok ? null : answer;
  });
  return (
    <form className="form" onSubmit={onSubmit}>
      <p className="muted">{t.signIn.endedHint}</p>
      {failure === null ? null : (
        <Notice kind="bad">{failure.status === 401 ? t.signIn.wrong : describeFailure(failure)}</Notice>
      )}
      <Field label={t.email} name="email" type="email" autoComplete="username" value={me.user.email} readOnly />
      <Field label={t.password} name="password" type="password" autoComplete="current-password" required autoFocus />
      <button type="submit" className="button primary" disabled={isBusy}>
        {t.signIn.action}
      </button>
    </form>
  );
}
