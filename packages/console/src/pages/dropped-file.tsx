import { parseArea } from '@cellwire/engine';
import { useEffect, useRef, useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { Select } from '../components/field.tsx';
import { describeFailure, Notice } from '../components/states.tsx';
import { showToast } from '../components/toasts.tsx';
import { CANCELLED_STATUS, findFileType, uploadFile } from '../data/file-upload.ts';
import { CONSOLE_API, formatQuery } from '../data/http.ts';
import type { SheetFilePreview } from '../data/types.ts';
import type { GridController } from '../grid/controller/grid-controller.ts';
import { useGridState, useSessionState } from '../grid/controller/use-controller.ts';
import { createAreaSelection } from '../grid/selection/selection.ts';
import { parseSheetRange } from '../grid/session/sheet-ranges.ts';
import { formatLocalNumber, t } from '../text/index.ts';
import { DropFiles, describeOmitted, UploadProgress } from './imports.tsx';

/** Conventions of a `.csv` file that the person chose. The service recognises each empty one from the file. */
interface CsvChoice {
  readonly delimiter: string;
  readonly decimal: string;
  readonly encoding: string;
}

type FileAction = 'new-sheet' | 'replace' | 'append';

const ACTIONS: readonly FileAction[] = ['new-sheet', 'replace', 'append'];
const DELIMITERS = [',', ';', 'tab', '|'] as const;
const DECIMALS = ['.', ','] as const;
const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'windows-1252',
  'windows-1251',
  'windows-1250',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-874',
  'iso-8859-2',
  'iso-8859-5',
  'iso-8859-7',
  'iso-8859-15',
  'koi8-r',
  'koi8-u',
  'macintosh',
  'x-mac-ce',
  'x-mac-cyrillic',
  'x-mac-greek',
  'x-mac-turkish',
  'ibm437',
  'ibm737',
  'ibm775',
  'ibm850',
  'ibm852',
  'ibm857',
  'ibm866',
  'shift_jis',
  'euc-jp',
  'gb18030',
  'big5',
  'euc-kr',
] as const;

/** Takes a file that is dropped anywhere on the page. */
export function DroppedFiles({ controller }: { readonly controller: GridController }) {
  const [file, setFile] = useState<File | null>(null);
  const take = (files: readonly File[]) => {
    // Files are ignored while a modal dialog is open.
    if (document.querySelector('dialog[open]') !== null) return;
    const refused = findDropProblem(controller, files);
    if (refused !== null) showToast('bad', refused);
    else setFile(files[0] ?? null);
  };
  return (
    <>
      <DropFiles onFiles={take} hint={t.sheetFile.drop} />
      {file === null ? null : <SheetFileDialog controller={controller} file={file} onClose={() => setFile(null)} />}
    </>
  );
}

/** Says why a dropped file cannot be imported; null if it can. */
function findDropProblem(controller: GridController, files: readonly File[]): string | null {
  const [file] = files;
  if (!controller.session.canEdit) return t.grid.readOnly;
  if (file === undefined || files.length > 1) return t.sheetFile.oneFile;
  return findFileType(file.name) === null ? t.documents.notAFile(file.name) : null;
}

interface SheetFileDialogProps {
  readonly controller: GridController;
  readonly file: File;
  readonly onClose: () => void;
}

/**
 * Asks for the destination of a dropped file, with a preview. The dialog keeps the sheet that was shown when the file
 * was dropped.
 */
