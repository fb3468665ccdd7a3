import { cellText } from '@cellwire/engine';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Dialog } from '../components/dialog.tsx';
import { Field } from '../components/field.tsx';
import { FormDialog, textIn } from '../components/form-dialog.tsx';
import { Frame } from '../components/frame.tsx';
import { Icon } from '../components/icon.tsx';
import { Link } from '../components/link.tsx';
import { type MenuItem, MenuList, type Point } from '../components/menu.tsx';
import { EmptyState, FailureState, failureText, Waiting } from '../components/states.tsx';
import { tell } from '../components/toasts.tsx';
import type { Failure } from '../data/http.ts';
import { usePlace } from '../data/route.ts';
import { useMe } from '../data/session.ts';
import { markUnsaved } from '../data/unsaved.ts';
import { FormulaBar } from '../grid/cell-editor/formula-bar.tsx';
import { goToText } from '../grid/cell-editor/go-to.ts';
import { type Command, commandOf } from '../grid/controller/commands.ts';
import { Desk } from '../grid/controller/grid-controller.ts';
import { useBook, useDesk } from '../grid/controller/use-controller.ts';
import { writeSum } from '../grid/editing/auto-sum.ts';
import { clearSelection } from '../grid/editing/cell-actions.ts';
import { fillWithin } from '../grid/editing/fill-actions.ts';
import { followLateEdits } from '../grid/followers/follow-late-edits.ts';
import { followPlaces } from '../grid/followers/follow-positions.ts';
import { followPresence } from '../grid/followers/follow-presence.ts';
import { followSheets } from '../grid/followers/follow-sheets.ts';
import { followSpill } from '../grid/followers/follow-spill.ts';
import type { Draft } from '../grid/formula/draft.ts';
import { menuItems, menuPlace } from '../grid/host/cell-menu.ts';
import { GridHost } from '../grid/host/grid-host.tsx';
import { goToRegion, pressedByKey } from '../grid/host/page-regions.ts';
import { CodePanel } from '../grid/panels/code-panel.tsx';
import { FindBar } from '../grid/panels/find-bar.tsx';
import { LateEditDialog } from '../grid/panels/late-edit-dialog.tsx';
import { StatusBar } from '../grid/panels/status-bar.tsx';
import { selectionOf } from '../grid/selection/selection.ts';
import { Book } from '../grid/session/document-session.ts';
import { placeOf, rangeText } from '../grid/session/sheet-ranges.ts';
import { SheetTabs } from '../grid/sheets/sheet-tabs.tsx';
import { FilterDialog } from '../grid/sort-and-filter/filter-dialog.tsx';
import { sortTarget } from '../grid/sort-and-filter/sort.ts';
import { SortDialog } from '../grid/sort-and-filter/sort-dialog.tsx';
import { HistoryPanel } from '../grid/versions/history-panel.tsx';
import { PastView } from '../grid/versions/past-view.tsx';
import { preventedBy } from '../grid/versions/undo-conflicts.ts';
import { t } from '../text/index.ts';
import { DocumentHead, type Open, type Panel } from './document-head.tsx';
import { ShareDialog } from './share.tsx';
import { useTitle } from './sign-in.tsx';
import '../styles/grid.css';

/** One document: the grid and what belongs around it. */
export default function DocumentPage() {
  const { pathname } = usePlace();
  const [attempt, setAttempt] = useState(0);
  return <Loading key={attempt} id={pathname.split('/')[2] ?? ''} onRetry={() => setAttempt(attempt + 1)} />;
}

function Loading({ id, onRetry }: { readonly id: string; readonly onRetry: () => void }) {
  const { user } = useMe();
  const [state, setState] = useState<Desk | Failure | null>(null);
  useEffect(() => {
    let isOver = false;
    let stop = () => {};
    void Book.load(id, user.id, leftDrafts.get(id)?.base).then((loaded) => {
      if (isOver) return;
      if (!loaded.ok) return setState(loaded);
      const book = loaded.value;
      const desk = deskOf(book);
      // From the first change on: what is there before it is drawn follows, too.
      const stops = [followPlaces(desk), book.follow()];
      stop = () => {
        for (const end of stops) end();
      };
      setState(desk);
    });
    return () => {
      isOver = true;
      stop();
    };
  }, [id, user.id]);
  if (state instanceof Desk) return <Opened desk={state} />;
  return <Frame>{state === null ? <Waiting /> : <FailureState failure={state} onRetry={onRetry} />}</Frame>;
}

