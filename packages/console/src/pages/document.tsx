import { cellText } from '@cellwire/engine';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Dialog } from '../components/dialog.tsx';
import { Field } from '../components/field.tsx';
import { FormDialog, readFormText } from '../components/form-dialog.tsx';
import { Frame } from '../components/frame.tsx';
import { Icon } from '../components/icon.tsx';
import { type MenuItem, MenuList, type Point } from '../components/menu.tsx';
import { describeFailure, FailureState, LoadingPlaceholder } from '../components/states.tsx';
import { showToast } from '../components/toasts.tsx';
import type { Failure } from '../data/http.ts';
import { usePageUrl } from '../data/route.ts';
import { useMe } from '../data/session.ts';
import { markUnsaved } from '../data/unsaved.ts';
import { FormulaBar } from '../grid/cell-editor/formula-bar.tsx';
import { selectByName } from '../grid/cell-editor/go-to.ts';
import { findCommand, type GridCommand } from '../grid/controller/commands.ts';
import { GridController } from '../grid/controller/grid-controller.ts';
import { useGridState, useSessionState } from '../grid/controller/use-controller.ts';
import { writeSum } from '../grid/editing/auto-sum.ts';
import { clearSelection } from '../grid/editing/cell-actions.ts';
import { fillFromFirstLine } from '../grid/editing/fill-actions.ts';
import { createRuleMenuItems } from '../grid/editing/rule-actions.ts';
import { followEditConflicts } from '../grid/followers/follow-edit-conflicts.ts';
import { followPositions } from '../grid/followers/follow-positions.ts';
import { followPresence } from '../grid/followers/follow-presence.ts';
import { followSheets } from '../grid/followers/follow-sheets.ts';
import { followSpill } from '../grid/followers/follow-spill.ts';
import type { CellDraft } from '../grid/formula/draft.ts';
import { computeMenuPoint, createCellMenuItems } from '../grid/host/cell-menu.ts';
import { noticeMissedKeys } from '../grid/host/editor-events.ts';
import { GridHost } from '../grid/host/grid-host.tsx';
import { findButtonPressedByKey, goToRegion } from '../grid/host/page-regions.ts';
import { CodePanel } from '../grid/panels/code-panel.tsx';
import { EditConflictDialog } from '../grid/panels/edit-conflict-dialog.tsx';
import { FindBar } from '../grid/panels/find-bar.tsx';
import { StatusBar } from '../grid/panels/status-bar.tsx';
import { createAreaSelection } from '../grid/selection/selection.ts';
import { DocumentSession } from '../grid/session/document-session.ts';
import { DECLINED_STATUS } from '../grid/session/edit-sender.ts';
import { parseSheetRange, qualifyRange } from '../grid/session/sheet-ranges.ts';
import { describeUndoConflict } from '../grid/session/undo-conflicts.ts';
import { SheetTabs } from '../grid/sheets/sheet-tabs.tsx';
import { FilterDialog } from '../grid/sort-and-filter/filter-dialog.tsx';
import { findSortTarget } from '../grid/sort-and-filter/sort.ts';
import { SortDialog } from '../grid/sort-and-filter/sort-dialog.tsx';
import { HistoryPanel } from '../grid/versions/history-panel.tsx';
import { PastView } from '../grid/versions/past-view.tsx';
import { t } from '../text/index.ts';
import { DocumentHeader, type OpenDialog, type SidePanelKind } from './document-header.tsx';
import { DroppedFiles } from './dropped-file.tsx';
import { GridNotice } from './grid-notice.tsx';
import { ShareDialog } from './share.tsx';
import { useDocumentTitle } from './sign-in.tsx';
import '../styles/grid.css';
import '../styles/rules.css';

/** Page of one document. */
export default function DocumentPage() {
  const { pathname } = usePageUrl();
  const [attempt, setAttempt] = useState(0);
  return <DocumentLoader key={attempt} id={pathname.split('/')[2] ?? ''} onRetry={() => setAttempt(attempt + 1)} />;
}

