/** Words of the dialog for proposals. */
export const enProposals = {
  title: 'Proposals',
  open: (count: number) => (count === 1 ? '1 proposal' : `${count} proposals`),
  none: 'No change waits for your consent.',
  list: 'Open proposals',
  untitled: 'Proposed change',
  actions: {
    update: 'Write values',
    append: 'Append rows',
    clear: 'Clear cells',
    format: 'Change formats or sizes',
    structure: 'Change rows, columns or sheets',
    undo: 'Undo a change',
    restore: 'Restore an earlier version',
    'sheet.create': 'Add a sheet',
    'sheet.rename': 'Rename a sheet',
    'sheet.delete': 'Delete a sheet',
    'sheet.hide': 'Hide a sheet',
    'sheet.show': 'Show a hidden sheet',
    'records.append': 'Append records',
    'records.upsert': 'Add or change records',
    'records.update': 'Change records',
    'records.delete': 'Delete records',
  },
  by: (name: string, token: string | null) => (token === null ? name : `${name}, ${token}`),
  summary: (written: number, derived: number) =>
    `${written} ${written === 1 ? 'cell' : 'cells'} changed, ${derived} recalculated`,
  changes: 'Changed cells; step with the arrow keys',
  preview: 'The grid after the change',
  present: 'The grid before the change',
  viewAfter: 'after the change',
  viewNow: 'before the change',
  viewPresent: 'now, with the proposed values',
  positions:
    'Removed cells are named by their position before the change, all other cells by their position after the change.',
  unseen: 'No visible cell changes: only formats, sizes or other settings do.',
  formula: 'Formula:',
  noFormula: 'none',
  exact: 'Exact value:',
  sheets: {
    add: (sheet: string) => `Add the sheet “${sheet}”`,
    rename: (before: string, sheet: string) => `Rename the sheet “${before}” to “${sheet}”`,
    delete: (sheet: string) => `Delete the sheet “${sheet}”`,
    hide: (sheet: string) => `Hide the sheet “${sheet}”`,
    show: (sheet: string) => `Show the hidden sheet “${sheet}”`,
    move: (sheet: string, position: number) => `Move the sheet “${sheet}” to position ${position}`,
    color: (sheet: string) => `Change the tab colour of the sheet “${sheet}”`,
  },
  lines: {
    rows: (first: string, last: string) => (first === last ? `row ${first}` : `rows ${first}–${last}`),
    columns: (first: string, last: string) => (first === last ? `column ${first}` : `columns ${first}–${last}`),
    cells: (cells: string) => `cells ${cells}`,
  },
  moves: {
    insert: (cells: string, sheet: string) => `Insert ${cells} in “${sheet}”`,
    delete: (cells: string, sheet: string) => `Delete ${cells} of “${sheet}”`,
    move: (from: string, sheet: string, to: string, toSheet: string) =>
      sheet === toSheet ? `Move ${from} of “${sheet}” to ${to}` : `Move ${from} of “${sheet}” to ${to} of “${toSheet}”`,
  },
  settings: {
    layout: (sheet: string) => `Change sizes, notes or rules of the sheet “${sheet}”`,
    name: {
      add: (name: string, after: string) => `Add the name ${name} for ${after}`,
      change: (name: string, before: string, after: string) => `Change the name ${name} from ${before} to ${after}`,
      delete: (name: string) => `Delete the name ${name}`,
    },
    table: {
      add: (name: string, after: string) => `Add the table ${name} at ${after}`,
      change: (name: string, before: string, after: string) => `Change the table ${name} from ${before} to ${after}`,
      delete: (name: string) => `Delete the table ${name}; its cells stay`,
    },
    filter: {
      add: (sheet: string, columns: string) =>
        columns === '' ? `Add a filter to “${sheet}”` : `Add a filter to “${sheet}”, with conditions for ${columns}`,
      change: (sheet: string, columns: string) =>
        columns === ''
          ? `Change the range of the filter of “${sheet}”`
          : `Change conditions of the filter of “${sheet}”: ${columns}`,
      delete: (sheet: string) => `Delete the filter of “${sheet}”`,
    },
  },
  derived: 'recalculated',
  deleted: 'removed',
  empty: 'empty',
  hidden: 'Changes on sheets that are hidden from you are left out.',
  more: 'Not all changes are shown.',
  conflicts: 'These cells have changed since. Rebase to see the result on the current cells.',
  apply: 'Apply',
  reject: 'Reject',
  rebase: 'Rebase',
  reason: 'Reason (others see it)',
  applied: 'Applied',
  rejected: 'Rejected',
  rebased: 'The preview is up to date',
  decidedBy: (state: string, name: string | null) =>
    name === null ? 'It is no longer open.' : `${name} was faster: ${state}.`,
  states: { applied: 'applied', rejected: 'rejected', withdrawn: 'withdrawn', expired: 'expired', open: 'open' },
  consent: 'Writes need consent: each becomes a proposal',
};

