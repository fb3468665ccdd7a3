import { getLocale, type LocaleId } from '@cellwire/engine';
import { useState } from 'react';
import { Field } from '../../components/field.tsx';
import { FormDialog, readFormText } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu, type MenuItem } from '../../components/menu.tsx';
import { formatCellNumber, t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { formatSelection } from '../editing/cell-actions.ts';

const CURRENCIES: Readonly<Record<string, string>> = { '₽': 'RUB', $: 'USD', '£': 'GBP', '€': 'EUR' };

/** Format codes of files, with an example in the document's locale as the name. */
function listFormats(id: LocaleId): readonly (readonly [code: string, name: string])[] {
  const { currencySign, currencyFormat, dateFormat } = getLocale(id);
  const currency = CURRENCIES[currencySign] ?? 'EUR';
  const day = dateFormat.replace('yyyy', '2026').replace(/m+/, '12').replace(/d+/, '31');
  return [
    ['General', t.grid.formats.general],
    ['#,##0.00', formatCellNumber(1234.5, id, { minimumFractionDigits: 2 })],
    ['#,##0', formatCellNumber(1234, id)],
    ['0.0%', formatCellNumber(0.125, id, { style: 'percent', minimumFractionDigits: 1 })],
    [currencyFormat, formatCellNumber(1234.5, id, { style: 'currency', currency, maximumFractionDigits: 2 })],
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
    // Moves the focus before the answer arrives, because later another element may have the focus.
    controller.view?.focus();
    void applyFormat(format).then((failure) => failure !== null && controller.onFailure(failure));
  };
  const send = async (form: FormData) => {
    const failure = await applyFormat(readFormText(form, 'format'));
    if (failure === null) setOwn(false);
    return failure;
  };
  const items: readonly MenuItem[] = [
    ...listFormats(controller.session.locale ?? 'en-US').map(
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
