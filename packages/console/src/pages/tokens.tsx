import { useState } from 'react';
import { Confirm, Dialog } from '../components/dialog.tsx';
import { Checkbox, Field } from '../components/field.tsx';
import { FormDialog, readFormText } from '../components/form-dialog.tsx';
import { Page } from '../components/frame.tsx';
import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/menu.tsx';
import { Code, Secret } from '../components/secret.tsx';
import { describeFailure, EmptyState, LoadedView, Notice } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import { listDocuments } from '../data/documents.ts';
import { CONSOLE_API, callApi } from '../data/http.ts';
import type { Token, TokenList } from '../data/types.ts';
import { useLoad } from '../data/use-load.ts';
import { formatDay, formatRelativeTime, t } from '../text/index.ts';
import { DocumentChecks } from './document-choice.tsx';
import { useDocumentTitle } from './sign-in.tsx';

const PATH = `${CONSOLE_API}/tokens`;

interface TokenResponse {
  readonly token: Token;
}

type OpenTokenDialog =
  | { readonly kind: 'create' }
  | { readonly kind: 'made' | 'rotate' | 'revoke'; readonly token: Token }
  | null;

/** The user's API tokens. */
export default function TokensPage() {
  const loaded = useLoad(PATH, () => callApi<TokenList>('GET', PATH));
  const [open, setOpen] = useState<OpenTokenDialog>(null);
  useDocumentTitle(t.tokens.title);
  const finish = (token: Token | null) => {
    setOpen(token === null ? null : { kind: 'made', token });
    loaded.reload();
  };
  const changeToken = async (method: string, path: string) => {
    const answer = await callApi<TokenResponse>(method, path);
    if (!answer.ok) return showToast('bad', describeFailure(answer));
    finish(answer.value.token.secret === undefined ? null : answer.value.token);
  };
  const close = () => setOpen(null);
  return (
    <Page
      title={t.tokens.title}
      text={t.tokens.text}
      actions={
        <button type="button" className="button primary" onClick={() => setOpen({ kind: 'create' })}>
          <Icon name="add" />
          {t.tokens.create}
        </button>
      }
    >
      <div className="card">
        <LoadedView loaded={loaded}>
          {({ tokens, limit }) => (
            <>
              {tokens.length === 0 ? (
                <EmptyState icon="key" title={t.tokens.none} text={t.tokens.noneHint} />
              ) : (
                <TokenTable tokens={tokens} setOpen={setOpen} />
              )}
              {limit === null ? null : (
                <p className="foot muted">
                  {t.tokens.limit(tokens.filter(({ revokedAt }) => revokedAt === null).length, limit)}
                </p>
              )}
            </>
          )}
        </LoadedView>
      </div>
      {open?.kind === 'create' ? (
        <CreateTokenDialog scopes={loaded.value?.scopes ?? []} onClose={close} onDone={finish} />
      ) : null}
      {open?.kind === 'made' ? <CreatedTokenDialog token={open.token} onClose={close} /> : null}
      {open?.kind === 'rotate' ? (
        <Confirm
          title={t.tokens.rotateTitle}
          text={t.tokens.rotateText(open.token.name)}
          action={t.tokens.rotate}
          onClose={close}
          onConfirm={() => void changeToken('POST', `${PATH}/${open.token.id}/rotate`)}
        />
      ) : null}
      {open?.kind === 'revoke' ? (
        <Confirm
          title={t.tokens.revokeTitle}
          text={t.tokens.revokeText(open.token.name)}
          action={t.tokens.revoke}
          onClose={close}
          onConfirm={() => void changeToken('DELETE', `${PATH}/${open.token.id}`)}
        />
      ) : null}
    </Page>
  );
}