/** At the range that the address names, else at the first sheet's beginning. */
function deskOf(book: Book): Desk {
  const first = book.state.sheets.find(({ hidden }) => !hidden)?.name ?? book.state.sheets[0]?.name ?? '';
  const place = placeOfHash(first);
  const isThere = place !== null && book.state.sheets.some(({ name }) => name === place.sheet);
  const desk = new Desk(book, isThere ? place.sheet : first);
  if (isThere) desk.become({ selection: selectionOf(place.area) });
  const draft = leftDrafts.get(book.id)?.draft;
  if (draft !== undefined && book.state.sheets.some(({ name }) => name === draft.sheet)) desk.open(draft);
  return desk;
}

/** What was being typed when a document was left, and the revision that its place is of: it is there again when one comes back. */
const leftDrafts = new Map<string, { readonly draft: Draft; readonly base: number }>();

function keepDraft(desk: Desk): () => void {
  const stop = desk.subscribe(() => {
    const { draft } = desk.state;
    const isChanged = draft !== null && draft.text !== draft.before;
    if (isChanged) leftDrafts.set(desk.book.id, { draft, base: draft.lostAt ?? desk.book.places.revision });
    else leftDrafts.delete(desk.book.id);
    markUnsaved(leftDrafts, leftDrafts.size > 0);
  });
  return stop;
}

/** A range without a sheet is of the first one. */
function placeOfHash(first: string) {
  const text = new URLSearchParams(location.hash.slice(1)).get('range');
  if (text === null) return null;
  return placeOf(text.includes('!') ? text : rangeText(first, text));
}

function Opened({ desk }: { readonly desk: Desk }) {
  const { document, closed } = useBook(desk);
  const { draft } = useDesk(desk);
  const [panel, setPanel] = useState<Panel>(null);
  const [open, setOpen] = useState<Open>(null);
  const [isFinding, setFinding] = useState(false);
  const [past, setPast] = useState<number | null>(null);
  const [menu, setMenu] = useState<{ items: readonly MenuItem[]; at: Point } | null>(null);
  const place = usePlace();
  /** Where the keyboard opened something from, and goes on when that is closed. */
  const from = useRef<HTMLElement | null>(null);
  useTitle(document.title);
  useEffect(() => followPresence(desk), [desk]);
  useEffect(() => followSpill(desk), [desk]);
  useEffect(() => followSheets(desk), [desk]);
  useEffect(() => followLateEdits(desk), [desk]);
  useEffect(() => keepDraft(desk), [desk]);
  /** The address's range that was gone to last: the first one is where the desk begins. */
  const gone = useRef(place.hash);
  useEffect(() => {
    if (place.hash === gone.current) return;
    gone.current = place.hash;
    const wanted = placeOfHash(desk.state.sheet);
    if (wanted !== null) desk.show(wanted.sheet, selectionOf(wanted.area));
  }, [desk, place.hash]);
  const openMenu = (at: Point) => {
    const opened = { items: menuItems(desk), at };
    setMenu(opened);
    // What sorting would sort is shown before somebody picks it.
    void sortTarget(desk).then((target) => {
      if ('ok' in target) return;
      setMenu((now) => (now === opened ? { items: menuItems(desk, target), at } : now));
    });
  };
  desk.onFailure = (failure, again) => {
    const action = again === undefined ? undefined : { text: t.grid.editAgain, onPick: again };
    tell('bad', t.grid.refused(failureText(failure)), action);
  };
  desk.onCommand = (command) => {
    if (command.kind === 'find') setFinding(true);
    else if (command.kind === 'goTo') setOpen('goTo');
    else if (command.kind === 'help') setOpen('keys');
    else if (command.kind === 'filter' || command.kind === 'sort') setOpen(command.kind);
    else if (command.kind === 'menu') openMenu(menuPlace(desk));
    else perform(desk, command);
  };
  const close = useMemo(
    () => () => {
      // At once: the next key belongs to whoever has the focus when it comes.
      flushSync(() => {
        setOpen(null);
        setMenu(null);
        setFinding(false);
      });
      // A dialog gives the focus back to where it was when it goes; who clicked goes on in the grid.
      (from.current ?? desk.view)?.focus();
    },
    [desk],
  );
  const see = (revision: number) => {
    setPast(revision);
    // On a narrow screen the panel is in front of everything else.
    if (matchMedia(NARROW).matches) setPanel(null);
  };
  const { failure } = desk.sheet;
  const isHidden = !desk.mayRead || failure?.status === 403;
  const unsaved =
    draft === null ? null : (
      <>
        <p>{t.grid.closedDraft}</p>
        <pre>{draft.text}</pre>
      </>
    );
  return (
    <main
      className="desk"
      onClickCapture={(event) => {
        if (!(event.target instanceof Element && event.target.closest('dialog, .menu')))
          from.current = pressedByKey(event);
      }}
      onFocusCapture={({ target }) => {
        if (target.classList.contains('grid-editor')) from.current = null;
      }}
      onKeyDown={(event) => {
        // From anywhere: the browser's own search would see only the rows that are on the screen.
        const command = event.defaultPrevented ? null : commandOf(event);
        if (command?.kind !== 'find' && command?.kind !== 'goTo') return;
        event.preventDefault();
        desk.onCommand(command);
      }}
      onKeyDownCapture={(event) => {
        if (event.key !== 'F6') return;
        event.preventDefault();
        goToRegion(event.currentTarget, event.shiftKey ? -1 : 1);
      }}
    >
      <DocumentHead desk={desk} panel={panel} setPanel={setPanel} setOpen={setOpen} openMenu={openMenu} />
      <FormulaBar desk={desk} />
      <div className="desk-middle">
        {isHidden || closed !== null ? null : <GridHost desk={desk} onMenu={(_on, at) => openMenu(at)} />}
        {closed !== null ? (
          <div className="past">
            <EmptyState icon="lock" title={t.grid.closed} text={t.grid.closedHint}>
              {unsaved}
              <Link className="button" href="/">
                {t.nowhere.home}
              </Link>
            </EmptyState>
          </div>
        ) : isHidden ? (
          <div className="past">
            <EmptyState icon="lock" title={t.grid.hidden} text={t.grid.hiddenHint}>
              {unsaved}
            </EmptyState>
          </div>
        ) : failure !== null && desk.sheet.layout === null ? (
          <div className="past">
            <FailureState failure={failure} onRetry={() => desk.book.outdateAll()} />
          </div>
        ) : null}
        {past === null || isHidden ? null : (
          <PastView key={past} desk={desk} revision={past} onClose={() => setPast(null)} />
        )}
        {isFinding && !isHidden ? <FindBar desk={desk} onClose={close} /> : null}
        {panel === null || closed !== null ? null : (
          <Side title={panel === 'history' ? t.history.title : t.code.title} onClose={() => setPanel(null)}>
            {panel === 'history' ? <HistoryPanel desk={desk} onSee={see} /> : <CodePanel desk={desk} />}
          </Side>
        )}
      </div>
      <SheetTabs desk={desk} />
      <StatusBar desk={desk} />
      {open === 'share' ? <ShareDialog document={document} onClose={close} /> : null}
      {open === 'filter' && !isHidden ? <FilterDialog desk={desk} onClose={close} /> : null}
      {open === 'sort' && !isHidden ? <SortDialog desk={desk} onClose={close} /> : null}
      {open === 'goTo' ? <GoToDialog desk={desk} onClose={close} /> : null}
      {open === 'keys' ? <KeysDialog onClose={close} /> : null}
      <LateEditDialog desk={desk} />
      {menu === null ? null : <MenuList items={menu.items} at={menu.at} label={t.grid.more} onClose={close} />}
    </main>
  );
}

