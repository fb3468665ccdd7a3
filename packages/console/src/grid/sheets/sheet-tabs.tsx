import { useCallback, useEffect, useRef, useState } from 'react';
import { Confirm } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { FormDialog, readFormText } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu, type MenuItem, MenuList, type Point } from '../../components/menu.tsx';
import { describeFailure } from '../../components/states.tsx';
import { showToast } from '../../components/toasts.tsx';
import type { Result } from '../../data/http.ts';
import type { Sheet } from '../../data/types.ts';
import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { useGridState, useSessionState } from '../controller/use-controller.ts';
import type { OpenSheet } from '../session/open-sheet.ts';
import type { StructureOperations } from '../session/structure-operations.ts';
import { followTouch } from '../view/touch-gestures.ts';
import { duplicateSheet } from './duplicate-sheet.ts';
import { ProtectionDialog } from './protection-dialog.tsx';
import { useSheetLocks } from './sheet-locks.ts';

/** The dialog keeps the sheet object, whose name follows if another person renames the sheet. */
type OpenSheetDialog = { readonly kind: 'rename' | 'delete' | 'protect'; readonly sheet: OpenSheet } | null;

/** The sheet to show after an action; undefined keeps the present one. */
type NextSheet = string | undefined;

/** More tabs than these have a list of all sheets beside them, because most tabs are out of sight. */
const MAX_TABS_WITHOUT_LIST = 5;

const TAB_COLORS = [
  ['#dc2626', t.sheets.colors.red],
  ['#ea580c', t.sheets.colors.orange],
  ['#ca8a04', t.sheets.colors.yellow],
  ['#16a34a', t.sheets.colors.green],
  ['#2563eb', t.sheets.colors.blue],
  ['#9333ea', t.sheets.colors.purple],
] as const;

/** Tabs of the sheets. */
export function SheetTabs({ controller }: { readonly controller: GridController }) {
  const { sheets } = useSessionState(controller);
  const { sheet: current } = useGridState(controller);
  const [open, setOpen] = useState<OpenSheetDialog>(null);
  const locks = useSheetLocks(controller);
  const [menu, setMenu] = useState<Point | null>(null);
  const closeMenu = useCallback(() => {
    setMenu(null);
    controller.view?.focus();
  }, [controller]);
  const { session } = controller;
  const act = async <T,>(send: Promise<Result<T>>, chooseNextSheet: (value: T) => NextSheet = () => undefined) => {
    const answer = await send;
    if (!answer.ok) return showToast('bad', describeFailure(answer));
    const next = chooseNextSheet(answer.value);
    // The sheet stays if the person has changed it since, or types in it.
    const isUntouched = controller.state.sheet === current && controller.state.draft === null;
    if (next !== undefined && isUntouched) controller.showSheet(next);
    await session.reloadSheets();
  };
  const [isAdding, setAdding] = useState(false);
  const addButton = useRef<HTMLButtonElement>(null);
  const add = async () => {
    if (isAdding) return;
    setAdding(true);
    const adding = session.sendEdit<{ readonly sheet: Sheet }>('POST', '/sheets', {}, controller.editBase);
    await act(adding, ({ sheet }) => sheet.name);
    setAdding(false);
    if (document.activeElement === addButton.current) controller.view?.focus();
  };
  const close = () => setOpen(null);
  const actions = createSheetActions(controller, sheets, current, act, setOpen);
  const shown = sheets.filter(({ hidden, name }) => !hidden || name === current);
  return (
    <div className="sheet-tabs">
      {session.canEdit ? (
        <button
          type="button"
          className="button quiet icon-only"
          ref={addButton}
          aria-label={t.sheets.add}
          aria-disabled={isAdding}
          title={t.sheets.add}
          onClick={() => void add()}
        >
          <Icon name="add" />
        </button>
      ) : null}
      {shown.length > MAX_TABS_WITHOUT_LIST ? (
        <Menu label={t.sheets.list} items={listSheets(controller, shown, current)}>
          <Icon name="menu" />
        </Menu>
      ) : null}
      <div className="sheet-list" role="tablist" aria-label={t.sheets.label}>
        {shown.map((sheet) => (
          <SheetTab
            key={sheet.name}
            sheet={sheet}
            isCurrent={sheet.name === current}
            isLocked={locks.has(sheet.name)}
            controller={controller}
            onRename={() => session.canEdit && setOpen({ kind: 'rename', sheet: session.getOpenSheet(sheet.name) })}
            onMenu={(at) => {
              controller.showSheet(sheet.name);
              setMenu(at);
            }}
          />
        ))}
      </div>
      <Menu label={t.sheets.actions(current)} items={actions} target={controller.sheet} />
      {menu === null ? null : (
        <MenuList
          label={t.sheets.actions(current)}
          items={actions}
          position={menu}
          target={controller.sheet}
          onClose={closeMenu}
        />
      )}
      {open?.kind === 'rename' ? (
        <RenameSheetDialog controller={controller} sheet={open.sheet} onClose={close} />
      ) : null}
      {open?.kind === 'protect' ? (
        <ProtectionDialog controller={controller} sheet={open.sheet.name} onClose={close} />
      ) : null}
      {open?.kind === 'delete' ? (
        <Confirm
          title={t.sheets.deleteTitle}
          text={t.sheets.deleteText(open.sheet.name)}
          action={t.sheets.delete}
          onClose={close}
          onConfirm={() => {
            const next = shown.find(({ name }) => name !== open.sheet.name)?.name;
            close();
            void act(editSheet(controller, 'DELETE', open.sheet.name, undefined), () => next);
          }}
        />
      ) : null}
    </div>
  );
}