function DocumentLoader({ id, onRetry }: { readonly id: string; readonly onRetry: () => void }) {
  const { user } = useMe();
  const [state, setState] = useState<GridController | Failure | null>(null);
  useEffect(() => {
    let isOver = false;
    let stop = () => {};
    void DocumentSession.load(id, user.id, keptDrafts.get(id)?.base).then((loaded) => {
      if (isOver) return;
      if (!loaded.ok) return setState(loaded);
      const session = loaded.value;
      const controller = createController(session);
      // Following starts before the first drawing, so that no change is missed.
      const stops = [followPositions(controller), session.start()];
      stop = () => {
        for (const end of stops) end();
      };
      setState(controller);
    });
    return () => {
      isOver = true;
      stop();
    };
  }, [id, user.id]);
  if (state instanceof GridController) return <OpenedDocument controller={state} />;
  return <Frame>{state === null ? <LoadingPlaceholder /> : <FailureState failure={state} onRetry={onRetry} />}</Frame>;
}

/** Selects the range in the address, else the first cell of the first sheet. */
function createController(session: DocumentSession): GridController {
  const first = session.state.sheets.find(({ hidden }) => !hidden)?.name ?? session.state.sheets[0]?.name ?? '';
  const place = parseHashRange(first);
  const isThere = place !== null && session.state.sheets.some(({ name }) => name === place.sheet);
  const controller = new GridController(session, isThere ? place.sheet : first);
  if (isThere) controller.setState({ selection: createAreaSelection(place.area) });
  const draft = keptDrafts.get(session.id)?.draft;
  if (draft !== undefined && session.state.sheets.some(({ name }) => name === draft.sheet))
    controller.reopenDraft(draft);
  return controller;
}

/**
 * Drafts of documents that the person closed, with the revision of their positions. A draft opens again with its
 * document.
 */
const keptDrafts = new Map<string, { readonly draft: CellDraft; readonly base: number }>();

/** Keeps the draft of a document when the document is closed. Returns a function that stops it. */
function keepDraftOnClose(controller: GridController): () => void {
  const stop = controller.subscribe(() => {
    const { draft } = controller.state;
    const isChanged = draft !== null && draft.text !== draft.initialText;
    if (isChanged)
      keptDrafts.set(controller.session.id, {
        draft,
        base: draft.lastRevision ?? controller.session.revisions.revision,
      });
    else keptDrafts.delete(controller.session.id);
    markUnsaved(keptDrafts, keptDrafts.size > 0);
  });
  return stop;
}

/** A range without a sheet name is on the first sheet. */
function parseHashRange(firstSheet: string) {
  const text = new URLSearchParams(location.hash.slice(1)).get('range');
  if (text === null) return null;
  return parseSheetRange(text.includes('!') ? text : qualifyRange(firstSheet, text));
}

