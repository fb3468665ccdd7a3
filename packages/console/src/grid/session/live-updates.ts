import { getDocument } from '../../data/documents.ts';
import { API, type Failure } from '../../data/http.ts';
import type { Change } from '../../data/types.ts';

/** Whether what is seen follows the document. */
export type LiveState = 'connecting' | 'live' | 'lost';

interface LiveListener {
  readonly onState: (state: LiveState) => void;
  readonly onChange: (change: Change) => void;
  /** The log does not reach back to what is known: everything may be different. */
  readonly onReset: (revision: number) => void;
  /** What the person may see or do may be different. */
  readonly onRights: () => void;
  /** The document is not there any more, or not for this person; null: it is again. */
  readonly onClosed: (why: Failure | null) => void;
}

/** Answers that say so. */
const CLOSED_STATUSES: ReadonlySet<number> = new Set([403, 404]);

/** After the service has refused the stream, it is tried again, in milliseconds; a broken one comes back by itself. */
const RETRY_DELAY_MS = 5_000;
/** The same where the document is there. */
const RECONNECT_DELAY_MS = 500;

/** Follows the changes of a document after a revision, until the answer is called. */
export function followChanges(document: string, since: string, events: LiveListener): () => void {
  let position = since;
  let stream: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let isToldClosed = false;
  const begin = () => {
    stream?.close();
    stream = new EventSource(`${API}/documents/${document}/events?since=${position}`);
    stream.onopen = () => events.onState('live');
    stream.onerror = () => {
      events.onState('lost');
      if (stream?.readyState === EventSource.CLOSED) void ask();
    };
    stream.addEventListener('document.updated', (event) => {
      position = event.lastEventId;
      events.onChange(JSON.parse(event.data as string) as Change);
    });
    stream.addEventListener('reset', (event) => {
      position = event.lastEventId;
      events.onReset(Number(event.lastEventId));
    });
    stream.addEventListener('rights', () => {
      events.onRights();
      void ask();
    });
  };
  // A stream does not say why it was refused. The answer waits until whose session has ended is back.
  const ask = async () => {
    const own = stream;
    const answer = await getDocument(document);
    if (own !== stream || isOver) return;
    const isClosed = !answer.ok && CLOSED_STATUSES.has(answer.status);
    if (answer.ok ? isToldClosed : isClosed) events.onClosed(answer.ok ? null : answer);
    isToldClosed = isClosed;
    if (own?.readyState === EventSource.OPEN && answer.ok) return;
    clearTimeout(timer);
    // A closed document may be shared again at any moment.
    timer = setTimeout(
      answer.ok || !isClosed ? begin : () => void ask(),
      answer.ok || isClosed ? RECONNECT_DELAY_MS : RETRY_DELAY_MS,
    );
    if (isClosed) stream?.close();
  };
  begin();
  // A network that is gone is noticed by the browser long before a stream breaks.
  const away = () => events.onState('lost');
  const back = () => {
    clearTimeout(timer);
    events.onState('connecting');
    begin();
  };
  addEventListener('offline', away);
  addEventListener('online', back);
  return () => {
    removeEventListener('offline', away);
    removeEventListener('online', back);
    clearTimeout(timer);
    isOver = true;
    stream?.close();
  };
}
