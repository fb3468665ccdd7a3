import { areaText, cellText } from '@cellwire/engine';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { Field } from '../components/field.tsx';
import { FormDialog, textIn } from '../components/form-dialog.tsx';
import { Frame, UserMenu } from '../components/frame.tsx';
import { Icon, type IconName, Logo } from '../components/icon.tsx';
import { Link } from '../components/link.tsx';
import { Menu, type MenuItem, MenuList } from '../components/menu.tsx';
import { EmptyState, FailureState, failureText, Waiting } from '../components/states.tsx';
import { tell } from '../components/toasts.tsx';
import { download, exportAddress } from '../data/documents.ts';
import type { Failure } from '../data/http.ts';
import { usePlace } from '../data/route.ts';
import { useMe } from '../data/session.ts';
import { Book, placeOf, rangeText } from '../grid/book.ts';
import { CodePanel } from '../grid/code-panel.tsx';
import { changeLines, clearSelection, fillWithin, type LineDeed, paste, sort } from '../grid/deeds.ts';
import { Desk } from '../grid/desk.ts';
import { filterBySelection } from '../grid/filter.ts';
import { FilterDialog } from '../grid/filter-dialog.tsx';
import { FindBar } from '../grid/find-bar.tsx';
import { FormatMenu } from '../grid/format-menu.tsx';
import { FormulaBar, goToText } from '../grid/formula-bar.tsx';
import { GridHost, useBook, useDesk } from '../grid/grid-host.tsx';
import { HistoryPanel } from '../grid/history-panel.tsx';
import type { Command } from '../grid/keys.ts';
import { PastView } from '../grid/past-view.tsx';
import { followPresence } from '../grid/presence.ts';
import { areaOf, selectionOf } from '../grid/selection.ts';
import { SheetTabs } from '../grid/sheet-tabs.tsx';
import { StatusBar } from '../grid/status-bar.tsx';
import { t } from '../text/index.ts';
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
    void Book.load(id, user.id).then((loaded) => {
      if (isOver) return;
      if (!loaded.ok) return setState(loaded);
      const book = loaded.value;
      stop = book.follow();
      setState(deskOf(book));
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
  return desk;
}

/** A range without a sheet is of the first one. */
function placeOfHash(first: string) {
  const text = new URLSearchParams(location.hash.slice(1)).get('range');
  if (text === null) return null;
  return placeOf(text.includes('!') ? text : rangeText(first, text));
}

type Panel = 'history' | 'code' | null;
type Open = 'share' | 'goTo' | 'keys' | 'filter' | null;

function Opened({ desk }: { readonly desk: Desk }) {
  const { document } = useBook(desk);
  const { sheet } = useDesk(desk);
  const [panel, setPanel] = useState<Panel>(null);
  const [open, setOpen] = useState<Open>(null);
  const [isFinding, setFinding] = useState(false);
  const [past, setPast] = useState<number | null>(null);
  const [menu, setMenu] = useState<{ items: readonly MenuItem[]; at: { x: number; y: number } } | null>(null);
  const place = usePlace();
  useTitle(document.title);
  useEffect(() => followPresence(desk), [desk]);
  useEffect(() => {
    const wanted = placeOfHash(desk.state.sheet);
    if (place.hash !== '' && wanted !== null) desk.show(wanted.sheet, selectionOf(wanted.area));
  }, [desk, place.hash]);
  const openMenu = (at: { x: number; y: number }) => setMenu({ items: menuItems(desk), at });
  desk.onFailure = (failure) => tell('bad', t.grid.refused(failureText(failure)));
  desk.onCommand = (command) => {
    if (command.kind === 'find') setFinding(true);
    else if (command.kind === 'goTo') setOpen('goTo');
    else if (command.kind === 'help') setOpen('keys');
    else if (command.kind === 'menu') openMenu(menuPlace(desk));
    else perform(desk, command);
  };
  const close = useMemo(
    () => () => {
      setOpen(null);
      setMenu(null);
      setFinding(false);
      // A dialog gives the focus back to where it was when it goes; people go on in the grid.
      requestAnimationFrame(() => desk.view?.focus());
    },
    [desk],
  );
  const { failure } = desk.sheet;
  const isHidden = desk.sheet.layout?.may.read === false || failure?.status === 403;
  return (
    <main className="desk">
      <Head desk={desk} panel={panel} setPanel={setPanel} setOpen={setOpen} openMenu={openMenu} />
      <FormulaBar desk={desk} />
      <div className="desk-middle">
        <GridHost desk={desk} onMenu={(_on, at) => openMenu(at)} />
        {isHidden ? (
          <div className="past">
            <EmptyState icon="lock" title={t.grid.hidden} text={t.grid.hiddenHint} />
          </div>
        ) : failure !== null && desk.sheet.layout === null ? (
          <div className="past">
            <FailureState failure={failure} onRetry={() => desk.book.outdateAll()} />
          </div>
        ) : null}
        {past === null ? null : <PastView key={sheet} desk={desk} revision={past} onClose={() => setPast(null)} />}
        {isFinding ? <FindBar desk={desk} onClose={close} /> : null}
        {panel === null ? null : (
          <Side title={panel === 'history' ? t.history.title : t.code.title} onClose={() => setPanel(null)}>
            {panel === 'history' ? <HistoryPanel desk={desk} onSee={setPast} /> : <CodePanel desk={desk} />}
          </Side>
        )}
      </div>
      <SheetTabs desk={desk} />
      <StatusBar desk={desk} />
      {open === 'share' ? <ShareDialog document={document} onClose={close} /> : null}
      {open === 'filter' ? <FilterDialog desk={desk} onClose={close} /> : null}
      {open === 'goTo' ? <GoToDialog desk={desk} onClose={close} /> : null}
      {open === 'keys' ? <KeysDialog onClose={close} /> : null}
      {menu === null ? null : <MenuList items={menu.items} at={menu.at} label={t.grid.more} onClose={close} />}
    </main>
  );
}

interface HeadProps {
  readonly desk: Desk;
  readonly panel: Panel;
  readonly setPanel: (panel: Panel) => void;
  readonly setOpen: (open: Open) => void;
  readonly openMenu: (at: { x: number; y: number }) => void;
}

function Head({ desk, panel, setPanel, setOpen, openMenu }: HeadProps) {
  const { document, canUndo, canRedo } = useBook(desk);
  const isOwner = document.permission === 'owner';
  const { canEdit } = desk.book;
  const more: readonly MenuItem[] = [
    { text: t.documents.exportXlsx, icon: 'download', onPick: () => void get('xlsx') },
    { text: t.documents.exportCsv, icon: 'download', onPick: () => void get('csv') },
    { text: t.keys.title, icon: 'help', shortcut: '?', onPick: () => setOpen('keys') },
  ];
  const get = async (format: 'xlsx' | 'csv') => {
    const sheet = format === 'csv' ? desk.state.sheet : undefined;
    const got = await download(exportAddress(document.id, format, sheet), `${document.title}.${format}`);
    if (!got.ok) tell('bad', failureText(got));
  };
  const run = (command: Command) => () => {
    desk.onCommand(command);
    if (command.kind !== 'find' && command.kind !== 'goTo') desk.view?.focus();
  };
  return (
    <header className="desk-head">
      <Link className="button quiet icon-only logo" href="/" aria-label={t.grid.back} title={t.grid.back}>
        <Logo />
      </Link>
      <h1 title={document.title}>{document.title}</h1>
      {canEdit ? (
        <>
          <Tool icon="undo" text={t.grid.undo} isOff={!canUndo} onPick={run({ kind: 'undo' })} />
          <Tool icon="redo" text={t.grid.redo} isOff={!canRedo} onPick={run({ kind: 'redo' })} />
          <span className="gap" />
          <FormatMenu desk={desk} />
        </>
      ) : (
        <span className="badge">{t.documents.roles[document.permission]}</span>
      )}
      <Tool icon="find" text={t.grid.find} onPick={run({ kind: 'find' })} />
      <Tool icon="filter" text={t.filter.tool} onPick={() => setOpen('filter')} />
      <Tool icon="grid" text={t.grid.more} onPick={(event) => openMenu({ x: event.clientX, y: event.clientY + 12 })} />
      <span className="grow" />
      <Tool
        icon="history"
        text={t.grid.history}
        isOn={panel === 'history'}
        onPick={() => setPanel(panel === 'history' ? null : 'history')}
      />
      <Tool
        icon="code"
        text={t.grid.code}
        isOn={panel === 'code'}
        onPick={() => setPanel(panel === 'code' ? null : 'code')}
      />
      {isOwner ? (
        <button
          type="button"
          className="button share-button"
          aria-label={t.grid.share}
          onClick={() => setOpen('share')}
        >
          <Icon name="people" />
          <span className="only-wide">{t.grid.share}</span>
        </button>
      ) : null}
      <Menu label={t.more} items={more} />
      <span className="only-wide">
        <UserMenu />
      </span>
    </header>
  );
}

interface ToolProps {
  readonly icon: IconName;
  readonly text: string;
  readonly isOff?: boolean;
  readonly isOn?: boolean;
  readonly onPick: (event: { readonly clientX: number; readonly clientY: number }) => void;
}

function Tool({ icon, text, isOff = false, isOn, onPick }: ToolProps) {
  return (
    <button
      type="button"
      className="button quiet icon-only"
      aria-label={text}
      title={text}
      disabled={isOff}
      aria-pressed={isOn}
      onClick={onPick}
    >
      <Icon name={icon} />
    </button>
  );
}

/** What commands do that change the document. */
function perform(desk: Desk, command: Command): void {
  if (!desk.book.canEdit) return tell('bad', t.grid.readOnly);
  const done = (outcome: Promise<Failure | null>) =>
    void outcome.then((failure) => failure !== null && desk.onFailure(failure));
  switch (command.kind) {
    case 'undo':
    case 'redo':
      return done(
        desk.book.takeBack(command.kind).then((answer) => {
          if (answer === null) tell('good', t.grid.nothingToUndo);
          return answer === null || answer.ok ? null : answer;
        }),
      );
    case 'clear':
      return done(clearSelection(desk));
    case 'fillDown':
      return done(fillWithin(desk, 'down'));
    case 'fillRight':
      return done(fillWithin(desk, 'right'));
    case 'sheet': {
      const names = desk.book.state.sheets.filter(({ hidden }) => !hidden).map(({ name }) => name);
      const next = names[names.indexOf(desk.state.sheet) + command.step];
      if (next !== undefined) desk.show(next);
    }
  }
}

function menuPlace(desk: Desk): { x: number; y: number } {
  const { row, column } = desk.state.selection.active;
  const box = desk.view?.viewport.box({ top: row, left: column, bottom: row, right: column });
  const { left = 0, top = 0 } = desk.view?.element.getBoundingClientRect() ?? {};
  return { x: left + (box?.x ?? 0), y: top + (box?.y ?? 0) + (box?.height ?? 0) };
}

/** What can be done with the selection. */
function menuItems(desk: Desk): readonly MenuItem[] {
  const { selection } = desk.state;
  const { top, left, bottom, right } = areaOf(selection);
  const isOff = !desk.book.canEdit;
  const done = (outcome: Promise<Failure | null>) =>
    void outcome.then((failure) => failure !== null && desk.onFailure(failure));
  const takeText = (isCut: boolean) => {
    document.execCommand(isCut ? 'cut' : 'copy');
  };
  const lines = (axis: 'rows' | 'columns', count: number): readonly MenuItem[] => {
    const words = t.grid[axis];
    const item = (text: string, deed: LineDeed, isDanger = false): MenuItem => ({
      text,
      isOff,
      isDanger,
      onPick: () => done(changeLines(desk, axis, deed)),
    });
    return [
      item(words.insertBefore(count), 'insertBefore'),
      item(words.insertAfter(count), 'insertAfter'),
      item(words.moveBack(count), 'moveBack'),
      item(words.moveOn(count), 'moveOn'),
      item(words.delete(count), 'delete', true),
    ];
  };
  const sorted: readonly MenuItem[] = [
    { text: t.grid.sortUp, icon: 'sort', isOff, onPick: () => done(sort(desk, 'ascending')) },
    { text: t.grid.sortDown, icon: 'sort', isOff, onPick: () => done(sort(desk, 'descending')) },
  ];
  return [
    { text: t.grid.cut, shortcut: 'Ctrl+X', isOff, onPick: () => later(desk, () => takeText(true)) },
    { text: t.grid.copy, icon: 'copy', shortcut: 'Ctrl+C', onPick: () => later(desk, () => takeText(false)) },
    { text: t.grid.paste, shortcut: 'Ctrl+V', isOff, onPick: () => pasteFromMenu(desk) },
    { text: t.grid.clear, shortcut: 'Del', isOff, onPick: () => done(clearSelection(desk)) },
    { caption: areaText({ top, left, bottom: Math.min(bottom, top + 999), right: Math.min(right, left + 99) }) },
    ...sorted,
    { text: t.grid.filter, icon: 'filter', onPick: () => done(filterBySelection(desk)) },
    ...(selection.kind === 'columns' ? [] : [{ caption: t.grid.rows.title }, ...lines('rows', bottom - top + 1)]),
    ...(selection.kind === 'rows' ? [] : [{ caption: t.grid.columns.title }, ...lines('columns', right - left + 1)]),
  ];
}

/** After the menu has given the focus back. */
function later(desk: Desk, act: () => void): void {
  requestAnimationFrame(() => {
    desk.view?.focus();
    act();
  });
}

function pasteFromMenu(desk: Desk): void {
  const read = navigator.clipboard?.readText;
  if (read === undefined) return tell('bad', t.grid.pasteHint);
  navigator.clipboard.readText().then(
    (text) => void paste(desk, text).then((failure) => failure !== null && desk.onFailure(failure)),
    () => tell('bad', t.grid.pasteHint),
  );
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