function OpenedDocument({ controller }: { readonly controller: GridController }) {
  const { document, closed } = useSessionState(controller);
  useGridState(controller);
  const [panel, setPanel] = useState<SidePanelKind>(null);
  const [open, setOpen] = useState<OpenDialog>(null);
  const [isFinding, setFinding] = useState(false);
  const [past, setPast] = useState<number | null>(null);
  const [menu, setMenu] = useState<{ createItems: () => readonly MenuItem[]; at: Point } | null>(null);
  const place = usePageUrl();
  /** Element from which the keyboard opened something; it gets the focus back. */
  const from = useRef<HTMLElement | null>(null);
  useDocumentTitle(document.title);
  useFollowers(controller);
  /** The last range of the address that was shown; the controller starts at the first. */
  const shownHash = useRef(place.hash);
  useEffect(() => {
    if (place.hash === shownHash.current) return;
    shownHash.current = place.hash;
    const linkedRange = parseHashRange(controller.state.sheet);
    if (linkedRange !== null) controller.showSheet(linkedRange.sheet, createAreaSelection(linkedRange.area));
  }, [controller, place.hash]);
  const openMenu = (point: Point) => {
    const opened = { createItems: () => createCellMenuItems(controller), at: point };
    setMenu(opened);
    // The menu shows which rows a command would sort.
    void findSortTarget(controller).then((target) => {
      if ('ok' in target) return;
      setMenu((now) =>
        now === opened ? { createItems: () => createCellMenuItems(controller, target), at: point } : now,
      );
    });
  };
  const openList = async () => {
    const items = await createRuleMenuItems(controller);
    if (items.length > 0) setMenu({ createItems: () => items, at: computeMenuPoint(controller) });
  };
  controller.onWarning = (text) => showToast('bad', text);
  controller.onFailure = (failure, again) => {
    if (failure.status === DECLINED_STATUS) return;
    const action = again === undefined ? undefined : { text: t.grid.editAgain, onPick: again };
    showToast('bad', t.grid.refused(describeFailure(failure)), action);
  };
  controller.onCommand = (command) => {
    if (command.kind === 'find') setFinding(true);
    else if (command.kind === 'goTo') setOpen('goTo');
    else if (command.kind === 'help') setOpen('keys');
    else if (command.kind === 'filter' || command.kind === 'sort') setOpen(command.kind);
    else if (command.kind === 'menu') openMenu(computeMenuPoint(controller));
    else if (command.kind === 'listValues') void openList();
    else performCommand(controller, command);
  };
  const close = useMemo(
    () => () => {
      // Synchronously, because the next key goes to the focused element.
      flushSync(() => {
        setOpen(null);
        setMenu(null);
        setFinding(false);
      });
      // A dialog returns the focus to the element that opened it; after a click, the grid gets the focus.
      (from.current ?? controller.view)?.focus();
    },
    [controller],
  );
  const showRevision = (revision: number) => {
    setPast(revision);
    // On a narrow screen the panel covers the whole page, so it closes.
    if (matchMedia(NARROW).matches) setPanel(null);
  };
  const isHidden = !controller.canRead || controller.sheet.failure?.status === 403;
  return (
    <main
      className="document-page"
      onClickCapture={(event) => {
        if (!(event.target instanceof Element && event.target.closest('dialog, .menu')))
          from.current = findButtonPressedByKey(event);
      }}
      onFocusCapture={({ target }) => {
        if (target.classList.contains('grid-editor')) from.current = null;
      }}
      onKeyDown={(event) => {
        // The shortcut works in the whole page, because the browser's search finds only drawn rows.
        const command = event.defaultPrevented ? null : findCommand(event);
        if (command?.kind !== 'find' && command?.kind !== 'goTo') return;
        event.preventDefault();
        controller.onCommand(command);
      }}
      onKeyDownCapture={(event) => {
        if (event.key !== 'F6') return;
        event.preventDefault();
        goToRegion(event.currentTarget, event.shiftKey ? -1 : 1);
      }}
    >
      <DocumentHeader controller={controller} panel={panel} setPanel={setPanel} setOpen={setOpen} openMenu={openMenu} />
      <FormulaBar controller={controller} />
      <div className="document-body">
        {isHidden || closed !== null ? null : <GridHost controller={controller} onMenu={(_on, at) => openMenu(at)} />}
        <GridNotice controller={controller} isHidden={isHidden} />
        {past === null || isHidden ? null : (
          <PastView key={past} controller={controller} revision={past} onClose={() => setPast(null)} />
        )}
        {isFinding && !isHidden ? <FindBar controller={controller} onClose={close} /> : null}
        {panel === null || closed !== null ? null : (
          <SidePanel title={panel === 'history' ? t.history.title : t.code.title} onClose={() => setPanel(null)}>
            {panel === 'history' ? (
              <HistoryPanel controller={controller} onView={showRevision} />
            ) : (
              <CodePanel controller={controller} />
            )}
          </SidePanel>
        )}
      </div>
      {closed !== null ? null : (
        <>
          <SheetTabs controller={controller} />
          <StatusBar controller={controller} />
        </>
      )}
      {open === 'share' ? <ShareDialog document={document} onClose={close} /> : null}
      {open === 'filter' && !isHidden ? <FilterDialog controller={controller} onClose={close} /> : null}
      {open === 'sort' && !isHidden ? <SortDialog controller={controller} onClose={close} /> : null}
      {open === 'goTo' ? <GoToDialog controller={controller} onClose={close} /> : null}
      {open === 'keys' ? <KeysDialog onClose={close} /> : null}
      <EditConflictDialog controller={controller} />
      {isHidden || closed !== null ? null : <DroppedFiles controller={controller} />}
      {menu === null ? null : (
        <MenuList
          items={menu.createItems()}
          position={menu.at}
          label={t.grid.more}
          {...(isHidden || closed !== null ? {} : { target: controller.sheet })}
          onClose={close}
        />
      )}
    </main>
  );
}

