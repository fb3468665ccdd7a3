import { CONSOLE_API, callApi } from '../../data/http.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { formatSelection } from '../selection/selection.ts';
import { RequestOrder } from '../session/request-order.ts';
import type { RevisionTracker } from '../session/revision-tracker.ts';
import type { Viewer } from '../session/session-state.ts';
import { qualifyRange } from '../session/sheet-ranges.ts';
import { mapRange } from './follow-positions.ts';

/** Interval between reports of this tab, in milliseconds. The service forgets a tab after 30 s. */
const HEARTBEAT_MS = 10_000;
/** Delay before a new selection is reported, in milliseconds. */
const SETTLED_MS = 600;

/** A viewer with the present position of the selection; without a selection if its position is not known. */
function mapViewer(viewer: Viewer, revisions: RevisionTracker): Viewer {
  const mappings = revisions.findMappingsAfter(viewer.revision);
  const range = mappings?.reduce<string | null>(mapRange, viewer.range) ?? null;
  return { ...viewer, range, revision: revisions.revision };
}

/** Reports the person's selection to others and learns theirs. Returns a function that stops it. */
export function followPresence(controller: GridController): () => void {
  const tab = crypto.getRandomValues(new Uint32Array(2)).join('-');
  const path = `${CONSOLE_API}/documents/${controller.session.id}/presence`;
  let settled: ReturnType<typeof setTimeout> | undefined;
  let reportedRange = '';
  const lists = new RequestOrder();
  const reportSelection = async () => {
    if (document.hidden) return;
    const { sheet, selection } = controller.state;
    reportedRange = qualifyRange(sheet, formatSelection(selection));
    const question = lists.startRequest();
    const answer = await callApi<{ readonly present: readonly Viewer[] }>('PUT', path, {
      body: { tab, range: reportedRange, revision: controller.session.revisions.revision },
    });
    if (!answer.ok || !lists.acceptAnswer(question)) return;
    // Other tabs of the same person are not shown. Neither is the state of this tab before a reload.
    const others = answer.value.present.filter(({ user }) => user.id !== controller.session.userId);
    controller.session.setState({ viewers: others.map((viewer) => mapViewer(viewer, controller.session.revisions)) });
  };
  void reportSelection();
  const timer = setInterval(() => void reportSelection(), HEARTBEAT_MS);
  const stop = controller.subscribe(() => {
    const { sheet, selection } = controller.state;
    if (qualifyRange(sheet, formatSelection(selection)) === reportedRange) return;
    clearTimeout(settled);
    settled = setTimeout(() => void reportSelection(), SETTLED_MS);
  });
  return () => {
    stop();
    clearInterval(timer);
    clearTimeout(settled);
    void callApi('PUT', path, { body: { tab, range: null } });
  };
}
