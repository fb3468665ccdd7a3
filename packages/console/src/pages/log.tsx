import { type ReactNode, useState } from 'react';
import { Field, Select } from '../components/field.tsx';
import { Page } from '../components/frame.tsx';
import { Link } from '../components/link.tsx';
import { EmptyState, LoadedView } from '../components/states.tsx';
import { Table, type TableColumns } from '../components/table.tsx';
import { listDocuments } from '../data/documents.ts';
import { CONSOLE_API, callApi, formatQuery } from '../data/http.ts';
import { useAddressParameters, usePageUrl } from '../data/route.ts';
import { useMe } from '../data/session.ts';
import type { AccountEntry, AuditEntry, Document, User } from '../data/types.ts';
import { useLoad } from '../data/use-load.ts';
import { describeBrowser } from '../text/browser-name.ts';
import { formatDate, formatLocalNumber, t } from '../text/index.ts';
import { DocumentChoice, findChosenDocument } from './document-choice.tsx';
import { useDocumentTitle } from './sign-in.tsx';

interface DocumentLog {
  readonly log: {
    readonly entries: readonly AuditEntry[];
    readonly total: number;
    readonly tokens: readonly string[];
    readonly actions?: readonly string[];
    readonly origins?: readonly string[];
    readonly users?: readonly (string | { readonly id: number; readonly name: string })[];
  };
}

interface AccountLog {
  readonly log: { readonly entries: readonly AccountEntry[]; readonly total: number };
}

const PAGE_SIZE = 50;

/** Texts of actions and origins. Values of a newer service are shown as they are. */
const ACTIONS: Readonly<Record<string, string>> = t.log.actions;
const ORIGINS: Readonly<Record<string, string>> = t.history.by;
/** Actions whose User-Agent the log keeps. */
const BROWSER_ACTIONS: ReadonlySet<string> = new Set(['signIn', 'signIn.failed']);

/** Log of documents and log of accounts. */
export default function LogPage() {
  const documents = useLoad('documents', listDocuments);
  const [{ tab: shown }, change] = useAddressParameters(['tab', 'offset']);
  const tab = shown === 'account' ? 'account' : 'document';
  const place = usePageUrl();
  useDocumentTitle(t.log.title);
  return (
    <Page title={t.log.title} text={t.log.text}>
      <div className="stack">
        <div className="tabs" role="tablist">
          {(['document', 'account'] as const).map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              aria-selected={tab === name}
              onClick={() => change({ tab: name === 'document' ? '' : name, offset: '' })}
            >
              {t.log[name]}
            </button>
          ))}
        </div>
        {tab === 'account' ? (
          <AccountChanges />
        ) : (
          <LoadedView loaded={documents}>
            {({ documents: all }) => {
              const chosen = findChosenDocument(all, place);
              if (chosen === undefined) return <EmptyState icon="history" title={t.log.none} />;
              return (
                <>
                  <DocumentChoice label={t.log.document} documents={all} chosen={chosen} />
                  <DocumentChanges key={chosen.id} document={chosen} />
                </>
              );
            }}
          </LoadedView>
        )}
      </div>
    </Page>
  );
}

/** Filters of the log, which are parameters of the address. */
const FILTERS = ['origin', 'action', 'user', 'token', 'since', 'until'] as const;
type LogFilter = (typeof FILTERS)[number];
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Start or end of a day as a timestamp; null if the address has no day. */
function parseDayBoundary(day: string, time: string): string | null {
  const moment = DATE.test(day) ? new Date(`${day}T${time}`) : null;
  return moment === null || Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}

