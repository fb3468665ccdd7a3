import { useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { Select } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { Code } from '../components/secret.tsx';
import { describeFailure, EmptyState, LoadedView } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import { callApi, formatQuery } from '../data/http.ts';
import { useAddressParameters } from '../data/route.ts';
import type { Delivery } from '../data/types.ts';
import { type Loaded, useLoad } from '../data/use-load.ts';
import { formatDate, formatRelativeTime, t } from '../text/index.ts';

interface DeliveryPage {
  readonly deliveries: { readonly entries: readonly Delivery[]; readonly total: number };
}

const STATES = ['waiting', 'sending', 'delivered', 'refused', 'exhausted', 'cancelled'] as const;
const SUCCESS_STATE = 'delivered';
const FAILED_STATES: ReadonlySet<string> = new Set(['refused', 'exhausted']);
const PAGE_SIZE = 50;

/** Deliveries of a subscription. `path`: address of the subscription. */
function useDeliveries(path: string, search: string, isFollowed: boolean): Loaded<DeliveryPage> {
  return useLoad(path + search, () => callApi<DeliveryPage>('GET', `${path}/deliveries${search}`), { isFollowed });
}

/** Ids of all failed deliveries; null after a failure, which is shown. */
async function loadFailedIds(path: string): Promise<readonly string[] | null> {
  const ids: string[] = [];
  for (const state of FAILED_STATES) {
    for (let total = 1, offset = 0; offset < total; offset += PAGE_SIZE) {
      const answer = await callApi<DeliveryPage>(
        'GET',
        `${path}/deliveries${formatQuery({ state, offset, limit: PAGE_SIZE })}`,
      );
      if (!answer.ok) {
        showToast('bad', describeFailure(answer));
        return null;
      }
      ids.push(...answer.value.deliveries.entries.map(({ deliveryId }) => deliveryId));
      total = answer.value.deliveries.total;
    }
  }
  return ids;
}

/** State of the last delivery; empty if there was none. */
export function LastDelivery({ path, isFollowed }: { readonly path: string; readonly isFollowed: boolean }) {
  const last = useDeliveries(path, formatQuery({ limit: 1 }), isFollowed).value?.deliveries.entries[0];
  // Keeps the column of the table in place.
  if (last === undefined) return <span />;
  return (
    <span className="row" title={t.webhooks.last(formatDate(last.createdAt))}>
      <DeliveryStateBadge state={last.state} />
      <span className="hint only-wide">{formatRelativeTime(last.createdAt)}</span>
    </span>
  );
}

interface DeliveriesProps {
  /** Address of the subscription. */
  readonly path: string;
  readonly onSent: () => void;
}

/** Deliveries of one subscription, attempt by attempt. */
export function Deliveries({ path, onSent }: DeliveriesProps) {
  const [{ state }, change] = useAddressParameters(['state']);
  const [shown, setShown] = useState<Delivery | null>(null);
  const [isSending, setSending] = useState(false);
  const loaded = useDeliveries(path, formatQuery({ state, limit: PAGE_SIZE }), true);
  const redeliver = async (ids: readonly string[]) => {
    for (const id of ids) {
      const answer = await callApi('POST', `${path}/deliveries/${id}/redeliver`);
      if (!answer.ok) return showToast('bad', describeFailure(answer));
    }
    showToast('good', t.webhooks.redelivered(ids.length));
    loaded.reload();
    onSent();
  };
  const redeliverFailed = async () => {
    setSending(true);
    const failed = await loadFailedIds(path);
    if (failed !== null) await redeliver(failed);
    setSending(false);
  };
  const { entries: seen = [], total = 0 } = loaded.value?.deliveries ?? {};
  const hasFailed = state !== '' || total > seen.length || seen.some((one) => FAILED_STATES.has(one.state));
  return (
    <div className="deliveries">
      <div className="row between">
        <h3>{t.webhooks.deliveries}</h3>
        <div className="row">
          <Select
            label={t.webhooks.state}
            value={state}
            onChange={(event) => change({ state: event.currentTarget.value })}
          >
            <option value="">{t.webhooks.anyState}</option>
            {STATES.map((name) => (
              <option key={name} value={name}>
                {t.webhooks.states[name]}
              </option>
            ))}
          </Select>
          <button
            type="button"
            className="button"
            disabled={isSending || !hasFailed}
            onClick={() => void redeliverFailed()}
          >
            {t.webhooks.redeliverAll}
          </button>
          <button type="button" className="button icon-only" aria-label={t.refresh} onClick={loaded.reload}>
            <Icon name="refresh" />
          </button>
        </div>
      </div>
      <LoadedView loaded={loaded}>
        {({ deliveries: { entries } }) =>
          entries.length === 0 ? (
            <EmptyState icon="send" title={t.webhooks.noDeliveries} />
          ) : (
            <DeliveryTable entries={entries} onShow={setShown} onAgain={(id) => void redeliver([id])} />
          )
        }
      </LoadedView>
      {shown === null ? null : <DeliveryDialog delivery={shown} onClose={() => setShown(null)} />}
    </div>
  );
}

interface DeliveryTableProps {
  readonly entries: readonly Delivery[];
  readonly onShow: (delivery: Delivery) => void;
  readonly onAgain: (id: string) => void;
}

function DeliveryTable({ entries, onShow, onAgain }: DeliveryTableProps) {
  const { columns } = t.webhooks;
  return (
    <Table columns={[columns.at, columns.state, columns.attempts, columns.answer]} hasActions isStacked>
      {entries.map((delivery) => {
        const last = delivery.attempts.at(-1);
        return (
          <tr key={delivery.deliveryId}>
            <td className="nowrap">
              <button type="button" className="link" onClick={() => onShow(delivery)}>
                {formatRelativeTime(delivery.createdAt)}
              </button>
              {delivery.test ? <span className="badge"> {t.webhooks.isTest}</span> : null}
            </td>
            <td data-label={columns.state}>
              <DeliveryStateBadge state={delivery.state} />
              {delivery.state === 'waiting' && delivery.nextAttemptAt !== null ? (
                <>
                  <br />
                  <span className="hint">{t.webhooks.next(formatDate(delivery.nextAttemptAt))}</span>
                </>
              ) : null}
            </td>
            <td data-label={columns.attempts}>{delivery.attempts.length}</td>
            <td className="muted" data-label={columns.answer}>
              {last === undefined ? '—' : (last.status ?? last.error)}
            </td>
            <td className="end">
              <button type="button" className="button quiet" onClick={() => onAgain(delivery.deliveryId)}>
                {t.webhooks.redeliver}
              </button>
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

function DeliveryStateBadge({ state }: { readonly state: string }) {
  const kind = state === SUCCESS_STATE ? 'good' : FAILED_STATES.has(state) ? 'bad' : 'warn';
  const words: Readonly<Record<string, string>> = t.webhooks.states;
  return <span className={`badge ${kind}`}>{words[state] ?? state}</span>;
}

function DeliveryDialog({ delivery, onClose }: { readonly delivery: Delivery; readonly onClose: () => void }) {
  const { attempts, ...about } = delivery;
  return (
    <Dialog title={t.webhooks.detail} isWide onClose={onClose}>
      <Code label={t.webhooks.about} text={JSON.stringify(about, null, 2)} />
      {attempts.map(({ attempt, startedAt, durationMs, status, error, response, outcome }) => (
        <section key={`${attempt} ${startedAt}`} className="stack">
          <h3>
            {t.webhooks.attempt(attempt)} · {formatDate(startedAt)} · {durationMs} ms · {status ?? error} ·{' '}
            {t.webhooks.outcomes[outcome]}
          </h3>
          {response === '' ? null : <Code label={t.webhooks.response} text={response} />}
        </section>
      ))}
    </Dialog>
  );
}
