import { columnName } from '@cellwire/engine';
import { useMemo, useState } from 'react';
import { Check, Field, Select } from '../components/field.tsx';
import { FormDialog, textIn } from '../components/form-dialog.tsx';
import { LoadedView } from '../components/states.tsx';
import type { Result } from '../data/http.ts';
import { useLoad } from '../data/use-load.ts';
import { numberText, t } from '../text/index.ts';
import { ConditionChoice, Operands, operandsIn } from './condition-fields.tsx';
import type { Desk } from './desk.ts';
import { columnTexts, counted, endColumnFilter, filterByConditions, filterColumn } from './filter.ts';
import type { ConditionKind, Conditions } from './filter-conditions.ts';

/** Texts that are listed; of a column with more, those that are searched for. */
const MOST_LISTED = 500;

/** Asks which of the texts of the active cell's column are to be seen, or for one or two conditions that they fit. */
export function FilterDialog({ desk, onClose }: { readonly desk: Desk; readonly onClose: () => void }) {
  const { column } = desk.state.selection.active;
  const known = desk.state.filter?.columns.find((one) => one.column === column)?.wanted;
  const conditions = known !== undefined && 'list' in known ? known : null;
  const loaded = useLoad(`${desk.state.sheet} ${column}`, () => asked(desk, column));
  const [kind, setKind] = useState<ConditionKind | ''>(conditions?.list[0]?.kind ?? '');
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(
    known === undefined || 'list' in known ? null : known,
  );
  const texts = loaded.value;
  const all = useMemo(() => counted(texts ?? []), [texts]);
  const found = all.filter(([text]) => text.toLowerCase().includes(search.trim().toLowerCase()));
  const sendValues = () => {
    // While one searches, what is chosen is chosen among what is found.
    const wanted = found.map(([text]) => text).filter((text) => chosen?.has(text) ?? true);
    if (wanted.length === 0) return t.filter.nothing;
    if (wanted.length === all.length) endColumnFilter(desk, column);
    else filterColumn(desk, column, texts ?? [], new Set(wanted));
    return null;
  };
  const send = async (form: FormData) => {
    const refused =
      kind === '' ? sendValues() : await filterByConditions(desk, column, texts ?? [], conditionsIn(form, kind));
    if (refused === null) onClose();
    return refused;
  };
  const heading = desk.cell({ row: 0, column })?.m ?? '';
  return (
    <FormDialog
      title={t.filter.title(heading === '' ? columnName(column) : heading)}
      action={t.filter.show}
      isOff={texts === null}
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
            {() => <Values all={all} found={found} chosen={chosen} onChoose={setChosen} />}
          </LoadedView>
        </>
      ) : (
        <>
          <Operands key={kind} name="first" kind={kind} known={conditions?.list[0]} autoFocus />
          <SecondCondition known={conditions} />
        </>
      )}
    </FormDialog>
  );
}

/** Another condition of the same column, and whether it is to hold, too, or instead. */
function SecondCondition({ known }: { readonly known: Conditions | null }) {
  const [kind, setKind] = useState<ConditionKind | ''>(known?.list[1]?.kind ?? '');
  return (
    <>
      <ConditionChoice label={t.filter.second} none={t.filter.noSecond} name="kind" kind={kind} onChoose={setKind} />
      {kind === '' ? null : (
        <>
          <Operands key={kind} name="second" kind={kind} known={known?.list[1]} />
          <Select label={t.filter.join} name="join" defaultValue={known?.join ?? 'both'}>
            <option value="both">{t.filter.both}</option>
            <option value="either">{t.filter.either}</option>
          </Select>
        </>
      )}
    </>
  );
}

function conditionsIn(form: FormData, kind: ConditionKind): Conditions {
  const first = { kind, operands: operandsIn(form, 'first') };
  const second = textIn(form, 'kind') as ConditionKind | '';
  if (second === '') return { join: 'both', list: [first] };
  const join = textIn(form, 'join') === 'either' ? 'either' : 'both';
  return { join, list: [first, { kind: second, operands: operandsIn(form, 'second') }] };
}

interface ValuesProps {
  readonly all: ReturnType<typeof counted>;
  readonly found: ReturnType<typeof counted>;
  /** Null: all of them. */
  readonly chosen: ReadonlySet<string> | null;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

function Values({ all, found, chosen, onChoose }: ValuesProps) {
  const choose = (some: ValuesProps['found'], isOn: boolean) => {
    const next = new Set(chosen ?? all.map(([text]) => text));
    for (const [text] of some) isOn ? next.add(text) : next.delete(text);
    onChoose(next);
  };
  return (
    <fieldset className="choices filter-choices">
      <legend>{t.filter.values}</legend>
      <div className="row">
        <button type="button" className="button quiet" onClick={() => choose(found, true)}>
          {t.filter.all}
        </button>
        <button type="button" className="button quiet" onClick={() => choose(found, false)}>
          {t.filter.none}
        </button>
        <span className="hint">{t.filter.count(found.length)}</span>
      </div>
      <div className="filter-list" tabIndex={-1}>
        {found.slice(0, MOST_LISTED).map(([text, count]) => (
          <Check
            key={text}
            label={
              <>
                {text === '' ? <i>{t.filter.empty}</i> : text} <span className="hint">{numberText(count)}</span>
              </>
            }
            checked={chosen?.has(text) ?? true}
            onChange={(event) => choose([[text, count]], event.currentTarget.checked)}
          />
        ))}
        {found.length > MOST_LISTED ? <p className="hint">{t.filter.more(MOST_LISTED)}</p> : null}
      </div>
    </fieldset>
  );
}

async function asked(desk: Desk, column: number): Promise<Result<readonly string[]>> {
  const texts = await columnTexts(desk, column);
  return 'ok' in texts ? texts : { ok: true, value: texts, headers: new Headers() };
}
