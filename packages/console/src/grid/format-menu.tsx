import { areaText, quoteSheetName } from '@cellwire/engine';
import { useState } from 'react';
import { Field } from '../components/field.tsx';
import { FormDialog, textIn } from '../components/form-dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { Menu, type MenuItem } from '../components/menu.tsx';
import { call, OWN } from '../data/http.ts';
import { language, t } from '../text/index.ts';
import type { Desk } from './desk.ts';
import { areaOf } from './selection.ts';

/** Codes as files have them; the document's locale shows them. */
const CODES = {
  general: 'General',
  number: '#,##0.00',
  whole: '#,##0',
  percent: '0.0%',
  money: language === 'ru' ? '#,##0.00\\ "₽"' : '#,##0.00\\ "€"',
  date: 'dd.mm.yyyy',
  dateTime: 'dd.mm.yyyy hh:mm',
  time: 'hh:mm:ss',
  text: '0.00E+00',
} as const;

/** Gives the selection a number format; only people can, not the API. */
export function FormatMenu({ desk }: { readonly desk: Desk }) {
  const [isOwn, setOwn] = useState(false);
  const give = async (format: string) => {
    const { sheet, selection } = desk.state;
    const area = areaOf(selection);
    const range = `${quoteSheetName(sheet)}!${areaText(area)}`;
    const path = `${OWN}/documents/${desk.book.id}/format/${encodeURIComponent(range)}`;
    const answer = await desk.book.write('edit', () => call('PUT', path, { body: { format } }));
    if (answer.ok) desk.book.sheet(sheet).cells.outdate([area]);
    return answer.ok ? null : answer;
  };
  const pick = (format: string) =>
    void give(format).then((failure) => {
      if (failure !== null) desk.onFailure(failure);
      desk.view?.focus();
    });
  const send = async (form: FormData) => {
    const failure = await give(textIn(form, 'format'));
    if (failure === null) setOwn(false);
    return failure;
  };
  const items: readonly MenuItem[] = [
    ...Object.entries(CODES).map(
      ([name, code]): MenuItem => ({
        text: t.grid.formats[name as keyof typeof CODES],
        onPick: () => pick(code),
      }),
    ),
    { text: t.grid.formats.own, onPick: () => setOwn(true) },
  ];
  return (
    <>
      <Menu label={t.grid.format} items={items}>
        <Icon name="format" />
      </Menu>
      {isOwn ? (
        <FormDialog title={t.grid.format} action={t.save} onClose={() => setOwn(false)} onSend={send}>
          <Field label={t.grid.formats.ownLabel} name="format" defaultValue="#,##0.00" required autoFocus />
        </FormDialog>
      ) : null}
    </>
  );
}