interface TabProps {
  readonly sheet: Sheet;
  readonly isCurrent: boolean;
  readonly isLocked: boolean;
  readonly controller: GridController;
  readonly onRename: () => void;
  readonly onMenu: (point: Point) => void;
}

function SheetTab({ sheet, isCurrent, isLocked, controller, onRename, onMenu }: TabProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isCurrent) button.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    button.current?.style.setProperty('--tab', sheet.color ?? 'transparent');
  }, [isCurrent, sheet.color]);
  return (
    <button
      ref={button}
      type="button"
      role="tab"
      aria-selected={isCurrent}
      title={sheet.name}
      className={sheet.hidden ? 'sheet-tab hidden-sheet' : 'sheet-tab'}
      onClick={() => {
        controller.showSheet(sheet.name);
        controller.view?.focus();
      }}
      onDoubleClick={onRename}
      onContextMenu={(event) => {
        event.preventDefault();
        onMenu({ x: event.clientX, y: event.clientY });
      }}
      onPointerDown={({ currentTarget, nativeEvent, pointerType, clientX: x, clientY: y }) => {
        // Not every browser has a context menu event for a long press.
        if (pointerType !== 'touch') return;
        followTouch(currentTarget, nativeEvent, { onTap: () => {}, onLongPress: () => onMenu({ x, y }) });
      }}
    >
      {isLocked ? <Icon name="lock" /> : null}
      <span className="sheet-name">{sheet.name}</span>
      {isLocked ? <span className="visually-hidden">, {t.sheets.locked}</span> : null}
    </button>
  );
}

/** Menu items that show a sheet. */
function listSheets(controller: GridController, sheets: readonly Sheet[], current: string): readonly MenuItem[] {
  return sheets.map(({ name }) => ({
    text: name,
    ...(name === current ? { icon: 'check' as const } : {}),
    onPick: () => {
      controller.view?.focus();
      controller.showSheet(name);
    },
  }));
}