/** Where panels take the whole screen, see grid.css. */
const NARROW = '(max-width: 760px)';

/** What commands do that change the document, or lead to another sheet. */
function perform(desk: Desk, command: Command): void {
  if (command.kind === 'sheet') return showBeside(desk, command.step);
  if (!desk.book.canEdit) return tell('bad', t.grid.readOnly);
  const isOfSheet = command.kind !== 'undo' && command.kind !== 'redo';
  if (isOfSheet && !desk.canWrite) {
    // Of a sheet that is still loading nothing is known yet.
    return desk.sheet.layout === null ? undefined : tell('bad', t.grid.locked);
  }
  const done = (outcome: Promise<Failure | null>) =>
    void outcome.then((failure) => failure !== null && desk.onFailure(failure));
  switch (command.kind) {
    case 'undo':
    case 'redo':
      return done(
        desk.book.takeBack(command.kind).then(async (answer) => {
          if (answer === null) tell('good', t.grid.nothingToUndo);
          if (answer === null || answer.ok) return null;
          const why = await preventedBy(desk.book, answer);
          if (why === null) return answer;
          tell('bad', why);
          return null;
        }),
      );
    case 'clear':
      return done(clearSelection(desk));
    case 'fillDown':
      return done(fillWithin(desk, 'down'));
    case 'fillRight':
      return done(fillWithin(desk, 'right'));
    case 'sum':
      return done(writeSum(desk));
  }
}

function showBeside(desk: Desk, step: 1 | -1): void {
  const names = desk.book.state.sheets.filter(({ hidden }) => !hidden).map(({ name }) => name);
  const next = names[names.indexOf(desk.state.sheet) + step];
  if (next !== undefined) desk.show(next);
}

function Side({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
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

function GoToDialog({ desk, onClose }: { readonly desk: Desk; readonly onClose: () => void }) {
  const go = async (form: FormData) => {
    const wrong = goToText(desk, textIn(form, 'range'));
    if (wrong === null) onClose();
    return wrong;
  };
  const { row, column } = desk.state.selection.active;
  return (
    <FormDialog title={t.grid.goTo} action={t.grid.go} onClose={onClose} onSend={go}>
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