function SheetFileDialog({ controller, file, onClose }: SheetFileDialogProps) {
  const { sheets } = useSessionState(controller);
  const [target] = useState(() => ({ id: controller.sheet.id, name: controller.sheet.name }));
  const [choice, setChoice] = useState<CsvChoice>({ delimiter: '', decimal: '', encoding: '' });
  const [preview, setPreview] = useState<SheetFilePreview | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [sent, setSent] = useState<number | null>(0);
  const [action, setAction] = useState<FileAction>('new-sheet');
  const stop = useRef(new AbortController());
  useGridState(controller);
  // Another person may have renamed the sheet, or changed its protection.
  const open = controller.session.openSheets.findById(target.id);
  const name = open?.name ?? target.name;
  const isThere = open !== null && sheets.some((sheet) => sheet.name === name);
  const canWrite = isThere && open.layout?.may.write === true && open.layout.may.read;
  const parameters = { name: file.name, ...choice };

  useEffect(() => {
    const reading = new AbortController();
    setSent(0);
    setProblem(null);
    const sheet = target.id < 0 ? undefined : target.id;
    const path = `${CONSOLE_API}/documents/${controller.session.id}/sheet-file/preview`;
    const address = `${path}${formatQuery({ name: file.name, ...choice, sheet })}`;
    void uploadFile<{ readonly file: SheetFilePreview }>(address, file, {
      onSent: setSent,
      signal: reading.signal,
    }).then((answer) => {
      if (reading.signal.aborted) return;
      setSent(null);
      setPreview(answer.ok ? answer.value.file : null);
      if (!answer.ok) setProblem(describeFailure(answer));
    });
    return () => reading.abort();
  }, [controller, file, target, choice]);
  useEffect(() => () => stop.current.abort(), []);

  const send = async () => {
    setSent(0);
    setProblem(null);
    const parametersOfAction = action === 'new-sheet' ? parameters : { ...parameters, sheet: target.id };
    const answer = await controller.session.sendFile<{
      readonly imported: { readonly sheet: string; readonly range: string; readonly cells: number };
    }>(`/sheet-file/${action}${formatQuery(parametersOfAction)}`, file, {
      onSent: setSent,
      signal: stop.current.signal,
    });
    setSent(null);
    if (!answer.ok && answer.status === CANCELLED_STATUS) return;
    if (!answer.ok) return setProblem(describeFailure(answer));
    const { sheet, range, cells } = answer.value.imported;
    await controller.session.reloadSheets();
    const area = parseSheetRange(range)?.area ?? parseArea('A1');
    if (area !== null) controller.showSheet(sheet, createAreaSelection(area));
    showToast('good', t.sheetFile.done(formatLocalNumber(cells), sheet));
    onClose();
  };
  const isBusy = sent !== null;
  const isOff = isBusy || preview === null || (action !== 'new-sheet' && !canWrite);
  return (
    <Dialog title={t.sheetFile.title(file.name)} isWide onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {preview === null ? null : <PreviewTable preview={preview} file={file.name} />}
        {findFileType(file.name)?.startsWith('text/') === true ? (
          <CsvFields choice={choice} isOff={isBusy} onChoice={setChoice} />
        ) : null}
        <fieldset className="choices">
          <legend>{t.sheetFile.where}</legend>
          {ACTIONS.map((one) => (
            <label key={one} className="check">
              <input
                type="radio"
                name="action"
                checked={action === one}
                disabled={one !== 'new-sheet' && !canWrite}
                onChange={() => setAction(one)}
              />
              <span>
                {describeAction(one, name, preview)}
                {one === 'new-sheet' || canWrite ? null : (
                  <>
                    <br />
                    <span className="hint">{isThere ? t.sheetFile.notWritable : t.sheetFile.gone}</span>
                  </>
                )}
              </span>
            </label>
          ))}
        </fieldset>
        {sent === null ? null : (
          <div role="status">
            <UploadProgress label={t.documents.importing(file.name)} sent={sent} />
          </div>
        )}
        {problem === null ? null : <Notice kind="bad">{problem}</Notice>}
        <div className="row end">
          <button type="button" className="button" onClick={onClose}>
            {t.cancel}
          </button>
          <button type="submit" className="button primary" disabled={isOff}>
            {t.sheetFile.action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function describeAction(action: FileAction, sheet: string, preview: SheetFilePreview | null): string {
  if (action === 'new-sheet') return t.sheetFile.newSheet(preview?.sheet ?? '');
  if (action === 'replace') return t.sheetFile.replace(sheet);
  const append = preview?.append ?? null;
  return t.sheetFile.append(sheet, append?.row ?? null, append?.skipsHeader === true);
}

interface PreviewTableProps {
  readonly preview: SheetFilePreview;
  readonly file: string;
}

function PreviewTable({ preview: { preview, size, csv, leftOut }, file }: PreviewTableProps) {
  return (
    <>
      <div className="file-preview">
        <table className="table" aria-label={t.sheetFile.formatPreview(file)}>
          <tbody>
            {addIds(preview).map(({ id, value: row }) => (
              <tr key={id}>
                {addIds(row).map(({ id: column, value }) => (
                  <td key={column} className="file-cell">
                    {value === null ? '' : String(value)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="hint" role="status">
        {t.sheetFile.size(formatLocalNumber(size.rows), formatLocalNumber(size.columns))}
        {csv === null
          ? null
          : ` ${t.sheetFile.reading(t.sheetFile.delimiters(csv.delimiter), csv.encoding, csv.decimal, csv.dateOrder)}`}
        {leftOut.length === 0 ? null : ` ${t.documents.leftOut} ${leftOut.map(describeOmitted).join(', ')}`}
      </p>
    </>
  );
}

/** Adds an id to the items of a list that never changes: the index of the item. */
function addIds<T>(list: readonly T[]): readonly { readonly id: number; readonly value: T }[] {
  return list.map((value, id) => ({ id, value }));
}

interface CsvFieldsProps {
  readonly choice: CsvChoice;
  readonly isOff: boolean;
  readonly onChoice: (choice: CsvChoice) => void;
}

/** Fields that correct the recognised conventions. */
function CsvFields({ choice, isOff, onChoice }: CsvFieldsProps) {
  const fields = [
    { name: 'delimiter', label: t.sheetFile.delimiter, values: DELIMITERS, textOf: t.sheetFile.delimiters },
    { name: 'decimal', label: t.sheetFile.decimal, values: DECIMALS, textOf: String },
    { name: 'encoding', label: t.sheetFile.encoding, values: ENCODINGS, textOf: String },
  ] as const;
  return (
    <div className="row">
      {fields.map(({ name, label, values, textOf }) => (
        <Select
          key={name}
          label={label}
          value={choice[name]}
          disabled={isOff}
          onChange={(event) => onChoice({ ...choice, [name]: event.currentTarget.value })}
        >
          <option value="">{t.sheetFile.recognised}</option>
          {values.map((value) => (
            <option key={value} value={value}>
              {textOf(value)}
            </option>
          ))}
        </Select>
      ))}
    </div>
  );
}
