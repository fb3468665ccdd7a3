import { useEffect, useRef, useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { Field } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { ScrollContainer } from '../components/scroll-container.tsx';
import { describeFailure, LoadedView } from '../components/states.tsx';
import { showToast } from '../components/toasts.tsx';
import type { Failure } from '../data/http.ts';
import {
  decideProposal,
  getProposal,
  listOpenProposals,
  type Proposal,
  type ProposalAction,
} from '../data/proposals.ts';
import { useLoad, useReloadOnChange } from '../data/use-load.ts';
import { formatRelativeTime, t } from '../text/index.ts';
import { ProposalChanges } from './proposal-changes.tsx';
import '../styles/proposals.css';

/** Time between two looks for proposals whose event was missed, in milliseconds. */
const CHECK_MS = 15_000;

/** What the page knows of changes of the document and its proposals. */
interface DocumentEvents {
  /** Newest reported revision; null if none. */
  readonly revision: number | null;
  /** Number of reported events of proposals. */
  readonly events: number;
}

/** The proposal that the address names; null: none. */
export function getRequestedProposal(): string | null {
  return new URLSearchParams(location.search).get('proposal');
}

interface ProposalsButtonProps {
  readonly document: string;
  readonly canEdit: boolean;
  /** The proposal that the address names; null: none. */
  readonly requestedId: string | null;
  readonly news: DocumentEvents;
}

/** The number of open proposals, which opens them; nothing if there are none. */
export function ProposalsButton({ document, canEdit, requestedId, news }: ProposalsButtonProps) {
  const loaded = useLoad(document, () => listOpenProposals(document));
  const [isOpen, setOpen] = useState(requestedId !== null);
  const { reload } = loaded;
  useEffect(() => {
    const timer = setInterval(reload, CHECK_MS);
    return () => clearInterval(timer);
  }, [reload]);
  useReloadOnChange(loaded, String(news.events));
  const entries = loaded.value?.proposals.entries ?? [];
  if (entries.length === 0 && !isOpen) return null;
  return (
    <>
      <button
        type="button"
        className="button proposals-button"
        aria-label={t.proposals.open(entries.length)}
        title={t.proposals.open(entries.length)}
        onClick={() => setOpen(true)}
      >
        <span className="only-wide">{t.proposals.open(entries.length)}</span>
        <span className="only-narrow">
          <Icon name="bell" />
          {entries.length}
        </span>
      </button>
      {isOpen ? (
        <Dialog title={t.proposals.title} isWide onClose={() => setOpen(false)}>
          <Proposals
            document={document}
            canEdit={canEdit}
            listed={entries.map(({ id, title, action, summary }, i) => ({
              id,
              label: [`${i + 1}. ${title ?? describeProposedAction(action)}`, ...describeCounts(summary)].join(' · '),
            }))}
            requestedId={requestedId}
            news={news}
            onListChange={reload}
          />
        </Dialog>
      ) : null}
    </>
  );
}

/** What a proposal without a title would do. */
function describeProposedAction(action: string): string {
  return (t.proposals.actions as Readonly<Record<string, string>>)[action] ?? t.proposals.untitled;
}

/** How many cells a proposal changes; nothing if it changes only sheets, formats or sizes. */
function describeCounts({ written, derived }: Proposal['summary']): readonly string[] {
  return written + derived === 0 ? [] : [t.proposals.summary(written, derived)];
}

interface ProposalsProps {
  readonly document: string;
  readonly canEdit: boolean;
  readonly listed: readonly { readonly id: string; readonly label: string }[];
  readonly requestedId: string | null;
  readonly news: DocumentEvents;
  readonly onListChange: () => void;
}

function Proposals({ document, canEdit, listed, requestedId, news, onListChange }: ProposalsProps) {
  const [picked, setPicked] = useState(requestedId);
  const [decided, setDecided] = useState<string | null>(null);
  // The list of changes gets the focus, except while a person steps through the proposals in the field above it.
  const [isChoosing, setChoosing] = useState(false);
  const current = picked ?? listed.find(({ id }) => id !== decided)?.id ?? null;
  // The shown proposal stays when others open or decide proposals, so that no click decides another one.
  useEffect(() => setPicked(current), [current]);
  if (current === null) return <p className="muted">{t.proposals.none}</p>;
  return (
    <div className="proposals">
      <select
        className="input"
        aria-label={t.proposals.list}
        value={current}
        onChange={(event) => {
          setChoosing(true);
          setPicked(event.target.value);
        }}
      >
        {listed.some(({ id }) => id === current) ? null : <option value={current}>{t.proposals.untitled}</option>}
        {listed.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      <ProposalDetails
        key={current}
        document={document}
        id={current}
        canEdit={canEdit}
        takesFocus={!isChoosing}
        news={news}
        onRebased={onListChange}
        onDecided={() => {
          setChoosing(false);
          setDecided(current);
          setPicked(null);
          onListChange();
        }}
      />
    </div>
  );
}

interface ProposalDetailsProps {
  readonly document: string;
  readonly id: string;
  readonly canEdit: boolean;
  /** Whether the list of changes gets the focus when it appears. */
  readonly takesFocus: boolean;
  readonly news: DocumentEvents;
  readonly onDecided: () => void;
  readonly onRebased: () => void;
}

function ProposalDetails({ document, id, canEdit, takesFocus, news, onDecided, onRebased }: ProposalDetailsProps) {
  const loaded = useLoad(id, () => getProposal(document, id));
  useReloadOnChange(loaded, `${news.revision}/${news.events}`);
  const [reason, setReason] = useState('');
  const [isBusy, setBusy] = useState(false);
  const wasOpen = useRef(false);
  wasOpen.current ||= loaded.value?.proposal.state === 'open';
  const run = async (action: ProposalAction) => {
    setBusy(true);
    const answer = await decideProposal(document, id, action, reason);
    setBusy(false);
    if (!answer.ok) {
      showToast('bad', describeDecision(answer));
      loaded.reload();
      return;
    }
    showToast(
      'good',
      { apply: t.proposals.applied, reject: t.proposals.rejected, rebase: t.proposals.rebased }[action],
    );
    if (action !== 'rebase') return onDecided();
    loaded.reload();
    onRebased();
  };
  return (
    <LoadedView loaded={loaded}>
      {({ proposal }) => (
        <>
          <ProposalSummary proposal={proposal} />
          {wasOpen.current && !isBusy && proposal.state !== 'open' ? (
            <p role="status">{describeState(proposal.state, proposal.decidedBy?.name ?? null)}</p>
          ) : null}
          <ProposalChanges document={document} proposal={proposal} takesFocus={takesFocus} revision={news.revision} />
          {canEdit && proposal.state === 'open' ? (
            <div className="row decision">
              <Field
                label={t.proposals.reason}
                name="reason"
                maxLength={2000}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
              <button
                type="button"
                className="button primary"
                disabled={isBusy || proposal.conflicts.length > 0}
                onClick={() => void run('apply')}
              >
                {t.proposals.apply}
              </button>
              <button type="button" className="button" disabled={isBusy} onClick={() => void run('reject')}>
                {t.proposals.reject}
              </button>
              <button type="button" className="button" disabled={isBusy} onClick={() => void run('rebase')}>
                {t.proposals.rebase}
              </button>
            </div>
          ) : null}
        </>
      )}
    </LoadedView>
  );
}

/** Another person may already have decided. */
function describeDecision(failure: Failure): string {
  const { state, decidedBy } = failure.body as {
    readonly state?: string;
    readonly decidedBy?: { readonly name: string } | null;
  };
  return state === undefined ? describeFailure(failure) : describeState(state, decidedBy?.name ?? null);
}

function describeState(state: string, decidedBy: string | null): string {
  return t.proposals.decidedBy(t.proposals.states[state as keyof typeof t.proposals.states], decidedBy);
}

function ProposalSummary({ proposal }: { readonly proposal: Proposal }) {
  const { title, note, action, proposedBy, token, createdAt, summary, conflicts, hidden, truncated, state } = proposal;
  return (
    <div>
      <h3>{title ?? describeProposedAction(action)}</h3>
      <p className="hint">
        {title === null ? null : `${describeProposedAction(action)} · `}
        {[t.proposals.by(proposedBy.name, token), formatRelativeTime(createdAt), ...describeCounts(summary)].join(
          ' · ',
        )}
        {state === 'open' ? '' : ` · ${t.proposals.states[state as keyof typeof t.proposals.states]}`}
      </p>
      {note === null ? null : <ScrollContainer className="proposal-note">{note}</ScrollContainer>}
      {hidden ? <p className="hint">{t.proposals.hidden}</p> : null}
      {truncated ? <p className="hint">{t.proposals.more}</p> : null}
      {conflicts.length === 0 ? null : (
        <p className="problem" role="alert">
          {t.proposals.conflicts} {conflicts.join(', ')}
        </p>
      )}
    </div>
  );
}
