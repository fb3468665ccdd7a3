import { useState } from 'react';
import { UserMenu } from '../components/frame.tsx';
import { Icon, type IconName, Logo } from '../components/icon.tsx';
import { Link } from '../components/link.tsx';
import { Menu, type MenuItem, type Point } from '../components/menu.tsx';
import { describeFailure } from '../components/states.tsx';
import { showToast } from '../components/toasts.tsx';
import { copyDocument, downloadFile, formatExportUrl, getExcelSeparators } from '../data/documents.ts';
import { navigate } from '../data/route.ts';
import type { GridCommand } from '../grid/controller/commands.ts';
import type { GridController } from '../grid/controller/grid-controller.ts';
import { useSessionState } from '../grid/controller/use-controller.ts';
import { FormatMenu } from '../grid/panels/format-menu.tsx';
import { t } from '../text/index.ts';
import { TitleDialog } from './documents.tsx';
import { getRequestedProposal, ProposalsButton } from './proposals.tsx';

/** Panel beside the grid. */
export type SidePanelKind = 'history' | 'code' | null;

/** Dialog over the grid. */
export type OpenDialog = 'share' | 'goTo' | 'keys' | 'filter' | 'sort' | null;

interface DocumentHeaderProps {
  readonly controller: GridController;
  readonly panel: SidePanelKind;
  readonly setPanel: (panel: SidePanelKind) => void;
  readonly setOpen: (open: OpenDialog) => void;
  readonly openMenu: (point: Point) => void;
}

/** Title, toolbar and user menu of a document. */
export function DocumentHeader({ controller, panel, setPanel, setOpen, openMenu }: DocumentHeaderProps) {
  const { document, canUndo, canRedo, latestRevision, proposalEvents } = useSessionState(controller);
  const isOwner = document.permission === 'owner';
  const { canEdit } = controller.session;
  const [isRenaming, setRenaming] = useState(false);
  const copy = async () => {
    const copied = await copyDocument(document.id, `${document.title} (2)`);
    if (copied.ok) navigate(`/documents/${copied.value.document.id}`);
    else showToast('bad', describeFailure(copied));
  };
  const more: readonly MenuItem[] = [
    { text: t.documents.rename, icon: 'format', isOff: !canEdit, onPick: () => setRenaming(true) },
    { text: t.documents.duplicate, icon: 'copy', onPick: () => void copy() },
    { text: t.documents.exportXlsx, icon: 'download', onPick: () => void get('xlsx') },
    { text: t.grid.exportCsv, icon: 'download', onPick: () => void get('csv') },
    { text: t.grid.exportExcelCsv, icon: 'download', onPick: () => void get('csv', getExcelSeparators()) },
    { text: t.keys.title, icon: 'help', shortcut: 'F1', onPick: () => setOpen('keys') },
  ];
  const get = async (format: 'xlsx' | 'csv', marks = {}) => {
    const sheet = format === 'csv' ? controller.state.sheet : undefined;
    const got = await downloadFile(formatExportUrl(document.id, format, sheet, marks), `${document.title}.${format}`);
    if (!got.ok) showToast('bad', describeFailure(got));
  };
  const run = (command: GridCommand) => () => {
    controller.onCommand(command);
    if (command.kind !== 'find' && command.kind !== 'goTo') controller.view?.focus();
  };
  return (
    <header className="document-head">
      <Link className="button quiet icon-only logo" href="/" aria-label={t.grid.back} title={t.grid.back}>
        <Logo />
      </Link>
      <h1 title={document.title} onDoubleClick={() => setRenaming(canEdit)}>
        {document.title}
      </h1>
      {canEdit ? (
        <>
          <ToolbarButton icon="undo" text={t.grid.undo} isOff={!canUndo} onPick={run({ kind: 'undo' })} />
          <ToolbarButton icon="redo" text={t.grid.redo} isOff={!canRedo} onPick={run({ kind: 'redo' })} />
          <span className="gap" />
          <FormatMenu controller={controller} />
        </>
      ) : (
        <span className="badge">{t.documents.roles[document.permission]}</span>
      )}
      <ToolbarButton icon="find" text={t.grid.find} onPick={run({ kind: 'find' })} />
      <ToolbarButton icon="filter" text={t.filter.tool} onPick={() => setOpen('filter')} />
      <ToolbarButton icon="grid" text={t.grid.more} onPick={openMenu} />
      <span className="grow" />
      <ToolbarButton
        icon="history"
        text={t.grid.history}
        isOn={panel === 'history'}
        onPick={() => setPanel(panel === 'history' ? null : 'history')}
      />
      <ToolbarButton
        icon="code"
        text={t.grid.code}
        isOn={panel === 'code'}
        onPick={() => setPanel(panel === 'code' ? null : 'code')}
      />
      <ProposalsButton
        document={document.id}
        canEdit={canEdit}
        requestedId={getRequestedProposal()}
        news={{ revision: latestRevision, events: proposalEvents }}
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
      {isRenaming ? (
        <TitleDialog
          document={document}
          onClose={() => setRenaming(false)}
          onDone={(renamed) => {
            setRenaming(false);
            controller.session.setState({ document: renamed });
          }}
        />
      ) : null}
    </header>
  );
}

interface ToolbarButtonProps {
  readonly icon: IconName;
  readonly text: string;
  readonly isOff?: boolean;
  readonly isOn?: boolean;
  /** `point`: the place below the button. */
  readonly onPick: (point: Point) => void;
}

function ToolbarButton({ icon, text, isOff = false, isOn, onPick }: ToolbarButtonProps) {
  return (
    <button
      type="button"
      className="button quiet icon-only"
      aria-label={text}
      title={text}
      disabled={isOff}
      aria-pressed={isOn}
      onClick={({ currentTarget }) => {
        const { left, bottom } = currentTarget.getBoundingClientRect();
        onPick({ x: left, y: bottom + 4 });
      }}
    >
      <Icon name={icon} />
    </button>
  );
}