/** Keeps the controller up to date with the document, its sheets and the other people. */
function useFollowers(controller: GridController): void {
  useEffect(() => followPresence(controller), [controller]);
  useEffect(() => followSpill(controller), [controller]);
  useEffect(() => followSheets(controller), [controller]);
  useEffect(() => noticeMissedKeys(controller), [controller]);
  useEffect(() => followEditConflicts(controller), [controller]);
  useEffect(() => keepDraftOnClose(controller), [controller]);
}

/** Panels cover the whole screen below this width; see grid.css. */
const NARROW = '(max-width: 760px)';

/** Runs commands that change the document or the sheet. */
function performCommand(controller: GridController, command: GridCommand): void {
  if (command.kind === 'sheet') return showAdjacentSheet(controller, command.step);
  if (!controller.session.canEdit) return showToast('bad', t.grid.readOnly);
  const isOfSheet = command.kind !== 'undo' && command.kind !== 'redo';
  const { replacedSheet } = controller.state;
  if (isOfSheet && replacedSheet !== null) return showToast('bad', t.sheets.replaced(replacedSheet));
  if (isOfSheet && !controller.canWrite) {
    // The rights on a loading sheet are unknown.
    return controller.sheet.layout === null ? undefined : showToast('bad', t.grid.locked);
  }
  const showFailure = (outcome: Promise<Failure | null>) =>
    void outcome.then((failure) => failure !== null && controller.onFailure(failure));
  switch (command.kind) {
    case 'undo':
    case 'redo':
      return showFailure(
        controller.session.undoOrRedo(command.kind).then(async (answer) => {
          if (answer === null) showToast('good', t.grid.nothingToUndo);
          if (answer === null || answer.ok) return null;
          const why = await describeUndoConflict(controller.session, answer);
          if (why === null) return answer;
          showToast('bad', why);
          return null;
        }),
      );
    case 'clear':
      return showFailure(clearSelection(controller));
    case 'fillDown':
      return showFailure(fillFromFirstLine(controller, 'down'));
    case 'fillRight':
      return showFailure(fillFromFirstLine(controller, 'right'));
    case 'sum':
      return showFailure(writeSum(controller));
  }
}

/** Shows the next or the previous visible sheet. */
function showAdjacentSheet(controller: GridController, step: 1 | -1): void {
  const names = controller.session.state.sheets.filter(({ hidden }) => !hidden).map(({ name }) => name);
  const next = names[names.indexOf(controller.state.sheet) + step];
  if (next !== undefined) controller.showSheet(next);
}

function SidePanel({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  return (
    <aside className="side" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <button type="button" className="button quiet icon-only" aria-label={t.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div className="content">{children}</div>
    </aside>
  );
}

function GoToDialog({ controller, onClose }: { readonly controller: GridController; readonly onClose: () => void }) {
  const submitPosition = async (form: FormData) => {
    const wrong = selectByName(controller, readFormText(form, 'range'));
    if (wrong === null) onClose();
    return wrong;
  };
  const { row, column } = controller.state.selection.active;
  return (
    <FormDialog title={t.grid.goTo} action={t.grid.go} onClose={onClose} onSend={submitPosition}>
      <Field
        label={t.grid.goToHint}
        name="range"
        defaultValue={cellText(row, column)}
        onFocus={(event) => event.target.select()}
        autoFocus
      />
    </FormDialog>
  );
}

function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={t.keys.title} onClose={onClose}>
      <dl className="keys">
        {t.keys.rows.map(([keys, what]) => (
          <div key={keys} className="key-row">
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
