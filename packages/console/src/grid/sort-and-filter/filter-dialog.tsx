import { type Area, type ColumnCondition, columnName } from '@cellwire/engine';
import { useState } from 'react';
import { Checkbox, Field, Select } from '../../components/field.tsx';
import { FormDialog, readFormText } from '../../components/form-dialog.tsx';
import { LoadedView } from '../../components/states.tsx';
import { useLoad } from '../../data/use-load.ts';
import { formatLocalNumber, t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { useHeldPositions } from '../controller/use-controller.ts';
import { ConditionChoice, OperandFields, readOperands } from './condition-fields.tsx';
import {
  type FilterChoices,
  filterColumn,
  getCurrentFilter,
  loadFilterChoices,
  removeFilter,
} from './filter-actions.ts';
import {
  type ConditionKind,
  type FilterConditions,
  toColumnCondition,
  toFilterConditions,
} from './filter-conditions.ts';

/** Maximum number of listed texts; more are found by search. */
const MAX_LISTED = 500;

type FilterValues = FilterChoices['values'];

/** Dialog for the filter of the active column: a choice of texts, or one or two conditions. */
export function FilterDialog({
  controller,
  onClose,
}: {
  readonly controller: GridController;
  readonly onClose: () => void;
}) {
  const { sheet } = controller.state;
  /** Follows the column that was active; null if it was deleted. */
  const [followed, setFollowed] = useState<number | null>(controller.state.selection.active.column);
  const column = followed ?? controller.state.selection.active.column;
  const filter = getCurrentFilter(controller);
  const columnFilter = filter?.columns.get(column);
  const conditions = toFilterConditions(columnFilter, controller.inputLocale);
  const [kind, setKind] = useState<ConditionKind | ''>(conditions?.list[0]?.kind ?? '');
  const [search, setSearch] = useState('');
  const [isCut, setCut] = useState(false);
  /** Choices that differ from the filter. */
  const [changedChoices, setChangedChoices] = useState<ReadonlyMap<string, boolean>>(new Map());
  const loaded = useLoad(`${sheet} ${column} ${isCut ? search : ''}`, async () => {
    const choice = await loadFilterChoices(controller, column, search.trim());
    if (choice.ok && choice.value.isCut && search === '') setCut(true);
    return choice;
  });
  const choice = loaded.value;
  /** Present position of the range that was loaded; null if its cells are gone. */
  const [moved, setMoved] = useState<{ readonly of: FilterChoices; readonly area: Area | null } | null>(null);
  const area = moved !== null && moved.of === choice ? moved.area : (choice?.area ?? null);
  useHeldPositions(
    controller,
    { area, followed },
    (held, mapping) => ({
      area: held.area && (mapping.mapArea({ sheet: controller.state.sheet, area: held.area })?.area ?? null),
      followed: held.followed === null ? null : mapping.mapLine(controller.state.sheet, 'columns', held.followed),
    }),
    (held) => {
      if (choice !== null) setMoved({ of: choice, area: held.area });
      setFollowed(held.followed);
    },
  );
  const all = choice?.values ?? [];
  const found = all.filter(({ text }) => text.toLowerCase().includes(search.trim().toLowerCase()));
  const isChosen = ({ text, isKept }: FilterValues[number]) => changedChoices.get(text) ?? isKept;
  const send = async (form: FormData) => {
    if (choice === null) return t.filter.incomplete;
    if (area === null || followed === null) return t.filter.gone;
    const condition =
      kind === ''
        ? createChosenCondition(choice, found, isChosen, search.trim() !== '')
        : toColumnCondition(readConditions(form, kind), controller.inputLocale);
    if (condition === null) return kind === '' ? t.filter.nothing : t.filter.incomplete;
    const isPersonal = !controller.canWrite || form.get('personal') !== null;
    const columnCondition = condition === 'all' ? null : condition;
    const refused = await filterColumn(controller, column, columnCondition, { area, isPersonal });
    if (refused === null) onClose();
    return refused;
  };
  const heading = choice?.heading ?? '';
  return (
    <FormDialog
      title={t.filter.title(heading === '' ? columnName(column) : heading)}
      action={t.filter.show}
      isOff={choice === null}
      onClose={onClose}
      onSend={send}
    >
      <ConditionChoice label={t.filter.condition} none={t.filter.chosen} kind={kind} onChoose={setKind} />
      {kind === '' ? (
        <>
          <Field
            label={t.filter.search}
            type="search"
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            autoComplete="off"
            autoFocus
          />
          <LoadedView loaded={loaded}>
            {() => (
              <ValueList
                values={found}
                isChosen={isChosen}
                isCut={isCut}
                onChoose={(some, isOn) =>
                  setChangedChoices(new Map([...changedChoices, ...some.map(({ text }) => [text, isOn] as const)]))
                }
              />
            )}
          </LoadedView>
        </>
      ) : (
        <>
          <OperandFields key={kind} name="first" kind={kind} condition={conditions?.list[0]} autoFocus />
          <SecondCondition known={conditions} />
        </>
      )}
      <Checkbox
        name="personal"
        label={t.filter.personal}
        hint={controller.canWrite ? t.filter.personalHint : t.filter.personalOnly}
        defaultChecked={!controller.canWrite || filter?.isPersonal === true}
        disabled={!controller.canWrite}
      />
      <p className="hint">{t.filter.applied}</p>
      {filter === null ? null : (
        <button
          type="button"
          className="button quiet"
          disabled={!filter.isPersonal && !controller.canWrite}
          onClick={() => {
            onClose();
            void removeFilter(controller).then((failure) => failure !== null && controller.onFailure(failure));
          }}
        >
          {t.filter.remove}
        </button>
      )}
    </FormDialog>
  );
}

/** Condition for the chosen texts; `all` if every text is chosen, null if none. */
function createChosenCondition(
  { values: allValues, isCut }: FilterChoices,
  foundValues: FilterValues,
  isChosen: (value: FilterValues[number]) => boolean,
  isSearched: boolean,
): ColumnCondition | 'all' | null {
  // A search limits the choice to the texts that it finds.
  const chosen = foundValues.filter(isChosen).map(({ text }) => text);
  if (chosen.length === 0) return null;
  if (isCut && !isSearched) {
    const others = allValues.filter((value) => !isChosen(value)).map(({ text }) => text);
    return others.length === 0 ? 'all' : { values: others, except: true };
  }
  return !isCut && !isSearched && chosen.length === allValues.length ? 'all' : { values: chosen };
}

/** A second condition and how to join it. */
function SecondCondition({ known: initialConditions }: { readonly known: FilterConditions | null }) {
  const [kind, setKind] = useState<ConditionKind | ''>(initialConditions?.list[1]?.kind ?? '');
  return (
    <>
      <ConditionChoice label={t.filter.second} none={t.filter.noSecond} name="kind" kind={kind} onChoose={setKind} />
      {kind === '' ? null : (
        <>
          <OperandFields key={kind} name="second" kind={kind} condition={initialConditions?.list[1]} />
          <Select label={t.filter.join} name="join" defaultValue={initialConditions?.join ?? 'both'}>
            <option value="both">{t.filter.both}</option>
            <option value="either">{t.filter.either}</option>
          </Select>
        </>
      )}
    </>
  );
}

function readConditions(form: FormData, kind: ConditionKind): FilterConditions {
  const first = { kind, operands: readOperands(form, 'first') };
  const second = readFormText(form, 'kind') as ConditionKind | '';
  if (second === '') return { join: 'both', list: [first] };
  const join = readFormText(form, 'join') === 'either' ? 'either' : 'both';
  return { join, list: [first, { kind: second, operands: readOperands(form, 'second') }] };
}

interface ValueListProps {
  readonly values: FilterValues;
  readonly isChosen: (value: FilterValues[number]) => boolean;
  /** True if the column has more texts than can be listed. */
  readonly isCut: boolean;
  readonly onChoose: (some: FilterValues, isOn: boolean) => void;
}

function ValueList({ values, isChosen, isCut, onChoose }: ValueListProps) {
  return (
    <fieldset className="choices filter-choices">
      <legend>{t.filter.values}</legend>
      <div className="row">
        <button type="button" className="button quiet" onClick={() => onChoose(values, true)}>
          {t.filter.all}
        </button>
        <button type="button" className="button quiet" onClick={() => onChoose(values, false)}>
          {t.filter.none}
        </button>
        <span className="hint">{t.filter.count(values.length)}</span>
      </div>
      <div className="filter-list" tabIndex={-1}>
        {values.slice(0, MAX_LISTED).map((value) => (
          <Checkbox
            key={value.text}
            label={
              <>
                {value.text === '' ? <i>{t.filter.empty}</i> : value.text}{' '}
                <span className="hint">{formatLocalNumber(value.count)}</span>
              </>
            }
            checked={isChosen(value)}
            onChange={(event) => onChoose([value], event.currentTarget.checked)}
          />
        ))}
        {isCut || values.length > MAX_LISTED ? <p className="hint">{t.filter.more(MAX_LISTED)}</p> : null}
      </div>
    </fieldset>
  );
}
