import { type LocaleId, localeOf } from '@cellwire/engine';
import { useState } from 'react';
import { Field } from '../../components/field.tsx';
import { FormDialog, textIn } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu, type MenuItem } from '../../components/menu.tsx';
import { cellNumberText, t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { formatSelection } from '../editing/cell-actions.ts';

const CURRENCIES: Readonly<Record<string, string>> = { '₽': 'RUB', $: 'USD', '£': 'GBP', '€': 'EUR' };

/** Format codes of files, with an example in the document's locale as the name. */
function formatsOf(id: LocaleId): readonly (readonly [code: string, name: string])[] {
  const { currencySign, currencyFormat, dateFormat } = localeOf(id);
  const currency = CURRENCIES[currencySign] ?? 'EUR';
  const day = dateFormat.replace('yyyy', '2026').replace(/m+/, '12').replace(/d+/, '31');
  return [
    ['General', t.grid.formats.general],
    ['#,##0.00', cellNumberText(1234.5, id, { minimumFractionDigits: 2 })],
    ['#,##0', cellNumberText(1234, id)],
    ['0.0%', cellNumberText(0.125, id, { style: 'percent', minimumFractionDigits: 1 })],
    [currencyFormat, cellNumberText(1234.5, id, { style: 'currency', currency, maximumFractionDigits: 2 })],
    [dateFormat, day],
    [`${dateFormat} hh:mm`, `${day} 18:30`],
    ['hh:mm:ss', '18:30:00'],
    ['0.00E+00', t.grid.formats.scientific],
  ];
}

/** Sets the number format of the selection. The API cannot do this. */
export function FormatMenu({ controller }: { readonly controller: GridController }) {
  const [isOwn, setOwn] = useState(false);
  const applyFormat = (format: string) => formatSelection(controller, format);
  const pick = (format: string) => {
    // Before the answer arrives, because something else may have the focus then.
    controller.view?.focus();
    void applyFormat(format).then((failure) => failure !== null && controller.onFailure(failure));
  };
  const send = async (form: FormData) => {
    const failure = await applyFormat(textIn(form, 'format'));
    if (failure === null) setOwn(false);
    return failure;
  };
  const items: readonly MenuItem[] = [
    ...formatsOf(controller.session.locale ?? 'en-US').map(
      ([code, text]): MenuItem => ({ text, onPick: () => pick(code) }),
    ),
    { text: t.grid.formats.own, onPick: () => setOwn(true) },
  ];
  return (
    <>
      <Menu label={t.grid.format} items={items}>
        <Icon name="number" />
      </Menu>
      {isOwn ? (
        <FormDialog title={t.grid.format} action={t.save} onClose={() => setOwn(false)} onSend={send}>
          <Field label={t.grid.formats.ownLabel} name="format" defaultValue="#,##0.00" required autoFocus />
        </FormDialog>
      ) : null}
    </>
  );
}