export const ruProposals: typeof enProposals = {
  title: 'Предложения',
  open: (count) => `Предложений: ${count}`,
  none: 'Ни одно изменение не ждёт вашего согласия.',
  list: 'Открытые предложения',
  untitled: 'Предложенное изменение',
  actions: {
    update: 'Запись значений',
    append: 'Добавление строк',
    clear: 'Очистка ячеек',
    format: 'Изменение форматов или размеров',
    structure: 'Изменение строк, столбцов или листов',
    undo: 'Отмена правки',
    restore: 'Возврат к прежней версии',
    'sheet.create': 'Добавление листа',
    'sheet.rename': 'Переименование листа',
    'sheet.delete': 'Удаление листа',
    'sheet.hide': 'Скрытие листа',
    'sheet.show': 'Показ скрытого листа',
    'records.append': 'Добавление записей',
    'records.upsert': 'Добавление или изменение записей',
    'records.update': 'Изменение записей',
    'records.delete': 'Удаление записей',
  },
  by: (name, token) => (token === null ? name : `${name}, ${token}`),
  summary: (written, derived) => `Изменено ячеек: ${written}, пересчитано: ${derived}`,
  changes: 'Изменённые ячейки; переход — клавишами со стрелками',
  preview: 'Как будет выглядеть таблица',
  present: 'Как таблица выглядит сейчас',
  viewAfter: 'после изменения',
  viewNow: 'до изменения',
  viewPresent: 'сейчас, с предложенными значениями',
  positions: 'Удаляемые ячейки названы по их месту до изменения, все остальные — по месту после него.',
  unseen: 'Видимые ячейки не меняются: меняются только форматы, размеры или другие настройки.',
  formula: 'Формула:',
  noFormula: 'нет',
  exact: 'Точное значение:',
  sheets: {
    add: (sheet) => `Добавить лист «${sheet}»`,
    rename: (before, sheet) => `Переименовать лист «${before}» в «${sheet}»`,
    delete: (sheet) => `Удалить лист «${sheet}»`,
    hide: (sheet) => `Скрыть лист «${sheet}»`,
    show: (sheet) => `Показать скрытый лист «${sheet}»`,
    move: (sheet, position) => `Переместить лист «${sheet}» на место ${position}`,
    color: (sheet) => `Изменить цвет вкладки листа «${sheet}»`,
  },
  lines: {
    rows: (first, last) => (first === last ? `строка ${first}` : `строки ${first}–${last}`),
    columns: (first, last) => (first === last ? `столбец ${first}` : `столбцы ${first}–${last}`),
    cells: (cells) => `ячейки ${cells}`,
  },
  moves: {
    insert: (cells, sheet) => `Вставка на листе «${sheet}»: ${cells}`,
    delete: (cells, sheet) => `Удаление на листе «${sheet}»: ${cells}`,
    move: (from, sheet, to, toSheet) =>
      sheet === toSheet
        ? `Перенос на листе «${sheet}»: ${from} → ${to}`
        : `Перенос с листа «${sheet}» на лист «${toSheet}»: ${from} → ${to}`,
  },
  settings: {
    layout: (sheet) => `Изменить размеры, заметки или правила листа «${sheet}»`,
    name: {
      add: (name, after) => `Добавить имя ${name} для ${after}`,
      change: (name, before, after) => `Изменить имя ${name}: ${before} → ${after}`,
      delete: (name) => `Удалить имя ${name}`,
    },
    table: {
      add: (name, after) => `Добавить таблицу ${name}: ${after}`,
      change: (name, before, after) => `Изменить таблицу ${name}: ${before} → ${after}`,
      delete: (name) => `Удалить таблицу ${name}; её ячейки останутся`,
    },
    filter: {
      add: (sheet, columns) =>
        columns === ''
          ? `Добавить фильтр на лист «${sheet}»`
          : `Добавить фильтр на лист «${sheet}» с условиями: ${columns}`,
      change: (sheet, columns) =>
        columns === ''
          ? `Изменить диапазон фильтра на листе «${sheet}»`
          : `Изменить условия фильтра на листе «${sheet}»: ${columns}`,
      delete: (sheet) => `Удалить фильтр с листа «${sheet}»`,
    },
  },
  derived: 'пересчёт',
  deleted: 'удаляется',
  empty: 'пусто',
  hidden: 'Изменения на листах, скрытых от вас, не показаны.',
  more: 'Показаны не все изменения.',
  conflicts: 'Эти ячейки с тех пор изменились. Обновите предложение, чтобы увидеть, что оно сделает сейчас.',
  apply: 'Применить',
  reject: 'Отклонить',
  rebase: 'Обновить',
  reason: 'Причина (её увидят другие)',
  applied: 'Применено',
  rejected: 'Отклонено',
  rebased: 'Предпросмотр обновлён',
  decidedBy: (state, name) =>
    name === null ? 'Предложение уже не открыто.' : `Решение уже принято (${name}): ${state}.`,
  states: {
    applied: 'применено',
    rejected: 'отклонено',
    withdrawn: 'отозвано',
    expired: 'срок истёк',
    open: 'открыто',
  },
  consent: 'Записи требуют согласия: каждая становится предложением',
};
