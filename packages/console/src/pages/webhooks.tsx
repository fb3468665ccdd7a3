import { type ReactNode, useState } from 'react';
import { Confirm, Dialog } from '../components/dialog.tsx';
import { Field, Select } from '../components/field.tsx';
import { FormDialog, readFormText } from '../components/form-dialog.tsx';
import { Page } from '../components/frame.tsx';
import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/menu.tsx';
import { Code, Secret } from '../components/secret.tsx';
import { describeFailure, EmptyState, LoadedView, Notice } from '../components/states.tsx';
import { showToast } from '../components/toasts.tsx';
import { listDocuments } from '../data/documents.ts';
import { API, callApi } from '../data/http.ts';
import { useAddressParameters, usePageUrl } from '../data/route.ts';
import type { Document, Webhook } from '../data/types.ts';
import { useLoad } from '../data/use-load.ts';
import { t } from '../text/index.ts';
import { Deliveries, LastDelivery } from './deliveries.tsx';
import { DocumentChoice, findChosenDocument } from './document-choice.tsx';
import { useDocumentTitle } from './sign-in.tsx';

/** Maximum number of subscriptions whose last delivery is refreshed: each needs its own request. */
const MAX_FOLLOWED = 10;

interface CreatedWebhook {
  readonly webhook: Webhook;
  readonly secret?: string;
}

/** Webhooks of a document and their deliveries. */
export default function WebhooksPage() {
  const documents = useLoad('documents', listDocuments);
  const place = usePageUrl();
  useDocumentTitle(t.webhooks.title);
  return (
    <Page title={t.webhooks.title} text={t.webhooks.text}>
      <LoadedView loaded={documents}>
        {({ documents: all }) => {
          const chosen = findChosenDocument(all, place);
          if (chosen === undefined) return <EmptyState icon="bell" title={t.webhooks.noDocuments} />;
          return (
            <div className="stack">
              <WebhookSubscriptions
                key={chosen.id}
                document={chosen}
                choice={<DocumentChoice label={t.webhooks.document} documents={all} chosen={chosen} />}
              />
            </div>
          );
        }}
      </LoadedView>
    </Page>
  );
}

type OpenWebhookDialog =
  | { readonly kind: 'create' }
  | { readonly kind: 'secret'; readonly secret: string }
  | { readonly kind: 'delete' | 'rotate'; readonly webhook: Webhook }
  | null;

interface SubscriptionsProps {
  readonly document: Document;
  /** Select for the document. */
  readonly choice: ReactNode;
}

function WebhookSubscriptions({ document, choice }: SubscriptionsProps) {
  const path = `${API}/documents/${document.id}/webhooks`;
  const loaded = useLoad(path, () => callApi<{ readonly webhooks: readonly Webhook[] }>('GET', path), {
    isFollowed: true,
  });
  const [open, setOpen] = useState<OpenWebhookDialog>(null);
  const [shown, show] = useAddressParameters(['webhook', 'state']);
  const chosen = shown['webhook'] === '' ? null : Number(shown['webhook']);
  const setChosen = (id: number | null) => show({ webhook: id === null ? '' : String(id), state: '' });
  /** Number of test deliveries sent from this page. A change reloads the list. */
  const [tests, setTests] = useState(0);
  /** Number of deliveries repeated from this page. */
  const [repeats, setRepeats] = useState(0);
  const close = () => setOpen(null);
  const sendWebhookRequest = async <T,>(method: string, subpath: string, body?: unknown): Promise<T | null> => {
    const answer = await callApi<T>(method, path + subpath, body === undefined ? {} : { body });
    if (!answer.ok) {
      showToast('bad', describeFailure(answer));
      return null;
    }
    loaded.reload();
    return answer.value;
  };
  const rotate = async ({ id }: Webhook) => {
    const renewed = await sendWebhookRequest<{ readonly secret: string }>('POST', `/${id}/secret`, {});
    if (renewed !== null) setOpen({ kind: 'secret', secret: renewed.secret });
  };
  const test = async ({ id }: Webhook) => {
    if ((await sendWebhookRequest('POST', `/${id}/test`)) === null) return;
    showToast('good', t.webhooks.tested);
    setChosen(id);
    setTests(tests + 1);
  };
  return (
    <>
      <div className="choice-row">
        {choice}
        <button type="button" className="button primary" onClick={() => setOpen({ kind: 'create' })}>
          <Icon name="add" />
          {t.webhooks.create}
        </button>
      </div>
      <div className="card">
        <LoadedView loaded={loaded}>
          {({ webhooks }) =>
            webhooks.length === 0 ? (
              <EmptyState icon="bell" title={t.webhooks.none} text={t.webhooks.noneHint} />
            ) : (
              <ul className="rows">
                {webhooks.map((webhook) => (
                  <li key={webhook.id}>
                    <button
                      type="button"
                      className="row-button"
                      aria-expanded={chosen === webhook.id}
                      onClick={() => setChosen(chosen === webhook.id ? null : webhook.id)}
                    >
                      <span className={webhook.active ? 'badge good' : 'badge'}>
                        {webhook.active ? t.webhooks.on : t.webhooks.off}
                      </span>
                      <span className="address">{describeAddress(webhook)}</span>
                      {webhook.token === '' ? null : (
                        <span className="hint only-wide">{t.webhooks.by(webhook.token)}</span>
                      )}
                    </button>
                    <LastDelivery
                      key={`${tests} ${repeats}`}
                      path={`${path}/${webhook.id}`}
                      isFollowed={webhooks.length <= MAX_FOLLOWED}
                    />
                    <Menu
                      label={t.webhooks.actions(describeAddress(webhook))}
                      items={[
                        { text: t.webhooks.test, icon: 'send', onPick: () => void test(webhook) },
                        {
                          text: webhook.active ? t.webhooks.turnOff : t.webhooks.turnOn,
                          icon: 'bell',
                          onPick: () => void sendWebhookRequest('PATCH', `/${webhook.id}`, { active: !webhook.active }),
                        },
                        {
                          text: t.webhooks.rotate,
                          icon: 'refresh',
                          isOff: webhook.channel !== 'http',
                          onPick: () => setOpen({ kind: 'rotate', webhook }),
                        },
                        {
                          text: t.webhooks.delete,
                          icon: 'trash',
                          isDanger: true,
                          onPick: () => setOpen({ kind: 'delete', webhook }),
                        },
                      ]}
                    />
                    {chosen === webhook.id ? (
                      <Deliveries
                        key={tests}
                        path={`${path}/${webhook.id}`}
                        onSent={() => setRepeats((count) => count + 1)}
                      />
                    ) : null}
                  </li>
                ))}
              </ul>
            )
          }
        </LoadedView>
      </div>
      {open?.kind === 'create' ? (
        <CreateWebhookDialog
          path={path}
          onClose={close}
          onDone={({ secret }) => {
            setOpen(secret === undefined ? null : { kind: 'secret', secret });
            loaded.reload();
          }}
        />
      ) : null}
      {open?.kind === 'secret' ? <SecretDialog secret={open.secret} onClose={close} /> : null}
      {open?.kind === 'rotate' ? (
        <Confirm
          title={t.webhooks.rotateTitle}
          text={t.webhooks.rotateText(describeAddress(open.webhook))}
          action={t.webhooks.rotate}
          onClose={close}
          onConfirm={() => {
            close();
            void rotate(open.webhook);
          }}
        />
      ) : null}
      {open?.kind === 'delete' ? (
        <Confirm
          title={t.webhooks.deleteTitle}
          text={t.webhooks.deleteText(describeAddress(open.webhook))}
          action={t.webhooks.delete}
          onClose={close}
          onConfirm={() => {
            close();
            void sendWebhookRequest('DELETE', `/${open.webhook.id}`);
          }}
        />
      ) : null}
    </>
  );
}

