import { getDocument } from '../../data/documents.ts';
import { API, type Failure } from '../../data/http.ts';
import type { DocumentChange } from '../../data/types.ts';

/** State of the event stream. */
export type LiveState = 'connecting' | 'live' | 'lost';

interface LiveListener {
  readonly onState: (state: LiveState) => void;
  readonly onChange: (change: DocumentChange) => void;
  /** The log has a gap: everything may have changed. */
  readonly onReset: (revision: number) => void;
  /** Called when the person's rights may have changed. */
  readonly onRights: () => void;
  /** A proposal was opened or decided. */
  readonly onProposal: () => void;
  /** The document is deleted or not shared any more; null if it is available again. */
  readonly onClosed: (why: Failure | null) => void;
}

/** Statuses of a closed document. */
const CLOSED_STATUSES: ReadonlySet<number> = new Set([403, 404]);

/** Delay before a refused stream is opened again, in milliseconds. Browsers reconnect broken streams themselves. */
const RETRY_DELAY_MS = 5_000;
/** Delay if the document is available, in milliseconds. */
const RECONNECT_DELAY_MS = 500;

/** Follows the changes of a document after a revision. Returns a function that stops following. */
export function followChanges(document: string, since: string, events: LiveListener): () => void {
  let position = since;
  let stream: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let isReportedClosed = false;
  const begin = () => {
    stream?.close();
    stream = new EventSource(`${API}/documents/${document}/events?since=${position}`);
    stream.onopen = () => events.onState('live');
    stream.onerror = () => {
      events.onState('lost');
      if (stream?.readyState === EventSource.CLOSED) void checkDocument();
    };
    stream.addEventListener('document.updated', (event) => {
      position = event.lastEventId;
      events.onChange(JSON.parse(event.data as string) as DocumentChange);
    });
    stream.addEventListener('reset', (event) => {
      position = event.lastEventId;
      events.onReset(Number(event.lastEventId));
    });
    stream.addEventListener('proposal.opened', events.onProposal);
    stream.addEventListener('proposal.decided', events.onProposal);
    stream.addEventListener('rights', () => {
      events.onRights();
      void checkDocument();
    });
  };
  // A stream does not give the reason of a refusal, so the document is requested. That request waits if the session has
  // ended.
  const checkDocument = async () => {
    const own = stream;
    const answer = await getDocument(document);
    if (own !== stream || isOver) return;
    const isClosed = !answer.ok && CLOSED_STATUSES.has(answer.status);
    if (answer.ok ? isReportedClosed : isClosed) events.onClosed(answer.ok ? null : answer);
    isReportedClosed = isClosed;
    if (own?.readyState === EventSource.OPEN && answer.ok) return;
    clearTimeout(timer);
    // A closed document may be shared again.
    timer = setTimeout(
      answer.ok || !isClosed ? begin : () => void checkDocument(),
      answer.ok || isClosed ? RECONNECT_DELAY_MS : RETRY_DELAY_MS,
    );
    if (isClosed) stream?.close();
  };
  begin();
  // The browser notices a lost network long before the stream breaks.
  const onOffline = () => events.onState('lost');
  const onOnline = () => {
    clearTimeout(timer);
    events.onState('connecting');
    begin();
  };
  addEventListener('offline', onOffline);
  addEventListener('online', onOnline);
  return () => {
    removeEventListener('offline', onOffline);
    removeEventListener('online', onOnline);
    clearTimeout(timer);
    isOver = true;
    stream?.close();
  };
}
