import { columnName } from '@cellwire/engine';
import { useMemo, useState } from 'react';
import { Check, Field, Select } from '../components/field.tsx';
import { FormDialog, textIn } from '../components/form-dialog.tsx';
import { LoadedView } from '../components/states.tsx';
import type { Result } from '../data/http.ts';
import { useLoad } from '../data/use-load.ts';
import { numberText, t } from '../text/index.ts';
import type { Desk } from './desk.ts';
import { columnTexts, counted, endColumnFilter, filterByCondition, filterColumn } from './filter.ts';
import { CONDITIONS, type Condition, type ConditionKind } from './filter-conditions.ts';

/** Texts that are listed; of a column with more, those that are searched for. */
const MOST_LISTED = 500;

/** Asks which of the texts of the active cell's column are to be seen, or for a condition that they fit. */
export function FilterDialog({ desk, onClose }: { readonly desk: Desk; readonly onClose: () => void }) {
  const { column } = desk.state.selection.active;
  const known = desk.state.filter?.columns.find((one) => one.column === column)?.wanted;
  const knownCondition = known !== undefined && 'kind' in known ? known : null;
  const loaded = useLoad(`${desk.state.sheet} ${column}`, () => asked(desk, column));
  const [kind, setKind] = useState<ConditionKind | ''>(knownCondition?.kind ?? '');
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(
    known === undefined || 'kind' in known ? null : known,
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
    const operands = [textIn(form, 'first'), textIn(form, 'second')] as const;
    const refused = kind === '' ? sendValues() : await filterByCondition(desk, column, texts ?? [], { kind, operands });
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
      <Select
        label={t.filter.condition}
        value={kind}
        onChange={(event) => setKind(event.currentTarget.value as ConditionKind | '')}
      >
        <option value="">{t.filter.chosen}</option>
        {GROUPS.map(([label, kinds]) => (
          <optgroup key={label} label={label}>
            {kinds.map((one) => (
              <option key={one} value={one}>
                {t.filter.conditions[one]}
              </option>
            ))}
          </optgroup>
        ))}
      </Select>
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
        <Operands key={kind} kind={kind} known={knownCondition} />
      )}
    </FormDialog>
  );
}

const GROUPS = (
  [
    [t.filter.ofTexts, ['text']],
    [t.filter.ofNumbers, ['number', 'numbers']],
    [t.filter.ofDates, ['date', 'dates']],
    [t.filter.ofAny, ['nothing']],
  ] as const
).map(([label, needs]) => {
  const isOf = (kind: ConditionKind) => needs.some((need) => need === CONDITIONS[kind]);
  return [label, (Object.keys(CONDITIONS) as ConditionKind[]).filter(isOf)] as const;
});

/** What is to be given for a condition. */
function Operands({ kind, known }: { readonly kind: ConditionKind; readonly known: Condition | null }) {
  const needs = CONDITIONS[kind];
  if (needs === 'nothing') return null;
  const [first, second] = known !== null && CONDITIONS[known.kind] === needs ? known.operands : ['', ''];
  const isDate = needs === 'date' || needs === 'dates';
  const common = { type: isDate ? 'date' : 'text', autoComplete: 'off' } as const;
  const hasTwo = needs === 'numbers' || needs === 'dates';
  const label = hasTwo ? t.filter.from : isDate ? t.filter.day : needs === 'number' ? t.filter.number : t.filter.text;
  return (
    <>
      <Field {...common} label={label} name="first" defaultValue={first} autoFocus />
      {hasTwo ? <Field {...common} label={t.filter.to} name="second" defaultValue={second} /> : null}
    </>
  );
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