function DocumentChanges({ document }: { readonly document: Document }) {
  const [filters, change] = useAddressParameters(FILTERS);
  const [offset, setOffset] = useOffset();
  const { since, until, ...others } = filters;
  const search = formatQuery({
    ...others,
    since: parseDayBoundary(since, '00:00:00'),
    until: parseDayBoundary(until, '23:59:59'),
    offset,
    limit: PAGE_SIZE,
  });
  const path = `${CONSOLE_API}/documents/${document.id}/log${search}`;
  const loaded = useLoad(path, () => callApi<DocumentLog>('GET', path), { isFollowed: true });
  const [loadedLog, setLoadedLog] = useState<DocumentLog['log'] | null>(null);
  if (loadedLog === null && loaded.value !== null) setLoadedLog(loaded.value.log);
  const set = (name: LogFilter) => (value: string) =>
    change({ [name]: value, offset: '' } as Partial<Record<LogFilter, string>>);
  const users = (loadedLog?.users ?? []).map((user) =>
    typeof user === 'string' ? [user, user] : [user.id, user.name],
  );
  return (
    <>
      <div className="filters">
        <LogChoice
          label={t.log.filters.origin}
          value={filters.origin}
          values={loadedLog?.origins ?? []}
          labels={ORIGINS}
          onPick={set('origin')}
        />
        <LogChoice
          label={t.log.filters.action}
          value={filters.action}
          values={loadedLog?.actions ?? []}
          labels={ACTIONS}
          onPick={set('action')}
        />
        <Select
          label={t.log.filters.user}
          value={filters.user}
          onChange={(event) => set('user')(event.currentTarget.value)}
        >
          <option value="">{t.log.anything}</option>
          {users.map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
        <LogChoice
          label={t.log.filters.token}
          value={filters.token}
          values={loadedLog?.tokens ?? []}
          labels={{}}
          onPick={set('token')}
        />
        <Field
          label={t.log.filters.since}
          type="date"
          value={since}
          onChange={(event) => set('since')(event.currentTarget.value)}
        />
        <Field
          label={t.log.filters.until}
          type="date"
          value={until}
          onChange={(event) => set('until')(event.currentTarget.value)}
        />
      </div>
      <div className="card">
        <LoadedView loaded={loaded}>
          {({ log: { entries, total } }) => (
            <LogEntries
              columns={DOCUMENT_COLUMNS}
              count={entries.length}
              total={total}
              offset={offset}
              onOffset={setOffset}
            >
              {entries.map((entry) => (
                <DocumentRow key={entry.id} document={document.id} entry={entry} />
              ))}
            </LogEntries>
          )}
        </LoadedView>
      </div>
    </>
  );
}

const { columns } = t.log;
const DOCUMENT_COLUMNS: TableColumns = [
  columns.at,
  columns.who,
  columns.what,
  columns.where,
  { text: columns.cells, className: 'end' },
];
const ACCOUNT_COLUMNS: TableColumns = [columns.at, columns.who, columns.what, columns.about];

interface DocumentRowProps {
  readonly document: string;
  readonly entry: AuditEntry;
}

function DocumentRow({ document, entry }: DocumentRowProps) {
  const { action, origin, token, properties } = entry;
  const { range, cells, address } = properties;
  const isFile = action === 'update' && origin === 'import';
  const about = address === undefined ? '' : t.log.webhook(address);
  return (
    <tr>
      <td className="nowrap muted">{formatDate(entry.createdAt)}</td>
      <td className="person" data-label={columns.who}>
        {entry.userName}
        <br />
        <span className="hint">{[ORIGINS[origin] ?? origin, token].filter((text) => text !== '').join(' · ')}</span>
      </td>
      <td data-label={columns.what}>{isFile ? t.log.imported : (ACTIONS[action] ?? action)}</td>
      <td data-label={columns.where}>
        {range === '' ? (
          <span className="hint">{about}</span>
        ) : (
          <Link title={t.log.open} href={`/documents/${document}#range=${encodeURIComponent(range)}`}>
            {range}
          </Link>
        )}
      </td>
      <td className="end" data-label={columns.cells}>
        {cells === 0 ? '—' : formatLocalNumber(cells)}
      </td>
    </tr>
  );
}

interface LogChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly values: readonly string[];
  /** Names of values. A value without a name is shown as it is. */
  readonly labels: Readonly<Record<string, string>>;
  readonly onPick: (value: string) => void;
}