function TokenTable({ tokens, setOpen }: { tokens: readonly Token[]; setOpen: (open: OpenTokenDialog) => void }) {
  const { columns } = t.tokens;
  return (
    <Table columns={[columns.name, columns.scopes, columns.documents, columns.used, columns.ends]} hasActions isStacked>
      {tokens.map((token) => (
        <tr key={token.id}>
          <td>
            <b>{token.name}</b>
            <br />
            {token.prefix === null ? null : <code className="muted">{token.prefix}…</code>}
          </td>
          <td data-label={columns.scopes}>
            <span className="row">
              {token.scopes.map((scope) => (
                <span key={scope} className="badge" title={describeScope(scope)}>
                  {scope}
                </span>
              ))}
            </span>
          </td>
          <td className="muted" data-label={columns.documents}>
            {token.documents === null ? t.tokens.all : t.tokens.some(token.documents.length)}
          </td>
          <td className="muted nowrap" data-label={columns.used}>
            {token.lastUsedAt === null ? t.tokens.never : formatRelativeTime(token.lastUsedAt)}
          </td>
          <td className="nowrap" data-label={columns.ends}>
            <ExpiryText token={token} />
          </td>
          <td className="end">
            {token.revokedAt === null ? (
              <Menu
                label={t.tokens.actions(token.name)}
                items={[
                  { text: t.tokens.rotate, icon: 'refresh', onPick: () => setOpen({ kind: 'rotate', token }) },
                  {
                    text: t.tokens.revoke,
                    icon: 'trash',
                    isDanger: true,
                    onPick: () => setOpen({ kind: 'revoke', token }),
                  },
                ]}
              />
            ) : null}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function ExpiryText({ token: { revokedAt, expiresAt, damaged } }: { readonly token: Token }) {
  if (revokedAt !== null) return <span className="badge bad">{t.tokens.revoked}</span>;
  if (damaged) return <span className="badge bad">{t.tokens.damaged}</span>;
  if (expiresAt === null) return <span className="muted">{t.tokens.never}</span>;
  if (Date.parse(expiresAt) < Date.now()) return <span className="badge warn">{t.tokens.expired}</span>;
  return <span className="muted">{formatDay(expiresAt)}</span>;
}

/** Returns the text of a scope. `fallbackText`: for scopes of a newer service. */
function describeScope(scope: string, fallbackText = ''): string {
  return t.tokens.scope[scope as keyof typeof t.tokens.scope] ?? fallbackText;
}

interface CreateTokenDialogProps {
  readonly scopes: TokenList['scopes'];
  readonly onClose: () => void;
  readonly onDone: (token: Token) => void;
}

function CreateTokenDialog({ scopes, onClose, onDone }: CreateTokenDialogProps) {
  const documents = useLoad('documents', listDocuments);
  const [isLimited, setLimited] = useState(false);
  const send = async (form: FormData) => {
    const ends = readFormText(form, 'expires');
    const answer = await callApi<TokenResponse>('POST', PATH, {
      body: {
        name: readFormText(form, 'name'),
        scopes: form.getAll('scopes').map(String),
        ...(isLimited ? { documents: form.getAll('documents').map(String) } : {}),
        ...(form.get('propose') === null ? {} : { propose: true }),
        ...(ends === '' ? {} : { expiresAt: new Date(`${ends}T23:59:59`).toISOString() }),
      },
    });
    if (!answer.ok) return answer;
    onDone(answer.value.token);
    return null;
  };
  return (
    <FormDialog title={t.tokens.create} action={t.create} onClose={onClose} onSend={send}>
      <Field label={t.tokens.name} name="name" maxLength={255} required autoFocus />
      <fieldset className="choices">
        <legend>{t.tokens.scopes}</legend>
        {scopes.map(({ name, allows }) => (
          <Checkbox
            key={name}
            name="scopes"
            value={name}
            defaultChecked={name === 'sheets.read'}
            label={describeScope(name, allows)}
            hint={name}
          />
        ))}
      </fieldset>
      <Checkbox
        label={t.tokens.limited}
        checked={isLimited}
        onChange={(event) => setLimited(event.currentTarget.checked)}
      />
      {isLimited ? (
        <fieldset className="choices">
          <legend>{t.tokens.columns.documents}</legend>
          <LoadedView loaded={documents}>{({ documents: all }) => <DocumentChecks documents={all} />}</LoadedView>
        </fieldset>
      ) : null}
      <Checkbox label={t.proposals.consent} name="propose" value="true" />
      <Field label={t.tokens.expires} name="expires" type="date" />
    </FormDialog>
  );
}

function CreatedTokenDialog({ token, onClose }: { readonly token: Token; readonly onClose: () => void }) {
  const { secret = '' } = token;
  return (
    <Dialog title={t.tokens.made} onClose={onClose}>
      <Notice kind="warn">{t.tokens.once}</Notice>
      <Secret text={secret} label={t.tokens.secret} />
      <Code
        label={t.tokens.tryIt}
        text={`curl -s '${location.origin}/api/v1/documents' -H 'Authorization: Bearer ${secret}'`}
      />
      <div className="row end">
        <button type="button" className="button primary" onClick={onClose}>
          {t.done}
        </button>
      </div>
    </Dialog>
  );
}
