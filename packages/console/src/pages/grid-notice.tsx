import { Link } from '../components/link.tsx';
import { EmptyState, FailureState } from '../components/states.tsx';
import type { GridController } from '../grid/controller/grid-controller.ts';
import { t } from '../text/index.ts';

interface GridNoticeProps {
  readonly controller: GridController;
  readonly isHidden: boolean;
}

/** Why the grid cannot be shown; nothing if it can. */
export function GridNotice({ controller, isHidden }: GridNoticeProps) {
  const { closed } = controller.session.state;
  const { failure, layout } = controller.sheet;
  if (closed !== null) {
    return (
      <div className="past">
        <EmptyState icon="lock" title={t.grid.closed} text={t.grid.closedHint}>
          <UnsavedDraft controller={controller} />
          <Link className="button" href="/">
            {t.nowhere.home}
          </Link>
        </EmptyState>
      </div>
    );
  }
  if (isHidden) {
    return (
      <div className="past">
        <EmptyState icon="lock" title={t.grid.hidden} text={t.grid.hiddenHint}>
          <UnsavedDraft controller={controller} />
        </EmptyState>
      </div>
    );
  }
  if (failure === null || layout !== null) return null;
  return (
    <div className="past">
      <FailureState failure={failure} onRetry={() => controller.session.openSheets.markAllStale()} />
    </div>
  );
}

/** The text that the person typed into a cell which is no longer shown. */
function UnsavedDraft({ controller }: { readonly controller: GridController }) {
  const { draft } = controller.state;
  if (draft === null) return null;
  return (
    <>
      <p>{t.grid.closedDraft}</p>
      <pre>{draft.text}</pre>
    </>
  );
}