function LogChoice({ label, value, values, labels, onPick }: LogChoiceProps) {
  return (
    <Select label={label} value={value} onChange={(event) => onPick(event.currentTarget.value)}>
      <option value="">{t.log.anything}</option>
      {values.map((one) => (
        <option key={one} value={one}>
          {labels[one] ?? one}
        </option>
      ))}
    </Select>
  );
}

/** Offset of the page in the address. */
function useOffset(): readonly [offset: number, change: (offset: number) => void] {
  const [{ offset }, change] = useAddressParameters(['offset']);
  const isNumber = /^\d{1,9}$/.test(offset);
  return [isNumber ? Number(offset) : 0, (next) => change({ offset: next === 0 ? '' : String(next) })];
}

/** Selects the user whose entries are shown: entries by and about this user. */
function UserChoice({ user, onPick }: { readonly user: string; readonly onPick: (id: string) => void }) {
  const users = useLoad('users', () => callApi<{ readonly users: readonly User[] }>('GET', `${CONSOLE_API}/users`));
  return (
    <div className="filters">
      <Select label={t.log.filters.user} value={user} onChange={({ currentTarget }) => onPick(currentTarget.value)}>
        <option value="">{t.log.anything}</option>
        {(users.value?.users ?? []).map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </div>
  );
}

function AccountChanges() {
  const { workspace } = useMe();
  const [offset, setOffset] = useOffset();
  const [{ by }, change] = useAddressParameters(['by', 'offset']);
  const path = `${CONSOLE_API}/log${formatQuery({ user: by, offset, limit: PAGE_SIZE })}`;
  const loaded = useLoad(path, () => callApi<AccountLog>('GET', path), { isFollowed: true });
  const pick = (id: string) => change({ by: id, offset: '' });
  return (
    <>
      {workspace.owner ? <UserChoice user={by} onPick={pick} /> : null}
      <div className="card">
        <LoadedView loaded={loaded}>
          {({ log: { entries, total } }) => (
            <LogEntries
              columns={ACCOUNT_COLUMNS}
              count={entries.length}
              total={total}
              offset={offset}
              onOffset={setOffset}
            >
              {entries.map((entry) => (
                <AccountRow key={entry.id} entry={entry} />
              ))}
            </LogEntries>
          )}
        </LoadedView>
      </div>
    </>
  );
}

function AccountRow({ entry }: { readonly entry: AccountEntry }) {
  const { action, userName, subject, detail, address, origin } = entry;
  const isOperator = origin === 'operator';
  const about = BROWSER_ACTIONS.has(action) ? describeBrowser(detail) : detail;
  return (
    <tr>
      <td className="nowrap muted">{formatDate(entry.at)}</td>
      <td className="person" data-label={columns.who}>
        {isOperator ? ORIGINS[origin] : userName || t.log.unknown}
        <br />
        <span className="hint">{address}</span>
      </td>
      <td data-label={columns.what}>{ACTIONS[action] ?? action}</td>
      <td data-label={columns.about}>{[subject, about].filter((text) => text !== '').join(' · ')}</td>
    </tr>
  );
}

interface LogEntriesProps {
  readonly columns: TableColumns;
  readonly count: number;
  readonly total: number;
  readonly offset: number;
  readonly onOffset: (offset: number) => void;
  readonly children: ReactNode;
}

/** A page of a log with links to the others. */
function LogEntries({ columns, count, total, offset, onOffset, children }: LogEntriesProps) {
  if (count === 0) return <EmptyState icon="history" title={t.log.none} text={t.log.noneHint} />;
  return (
    <>
      <Table columns={columns} isStacked>
        {children}
      </Table>
      <div className="row between foot">
        <span className="muted">{t.log.page(offset + 1, offset + count, total)}</span>
        <span className="row">
          <button type="button" className="button" disabled={offset === 0} onClick={() => onOffset(offset - PAGE_SIZE)}>
            {t.log.newer}
          </button>
          <button
            type="button"
            className="button"
            disabled={offset + count >= total}
            onClick={() => onOffset(offset + PAGE_SIZE)}
          >
            {t.log.older}
          </button>
        </span>
      </div>
    </>
  );
}