function describeAddress({ url, chatId, channel }: Webhook): string {
  return url ?? `${t.webhooks.channels[channel]} ${chatId ?? ''}`;
}

interface CreateWebhookDialogProps {
  readonly path: string;
  readonly onClose: () => void;
  readonly onDone: (createdWebhook: CreatedWebhook) => void;
}

function CreateWebhookDialog({ path, onClose, onDone }: CreateWebhookDialogProps) {
  const [channel, setChannel] = useState<Webhook['channel']>('http');
  const send = async (form: FormData) => {
    const fields = [...form.keys()].map((name) => [name, readFormText(form, name)]);
    const answer = await callApi<CreatedWebhook>('POST', path, { body: Object.fromEntries(fields) });
    if (!answer.ok) return answer;
    onDone(answer.value);
    return null;
  };
  return (
    <FormDialog title={t.webhooks.create} action={t.create} onClose={onClose} onSend={send}>
      <Select
        label={t.webhooks.channel}
        name="channel"
        value={channel}
        onChange={(event) => setChannel(event.currentTarget.value as Webhook['channel'])}
      >
        <option value="http">{t.webhooks.channels.http}</option>
        <option value="messenger">{t.webhooks.channels.messenger}</option>
      </Select>
      {channel === 'http' ? (
        <Field
          label={t.webhooks.url}
          name="url"
          type="url"
          placeholder="https://example.com/hook"
          maxLength={2048}
          required
        />
      ) : (
        <>
          <Field label={t.webhooks.botToken} name="botToken" type="password" autoComplete="off" required />
          <Field label={t.webhooks.chatId} name="chatId" maxLength={64} required />
        </>
      )}
    </FormDialog>
  );
}

/** Verifies a Standard Webhooks signature with Node's own modules. */
const VERIFY_CODE = `import { createHmac, timingSafeEqual } from 'node:crypto';

function isFromCellwire(headers, body, secret) {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = \`\${headers['webhook-id']}.\${headers['webhook-timestamp']}.\${body}\`;
  const wanted = createHmac('sha256', key).update(signed).digest();
  return headers['webhook-signature'].split(' ').some((part) => {
    const given = Buffer.from(part.replace(/^v1,/, ''), 'base64');
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}`;

function SecretDialog({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <Dialog title={t.webhooks.secretTitle} isWide onClose={onClose}>
      <Notice kind="warn">{t.webhooks.once}</Notice>
      <Secret text={secret} label={t.webhooks.secret} />
      <Code label={t.webhooks.verify} text={VERIFY_CODE} />
    </Dialog>
  );
}
