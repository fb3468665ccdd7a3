import { type Area, areaText, columnName, parseArea } from '@cellwire/engine';
import { useEffect, useState } from 'react';
import { Checkbox, Field, Select } from '../../components/field.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { LoadedView } from '../../components/states.tsx';
import type { Result } from '../../data/http.ts';
import { useLoad } from '../../data/use-load.ts';
import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { useHeldPositions } from '../controller/use-controller.ts';
import type { PositionMapping } from '../session/position-mapping.ts';
import {
  type ColumnSortKey,
  describeSort,
  findSortableArea,
  findSortTarget,
  type SortTarget,
  sortRows,
} from './sort.ts';

/** Maximum number of sort keys. */
const MAX_KEYS = 8;

interface SortDialogProps {
  readonly controller: GridController;
  readonly onClose: () => void;
}

/** A sort key with a unique id in the form. */
interface FormKey extends ColumnSortKey {
  readonly id: number;
}

/** Dialog for sorting. The grid previews the rows. */
export function SortDialog({ controller, onClose }: SortDialogProps) {
  const loaded = useLoad('', () => loadSortTarget(controller));
  return loaded.value === null ? (
    <FormDialog
      title={t.sort.title}
      action={t.sort.action}
      isOff
      onClose={onClose}
      onSend={() => Promise.resolve(null)}
    >
      <LoadedView loaded={loaded}>{() => null}</LoadedView>
    </FormDialog>
  ) : (
    <SortForm controller={controller} target={loaded.value} onClose={onClose} />
  );
}

/** Loads the rows to sort, as the result of a request. */
async function loadSortTarget(controller: GridController): Promise<Result<SortTarget>> {
  const target = await findSortTarget(controller);
  return 'ok' in target ? target : { ok: true, value: target, headers: new Headers() };
}

function SortForm({ controller, target, onClose }: SortDialogProps & { readonly target: SortTarget }) {
  const [range, setRange] = useState(areaText(target.area));
  const [hasHeader, setHeader] = useState(target.hasHeader);
  const [hasTotal, setTotal] = useState(target.hasTotal);
  const [keys, setKeys] = useState<readonly FormKey[]>([createFirstKey(controller, target.area)]);
  const area = parseClosedArea(range);
  const sorted = area === null ? null : findSortableArea({ area, hasHeader, hasTotal });
  const shown = sorted === null ? '' : areaText(sorted);
  useEffect(() => {
    controller.setState({ sortPreview: parseClosedArea(shown) });
    return () => controller.setState({ sortPreview: null });
  }, [controller, shown]);
  useHeldPositions(
    controller,
    { range, keys },
    (held, mapping) => mapSortFields(controller.state.sheet, held, mapping),
    (held) => {
      setRange(held.range);
      setKeys(held.keys);
    },
  );
  const setKey = (keyIndex: number, part: Partial<ColumnSortKey>) =>
    setKeys(keys.map((key, i) => (i === keyIndex ? { ...key, ...part } : key)));
  const send = async () => {
    if (area === null || keys.length === 0) return t.sort.noRange;
    if (sorted === null) return t.sort.oneRow;
    if (keys.some(({ column }) => column < area.left || column > area.right)) return t.sort.outside;
    const refused = await sortRows(controller, sorted, keys);
    if (refused === null) onClose();
    return refused;
  };
  const describeColumn = (column: number) => {
    const name = columnName(column);
    const heading = hasHeader && area !== null ? (controller.getCell({ row: area.top, column })?.m ?? '') : '';
    return heading === '' ? t.sort.column(name) : t.sort.named(heading, name);
  };
  const columns = area === null ? [] : listColumns(area);
  return (
    <FormDialog title={t.sort.title} action={t.sort.action} onClose={onClose} onSend={send}>
      <Field
        label={t.sort.range}
        value={range}
        onChange={(event) => setRange(event.currentTarget.value)}
        autoComplete="off"
      />
      <Checkbox
        label={t.sort.header}
        checked={hasHeader}
        onChange={(event) => setHeader(event.currentTarget.checked)}
      />
      <Checkbox label={t.sort.total} checked={hasTotal} onChange={(event) => setTotal(event.currentTarget.checked)} />
      {keys.map(({ id, column, order }, i) => (
        <div key={id} className="row sort-key">
          <Select
            label={i === 0 ? t.sort.by : t.sort.thenBy}
            value={column}
            onChange={(event) => setKey(i, { column: Number(event.currentTarget.value) })}
          >
            {columns.map((one) => (
              <option key={one} value={one}>
                {describeColumn(one)}
              </option>
            ))}
          </Select>
          <Select
            label={t.sort.order}
            value={order}
            onChange={(event) => setKey(i, { order: event.currentTarget.value as ColumnSortKey['order'] })}
          >
            <option value="ascending">{t.sort.ascending}</option>
            <option value="descending">{t.sort.descending}</option>
          </Select>
          {keys.length === 1 ? null : (
            <button type="button" className="button quiet" onClick={() => setKeys(keys.filter((_, at) => at !== i))}>
              {t.sort.removeKey}
            </button>
          )}
        </div>
      ))}
      {keys.length >= Math.min(MAX_KEYS, columns.length) ? null : (
        <button type="button" className="button quiet" onClick={() => setKeys([...keys, createNextKey(keys, columns)])}>
          {t.sort.addKey}
        </button>
      )}
      <p className="hint" role="status">
        {area === null ? t.sort.noRange : describeSort(controller, { area, hasHeader, hasTotal })}
      </p>
    </FormDialog>
  );
}

/** Creates the first sort key: the active column, or the column of the range that is nearest to it. */
function createFirstKey(controller: GridController, { left, right }: Area): FormKey {
  const { column } = controller.state.selection.active;
  return { id: 0, column: Math.min(right, Math.max(left, column)), order: 'ascending' };
}

interface SortFields {
  readonly range: string;
  readonly keys: readonly FormKey[];
}

/** Maps the range and the columns of the form. A deleted range becomes empty; keys of deleted columns are removed. */
function mapSortFields(sheet: string, { range, keys }: SortFields, mapping: PositionMapping): SortFields {
  const area = parseClosedArea(range);
  const moved = area === null ? null : mapping.mapArea({ sheet, area });
  return {
    range: area === null ? range : moved?.sheet === sheet ? areaText(moved.area) : '',
    keys: keys.flatMap((key) => {
      const column = mapping.mapLine(sheet, 'columns', key.column);
      return column === null ? [] : [{ ...key, column }];
    }),
  };
}

/** Key for the first unused column. */
function createNextKey(keys: readonly FormKey[], columns: readonly number[]): FormKey {
  const free = columns.find((column) => !keys.some((key) => key.column === column));
  return { id: Math.max(-1, ...keys.map(({ id }) => id)) + 1, column: free ?? columns[0] ?? 0, order: 'ascending' };
}

/** Maximum number of offered columns. */
const MAX_OFFERED = 1_000;

function listColumns({ left, right }: Area): readonly number[] {
  return Array.from({ length: Math.min(MAX_OFFERED, right - left + 1) }, (_, i) => left + i);
}

/** Null if the text is not a range with two corners. */
function parseClosedArea(text: string): Area | null {
  const area = parseArea(text.trim());
  if (area === null || area.openRows || area.openColumns) return null;
  const { top, left, bottom, right } = area;
  return { top, left, bottom, right };
}
