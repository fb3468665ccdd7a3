import { columnName } from '@cellwire/engine';
import { useMemo, useState } from 'react';
import { Check, Field } from '../components/field.tsx';
import { FormDialog } from '../components/form-dialog.tsx';
import { LoadedView } from '../components/states.tsx';
import type { Result } from '../data/http.ts';
import { useLoad } from '../data/use-load.ts';
import { numberText, t } from '../text/index.ts';
import type { Desk } from './desk.ts';
import { columnTexts, counted, endFilter, filterColumn } from './filter.ts';

/** Texts that are listed; of a column with more, those that are searched for. */
const MOST_LISTED = 500;

/** Asks which of the texts of the active cell's column are to be seen. */
export function FilterDialog({ desk, onClose }: { readonly desk: Desk; readonly onClose: () => void }) {
  const { column } = desk.state.selection.active;
  const known = desk.state.filter?.columns.find((one) => one.column === column);
  const loaded = useLoad(`${desk.state.sheet} ${column}`, () => asked(desk, column));
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(known?.texts ?? null);
  const texts = loaded.value;
  const all = useMemo(() => counted(texts ?? []), [texts]);
  const found = all.filter(([text]) => text.toLowerCase().includes(search.trim().toLowerCase()));
  // While one searches, what is chosen is chosen among what is found.
  const isChosen = (text: string) => chosen?.has(text) ?? true;
  const choose = (some: readonly string[], isOn: boolean) => {
    const next = new Set(chosen ?? all.map(([text]) => text));
    for (const text of some) isOn ? next.add(text) : next.delete(text);
    setChosen(next);
  };
  const foundTexts = found.map(([text]) => text);
  const send = async () => {
    const wanted = foundTexts.filter(isChosen);
    if (wanted.length === 0) return t.filter.nothing;
    if (wanted.length === all.length) endFilter(desk);
    else filterColumn(desk, column, texts ?? [], new Set(wanted));
    onClose();
    return null;
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
          <fieldset className="choices filter-choices">
            <legend>{t.filter.values}</legend>
            <div className="row">
              <button type="button" className="button quiet" onClick={() => choose(foundTexts, true)}>
                {t.filter.all}
              </button>
              <button type="button" className="button quiet" onClick={() => choose(foundTexts, false)}>
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
                  checked={isChosen(text)}
                  onChange={(event) => choose([text], event.currentTarget.checked)}
                />
              ))}
              {found.length > MOST_LISTED ? <p className="hint">{t.filter.more(MOST_LISTED)}</p> : null}
            </div>
          </fieldset>
        )}
      </LoadedView>
    </FormDialog>
  );
}

async function asked(desk: Desk, column: number): Promise<Result<readonly string[]>> {
  const texts = await columnTexts(desk, column);
  return 'ok' in texts ? texts : { ok: true, value: texts, headers: new Headers() };
}