function createSheetActions(
  controller: GridController,
  sheets: readonly Sheet[],
  current: string,
  runAction: <T>(send: Promise<Result<T>>, chooseNextSheet?: (value: T) => NextSheet) => Promise<void>,
  setOpen: (open: OpenSheetDialog) => void,
): readonly MenuItem[] {
  const { session } = controller;
  const open = session.getOpenSheet(current);
  const order = sheets.find(({ name }) => name === current)?.order ?? 0;
  const isOff = !session.canEdit;
  const isOwner = session.state.document.permission === 'owner';
  const isLast = sheets.filter(({ hidden }) => !hidden).length === 1;
  const next = sheets.find(({ name, hidden }) => !hidden && name !== current)?.name;
  const { revision } = session.revisions;
  const changeSheet = (operation: StructureOperations[number]) =>
    void runAction(session.changeStructure([operation], revision));
  const move = (to: number) => changeSheet({ moveSheet: { sheet: current, order: to } });
  const paint = (color: string | null) => changeSheet({ colorSheet: { sheet: current, color } });
  const hidden = sheets.filter((sheet) => sheet.hidden);
  const items: readonly MenuItem[] = [
    { text: t.sheets.rename, icon: 'format', isOff, onPick: () => setOpen({ kind: 'rename', sheet: open }) },
    {
      text: t.sheets.duplicate,
      icon: 'copy',
      isOff,
      onPick: () => void runAction(duplicateSheet(controller, current), (copy) => copy),
    },
    { text: t.sheets.moveLeft, isOff: isOff || order === 0, onPick: () => move(order - 1) },
    { text: t.sheets.moveRight, isOff: isOff || order === sheets.length - 1, onPick: () => move(order + 1) },
    {
      text: t.sheets.hide,
      icon: 'eyeOff',
      isOff: isOff || isLast,
      onPick: () => void runAction(editSheet(controller, 'PATCH', current, { hidden: true }), () => next),
    },
    {
      text: t.sheets.protect,
      icon: 'lock',
      isOff: !isOwner,
      onPick: () => setOpen({ kind: 'protect', sheet: open }),
    },
    {
      text: t.sheets.delete,
      icon: 'trash',
      isDanger: true,
      isOff: isOff || isLast,
      onPick: () => setOpen({ kind: 'delete', sheet: open }),
    },
    { caption: t.sheets.color },
    { text: t.sheets.noColor, isOff, onPick: () => paint(null) },
    ...TAB_COLORS.map(([color, text]): MenuItem => ({ text, color, isOff, onPick: () => paint(color) })),
    ...(hidden.length === 0 ? [] : [{ caption: t.sheets.hiddenOnes }]),
    ...hidden.map(
      ({ name }): MenuItem => ({
        text: t.sheets.show(name),
        isOff,
        onPick: () => void runAction(editSheet(controller, 'PATCH', name, { hidden: false }), () => name),
      }),
    ),
  ];
  // The next keys are for the cells. A dialog returns the focus to them when it closes.
  const pickInGrid = (pick: () => void) => () => {
    controller.view?.focus();
    pick();
  };
  return items.map((item) => ('caption' in item ? item : { ...item, onPick: pickInGrid(item.onPick) }));
}

/** Changes or deletes a sheet. Its name belongs to the page's revision, even if the selected cells were deleted. */
function editSheet(
  { session }: GridController,
  method: 'PATCH' | 'DELETE',
  sheet: string,
  body: unknown,
): Promise<Result<unknown>> {
  return session.sendEdit(method, `/sheets/${encodeURIComponent(sheet)}`, body, session.revisions.revision);
}

interface SheetDialogProps {
  readonly controller: GridController;
  readonly sheet: OpenSheet;
  readonly onClose: () => void;
}

function RenameSheetDialog({ controller, sheet, onClose }: SheetDialogProps) {
  const send = async (form: FormData) => {
    const name = readFormText(form, 'name');
    const answer = await editSheet(controller, 'PATCH', sheet.name, { name });
    if (!answer.ok) return answer;
    await controller.session.reloadSheets();
    // The person can close the dialog before the answer, and then leave the sheet or type in it.
    if (controller.state.sheet === sheet.name && controller.state.draft === null) controller.showSheet(name);
    onClose();
    return null;
  };
  return (
    <FormDialog title={t.sheets.rename} action={t.save} onClose={onClose} onSend={send}>
      <Field
        label={t.sheets.name}
        name="name"
        defaultValue={sheet.name}
        maxLength={255}
        onFocus={(event) => event.target.select()}
        required
        autoFocus
      />
    </FormDialog>
  );
}
