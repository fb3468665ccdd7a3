import { type ReactNode, useState } from 'react';
import { Field, Select } from '../components/field.tsx';
import { Page } from '../components/frame.tsx';
import { Link } from '../components/link.tsx';
import { EmptyState, LoadedView } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { listDocuments } from '../data/documents.ts';
import { call, OWN, query } from '../data/http.ts';
import { usePlace } from '../data/route.ts';
import type { AuditEntry, Document } from '../data/types.ts';
import { useLoad } from '../data/use-load.ts';
import { dateText, numberText, t } from '../text/index.ts';
import { chosenOf, DocumentChoice } from './document-choice.tsx';
import { useTitle } from './sign-in.tsx';

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

interface AccountEntry {
  readonly id: number;
  readonly at: string;
  readonly action: string;
  readonly userName: string | null;
  readonly subject: string | null;
  readonly detail: string | null;
  readonly address: string | null;
  readonly origin: string;
}

interface AccountLog {
  readonly log: { readonly entries: readonly AccountEntry[]; readonly total: number };
}

const PAGE = 50;

/** What was changed in documents, and who signed in and got which rights. */
export default function LogPage() {
  const documents = useLoad('documents', listDocuments);
  const [tab, setTab] = useState<'document' | 'account'>('document');
  const place = usePlace();
  useTitle(t.log.title);
  return (
    <Page title={t.log.title} text={t.log.text}>
      <div className="stack">
        <div className="tabs" role="tablist">
          {(['document', 'account'] as const).map((name) => (
            <button key={name} type="button" role="tab" aria-selected={tab === name} onClick={() => setTab(name)}>
              {t.log[name]}
            </button>
          ))}
        </div>
        {tab === 'account' ? (
          <AccountChanges />
        ) : (
          <LoadedView loaded={documents}>
            {({ documents: all }) => {
              const chosen = chosenOf(all, place);
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

interface Filters {
  readonly origin: string;
  readonly action: string;
  readonly user: string;
  readonly token: string;
  readonly since: string;
  readonly until: string;
}

const NO_FILTERS: Filters = { origin: '', action: '', user: '', token: '', since: '', until: '' };

function DocumentChanges({ document }: { readonly document: Document }) {
  const [filters, setFilters] = useState(NO_FILTERS);
  const [offset, setOffset] = useState(0);
  const { since, until, ...others } = filters;
  const search = query({
    ...others,
    since: since === '' ? null : new Date(since).toISOString(),
    until: until === '' ? null : new Date(`${until}T23:59:59`).toISOString(),
    offset,
    limit: PAGE,
  });
  const path = `${OWN}/documents/${document.id}/log${search}`;
  const loaded = useLoad(path, () => call<DocumentLog>('GET', path));
  const [known, setKnown] = useState<DocumentLog['log'] | null>(null);
  if (known === null && loaded.value !== null) setKnown(loaded.value.log);
  const set = (name: keyof Filters) => (value: string) => {
    setOffset(0);
    setFilters({ ...filters, [name]: value });
  };
  const users = (known?.users ?? []).map((user) => (typeof user === 'string' ? [user, user] : [user.id, user.name]));
  return (
    <>
      <div className="filters">
        <Choice
          label={t.log.filters.origin}
          value={filters.origin}
          values={known?.origins ?? []}
          onPick={set('origin')}
        />
        <Choice
          label={t.log.filters.action}
          value={filters.action}
          values={known?.actions ?? []}
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
        <Choice label={t.log.filters.token} value={filters.token} values={known?.tokens ?? []} onPick={set('token')} />
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
            <Entries count={entries.length} total={total} offset={offset} setOffset={setOffset}>
              {entries.map((entry) => (
                <tr key={entry.id}>
                  <td className="nowrap muted">{dateText(entry.createdAt)}</td>
                  <td>
                    {entry.userName}
                    <br />
                    <span className="hint">{entry.token || entry.origin}</span>
                  </td>
                  <td>{entry.action}</td>
                  <td>
                    {entry.properties.range === '' ? (
                      <span className="hint">{entry.properties.address ?? ''}</span>
                    ) : (
                      <Link
                        title={t.log.open}
                        href={`/documents/${document.id}#range=${encodeURIComponent(entry.properties.range)}`}
                      >
                        {entry.properties.range}
                      </Link>
                    )}
                  </td>
                  <td className="end">{numberText(entry.properties.cells)}</td>
                </tr>
              ))}
            </Entries>
          )}
        </LoadedView>
      </div>
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly values: readonly string[];
  readonly onPick: (value: string) => void;
}

function Choice({ label, value, values, onPick }: ChoiceProps) {
  return (
    <Select label={label} value={value} onChange={(event) => onPick(event.currentTarget.value)}>
      <option value="">{t.log.anything}</option>
      {values.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </Select>
  );
}

function AccountChanges() {
  const [offset, setOffset] = useState(0);
  const path = `${OWN}/log${query({ offset, limit: PAGE })}`;
  const loaded = useLoad(path, () => call<AccountLog>('GET', path));
  return (
    <div className="card">
      <LoadedView loaded={loaded}>
        {({ log: { entries, total } }) => (
          <Entries count={entries.length} total={total} offset={offset} setOffset={setOffset}>
            {entries.map(({ id, at, action, userName, subject, detail, address, origin }) => (
              <tr key={id}>
                <td className="nowrap muted">{dateText(at)}</td>
                <td>
                  {userName ?? ''}
                  <br />
                  <span className="hint">{address ?? origin}</span>
                </td>
                <td>{action}</td>
                <td colSpan={2}>{[subject, detail].filter((text) => text).join(' · ')}</td>
              </tr>
            ))}
          </Entries>
        )}
      </LoadedView>
    </div>
  );
}

interface EntriesProps {
  readonly count: number;
  readonly total: number;
  readonly offset: number;
  readonly setOffset: (offset: number) => void;
  readonly children: ReactNode;
}

/** A page of a log, with the way to the others. */
function Entries({ count, total, offset, setOffset, children }: EntriesProps) {
  const { columns } = t.log;
  if (count === 0) return <EmptyState icon="history" title={t.log.none} text={t.log.noneHint} />;
  return (
    <>
      <Table
        columns={[columns.at, columns.who, columns.what, columns.where, { text: columns.cells, className: 'end' }]}
      >
        {children}
      </Table>
      <div className="row between foot">
        <span className="muted">{t.log.page(offset + 1, offset + count, total)}</span>
        <span className="row">
          <button type="button" className="button" disabled={offset === 0} onClick={() => setOffset(offset - PAGE)}>
            {t.log.newer}
          </button>
          <button
            type="button"
            className="button"
            disabled={offset + count >= total}
            onClick={() => setOffset(offset + PAGE)}
          >
            {t.log.older}
          </button>
        </span>
      </div>
    </>
  );
}
