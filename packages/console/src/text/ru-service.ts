/**
 * Messages of the service in Russian. A number in braces stands for a part that the message repeats, such as a name.
 */
const RUSSIAN_MESSAGES: Readonly<Record<string, string>> = {
  // Refusals; see `ANSWERS` of the service.
  Unauthenticated: 'Нужно войти',
  'The token or its account is damaged in the database': 'Ключ или учётная запись повреждены в базе данных',
  'Too many requests': 'Слишком много запросов',
  'Change the one-time password first': 'Сначала смените одноразовый пароль',
  'Document not found': 'Такого документа нет',
  'Insufficient permissions': 'Не хватает прав',
  'Idempotency-Key was used with a different request': 'Этот ключ повтора уже использован с другим запросом',
  'Document is not a table': 'Этот документ не таблица',
  'Value writes require a collaborative table': 'Запись возможна только в таблицу с совместной работой',
  'Invalid range': 'Недопустимый диапазон',
  'Sheet not found': 'Такого листа нет',
  'Name not found': 'Такого имени нет',
  'Table not found': 'Такой таблицы нет',
  'Sheet is protected': 'Лист защищён',
  'Sheet values are hidden': 'Значения листа скрыты',
  'Sheet name already taken': 'Лист с таким именем уже есть',
  'A document needs at least one visible sheet': 'В документе должен остаться хотя бы один видимый лист',
  'Calculation limit exceeded': 'Расчёт превысил допустимый объём',
  'Precondition failed': 'Документ с тех пор изменился',
  'These cells were deleted or moved apart by someone else': 'Эти ячейки удалил или разделил другой пользователь',
  'Someone else changed these cells': 'Эти ячейки изменил другой пользователь',
  'Service busy': 'Служба занята',
  'Response too large': 'Ответ слишком велик',
  'Revision not found': 'Такой версии нет',
  'Proposal not found': 'Такого предложения нет',
  'Proposal limit reached': 'Открытых предложений уже слишком много',
  Cancelled: 'Отменено',
  'The confirmation was used already': 'Подтверждение уже использовано',
  'Writes of this token need consent': 'Записи этого ключа требуют согласия',
  'Proposal is not open': 'Предложение уже закрыто',
  'Webhook not found': 'Такой подписки нет',
  'Webhook limit reached': 'Подписок уже слишком много',
  'Delivery not found': 'Такой доставки нет',
  'Only pages of this service may send this request: Origin is missing or differs':
    'Такой запрос принимается только со страниц этой службы',
  'This name is not allowed: set CELLWIRE_PUBLIC_URL or allowedHosts':
    'Этот адрес службы не разрешён: задайте CELLWIRE_PUBLIC_URL или allowedHosts',
  'E-mail address or password is wrong': 'Неверный адрес почты или пароль',
  'Session not found': 'Такого сеанса нет',
  'User not found': 'Такого пользователя нет',
  'Token not found': 'Такого ключа нет',
  'This invitation is not valid any more': 'Это приглашение больше не действует',
  'This invitation has been used already': 'Это приглашение уже использовано',
  'This invitation has expired': 'Срок приглашения истёк',
  'This invitation was withdrawn': 'Приглашение отозвано',
  'This invitation is damaged in the database; ask for another one':
    'Приглашение повреждено в базе данных; попросите другое',

  // Failures of a request.
  'Not found': 'Не найдено',
  'Server error': 'Ошибка службы',
  'The body is too large': 'Запрос слишком велик',
  'The body is not as long as its Content-Length': 'Запрос пришёл не полностью',
  'The request broke off': 'Запрос оборвался',
  'Document is damaged': 'Документ повреждён',
  'Stored data is damaged': 'Сохранённые данные повреждены',
  'The content type must be {0}': 'Такой вид файла не принимается; допустимы {0}',
  '{0} is required': 'Не заполнено: {0}',
  '{0} must be one of {1}': '{0}: допустимы {1}',
  '{0} must not have more than {1} characters': '{0}: не больше {1} знаков',
  '{0} must not have fewer than {1} characters': '{0}: не меньше {1} знаков',
  '{0} must not have more than {1} items': '{0}: не больше {1} элементов',
  '{0} must not be empty': '{0}: не должно быть пустым',
  '{0} must have at most {1} cells': '{0}: не больше {1} ячеек',
  '{0} must be a number format such as "#,##0.00"': 'Недопустимый числовой формат; пример: «#,##0.00»',
  '{0} must have one of clear, format, put, copy, fill': '{0}: неизвестное действие',
  '{0} leaves out more than {1} cells: send fewer columns': '{0}: пропущено больше {1} ячеек',
  '{0} needs at least one cell': '{0}: нужна хотя бы одна ячейка',
  '{0} must match pattern {1}': '{0}: недопустимое значение',
  '{0} must match format {1}': '{0}: недопустимое значение',
  '{0} must be {1}': '{0}: недопустимое значение, нужно {1}',
  'unknown field': 'неизвестное поле',
  'unknown field; did you mean {0}?': 'неизвестное поле; возможно, имелось в виду {0}',

  // Cells, sheets and formulas.
  'A text may have {0} characters at most': 'В тексте может быть не больше {0} знаков',
  'A formula may have {0} characters at most': 'В формуле может быть не больше {0} знаков',
  'A formula may be nested {0} levels deep at most, and that of {1} is deeper':
    'Вложенность формулы не может превышать {0}, а в {1} она больше',
  'A document may have {0} sheets at most: delete some first': 'В документе может быть не больше {0} листов',
  'A document may have {0} {1} at most: delete some first': 'В документе может быть не больше {0} ({1})',
  'Filled cells would leave the grid': 'Заполненные ячейки вышли бы за край листа',
  'The sheet has no filter over this column: set one first': 'Над этим столбцом нет фильтра',
  'The sheet name must not be empty': 'Имя листа не должно быть пустым',
  'The sheet name must have at most {0} characters': 'В имени листа может быть не больше {0} знаков',
  'The sheet name must not contain control characters': 'В имени листа не должно быть управляющих знаков',
  'name must not be empty': 'Имя не должно быть пустым',
  'name must not hold control characters': 'В имени не должно быть управляющих знаков',
  'name holds half of a surrogate pair': 'В имени есть повреждённый знак',
  'a name must not be empty': 'Имя не должно быть пустым',
  'a name must not have more than {0} characters': 'В имени может быть не больше {0} знаков',
  'a name begins with a letter or `_`, and has letters, digits, `_` and `.` alone':
    'Имя начинается с буквы или «_» и состоит из букв, цифр, «_» и «.»',
  'a name must not read as a cell': 'Имя не должно выглядеть как адрес ячейки',
  'it overlaps another table': 'Диапазон пересекается с другой таблицей',
  'columns must lie in the range': 'Столбцы должны лежать в диапазоне',
  'values must fit into to': 'Значения не помещаются в диапазон',
  'to must be on the same sheet as from': 'Оба диапазона должны быть на одном листе',
  'Choose what to protect: hidden values, editing or both': 'Выберите, что защитить: значения, правку или то и другое',
  '{0} sorts what the filter shows now: it must be the only operation':
    'Сортировка отфильтрованных строк не сочетается с другими действиями',
  'Unknown function {0}': 'Неизвестная функция {0}',
  'Unknown name {0}': 'Неизвестное имя {0}',
  'The formula is nested too deeply: more than {0} levels': 'Вложенность формулы больше {0}',
  'The ranges have no cell in common': 'У диапазонов нет общих ячеек',
  'Division by zero': 'Деление на ноль',
  'A value has the wrong type for the formula': 'Значение не подходит формуле по типу',
  "{0}: its cells do not exist, they hold hidden values that the formula's writer may not see or that text (INDIRECT) may not open, or the formula depends on its own result":
    'Недопустимая ссылка: таких ячеек нет, их значения скрыты от автора формулы или формула зависит от своего результата',
  'A reference is not valid: there is no sheet {0}': 'Недопустимая ссылка: листа {0} нет',
  'A reference is not valid: other workbooks are not read ({0})': 'Недопустимая ссылка: другие книги не читаются ({0})',
  'A name in the formula is not known': 'Имя в формуле неизвестно',
  'A number is not valid for the formula, or too large': 'Число недопустимо в формуле или слишком велико',
  'The value looked for is not available': 'Искомое значение не найдено',
  'The result needs cells that are not empty, or reaches beyond the sheet':
    'Результату нужны занятые ячейки или он выходит за край листа',
  'The result cannot be shown in a cell': 'Результат нельзя показать в ячейке',
  'The formula cannot be read': 'Формулу не удалось прочитать',

  // Documents, sharing and files.
  'There is no document {0}': 'Документа {0} нет',
  'There is no deleted document {0} that can be restored': 'Удалённого документа {0}, который можно вернуть, нет',
  'There is no sheet {0}': 'Листа {0} нет',
  'The document has no such revision': 'Такой версии у документа нет',
  'name must have 1 to {0} characters': 'В имени должно быть от 1 до {0} знаков',
  'A document may have {0} named revisions at most': 'У документа может быть не больше {0} именованных версий',
  'A title must have 1 to {0} characters': 'В названии должно быть от 1 до {0} знаков',
  'A title must not contain control characters or half of a surrogate pair':
    'В названии не должно быть управляющих и повреждённых знаков',
  'Documents go to a member of the workspace': 'Передать документ можно только участнику рабочего пространства',
  'The new owner must be another user who is not disabled':
    'Новым владельцем может быть другой, не отключённый пользователь',
  'The new owner must be another user of the workspace who is not disabled':
    'Новым владельцем может быть другой, не отключённый участник рабочего пространства',
  '{0} owns the document and has every right': '{0} владеет документом и имеет все права',
  'There is no such user': 'Такого пользователя нет',
  'There is no user {0}': 'Пользователя {0} нет',
  'The body must be a .csv or .xlsx file': 'Нужен файл .csv или .xlsx',
  'The file has no values': 'В файле нет значений',
  'The file has no sheet with cells': 'В файле нет листа с ячейками',
  'The file needs more memory than is available. Split it into several files.':
    'Файлу не хватает памяти. Разделите его на несколько.',
  'The file is empty.': 'Файл пуст.',
  'The file is encrypted. Save it without a password.': 'Файл зашифрован. Сохраните его без пароля.',
  'The file is in the old binary format (.xls). Save it as “Excel Workbook (.xlsx)” first.':
    'Файл в старом двоичном формате (.xls). Сначала сохраните его как «Книга Excel (.xlsx)».',
  'The file is not a text file but a workbook (.xlsx) or another archive. Rename it to .xlsx, or send it with the content type of .xlsx.':
    'Это не текст, а книга (.xlsx) или другой архив. Переименуйте файл в .xlsx.',
  'The file is compressed (gzip). Unpack it first.': 'Файл сжат (gzip). Сначала распакуйте его.',
  'The file is a PDF document, which contains no cells. Export the table as .xlsx or .csv from the program that made it.':
    'Это документ PDF, в нём нет ячеек. Сохраните таблицу как .xlsx или .csv в программе, которая его создала.',
  'The file is a Parquet file. Convert it to .csv or .xlsx.': 'Это файл Parquet. Преобразуйте его в .csv или .xlsx.',
  'The file is an SQLite database. Export its tables as .csv.':
    'Это база данных SQLite. Сохраните её таблицы как .csv.',
  'The file is an image. Only .xlsx and .csv files can be imported.':
    'Это изображение. Импортировать можно только файлы .xlsx и .csv.',
  'The file is a text document (RTF), not an .xlsx workbook or CSV. {0}':
    'Это текстовый документ (RTF). Откройте файл в программе для таблиц и сохраните как «Книга Excel (.xlsx)».',
  'The file is a flat OpenDocument file (.fods), not an .xlsx workbook or CSV. {0}':
    'Файл в формате OpenDocument (.fods). Откройте файл в программе для таблиц и сохраните как «Книга Excel (.xlsx)».',
  'The file is an XML spreadsheet of Excel 2003, not an .xlsx workbook or CSV. {0}':
    'Это таблица XML из Excel 2003. Откройте файл в программе для таблиц и сохраните как «Книга Excel (.xlsx)».',
  'The file is an XML file, not an .xlsx workbook or CSV. {0}':
    'Это файл XML. Откройте файл в программе для таблиц и сохраните как «Книга Excel (.xlsx)».',
  'The file is a web page (HTML), not an .xlsx workbook or CSV. {0}':
    'Это веб-страница (HTML). Откройте файл в программе для таблиц и сохраните как «Книга Excel (.xlsx)».',
  'The file is in the format SYLK (.slk), not an .xlsx workbook or CSV. {0}':
    'Файл в формате SYLK (.slk). Откройте файл в программе для таблиц и сохраните как «Книга Excel (.xlsx)».',
  'The file is in the format DIF (.dif), not an .xlsx workbook or CSV. {0}':
    'Файл в формате DIF (.dif). Откройте файл в программе для таблиц и сохраните как «Книга Excel (.xlsx)».',
  'The file contains JSON. Write its records with records/append, or convert it to .csv.':
    'В файле JSON. Запишите его записи через API (records/append) или преобразуйте в .csv.',
  'The file is not an .xlsx workbook but a text file, such as CSV. Rename it to .csv, or send it as text/csv.':
    'Это не книга .xlsx, а текст, например CSV. Переименуйте файл в .csv.',
  'The file is not a text file. Export it as CSV in UTF-8.': 'Это не текстовый файл. Сохраните его как CSV в UTF-8.',
  'The workbook has no sheet with cells.': 'В книге нет листа с ячейками.',
  'The workbook is protected by a password. Open it in a spreadsheet program and save it without one.':
    'Книга защищена паролем. Откройте её в программе для таблиц и сохраните без пароля.',
  'The file is damaged{0}': 'Файл повреждён{0}',
  'The file has {0}': 'Файл слишком велик: {0}',
  'The file holds {0}': 'В файле слишком много частей: {0}',
  'The file begins as {0}, but contains invalid bytes. Specify its encoding, or save it again.':
    'Файл начинается как {0}, но содержит недопустимые байты. Укажите кодировку или сохраните его заново.',
  'There is no column {0}. Use the names of the first row, or column letters.':
    'Столбца {0} нет. Назовите столбцы по первой строке или буквами.',
  'The file unpacks to {0} MB or more, which is not what a workbook does. It is not read.':
    'Файл распаковывается в {0} МБ или больше, а книги такими не бывают. Он не прочитан.',
  'Most of the file is in UTF-8, but some bytes are invalid. Save it again as CSV in UTF-8.':
    'Файл почти весь в UTF-8, но часть байтов недопустима. Сохраните его заново как CSV в UTF-8.',
  'The file is not in {0}: it contains invalid bytes. Omit the encoding to have it detected.':
    'Файл не в кодировке {0}: в нём недопустимые байты. Без указания кодировка определится сама.',
  'The file is not in UTF-8, and its encoding is uncertain. Specify it (encoding): {0}.':
    'Файл не в UTF-8, и его кодировка неясна. Укажите её: {0}.',
  'The file is not in UTF-8, and its encoding is unknown. Specify it (encoding), or save the file again as UTF-8.':
    'Файл не в UTF-8, и его кодировка неизвестна. Укажите её или сохраните файл заново в UTF-8.',
  'The workbook is in Excel’s binary format (.xlsb). Save it as “Excel Workbook (.xlsx)” first.':
    'Книга в двоичном формате Excel (.xlsb). Сначала сохраните её как «Книга Excel (.xlsx)».',
  'The file is an OpenDocument one (.ods). Save it as “Excel Workbook (.xlsx)” first.':
    'Файл в формате OpenDocument (.ods). Сначала сохраните его как «Книга Excel (.xlsx)».',
  'The file is a zip archive but no Excel workbook. Save the workbook as “Excel Workbook (.xlsx)” first.':
    'Это архив zip, а не книга Excel. Сначала сохраните книгу как «Книга Excel (.xlsx)».',
  '{0} (Sheet “{1}”.)': '{0} (Лист «{1}».)',
  'There is no column "{0}"': 'Столбца «{0}» нет',
  '{0} is not a known encoding{1}': 'Неизвестная кодировка: {0}',
  'The delimiter is one character such as {0}': 'Разделитель — один знак, например {0}',
  'The decimal mark is . or ,': 'Десятичный знак — точка или запятая',

  // Users, passwords and tokens.
  'There is already a user with the address {0}': 'Пользователь с адресом {0} уже есть',
  '{0} is not an e-mail address': '{0} — не адрес почты',
  '{0} is here already': '{0} уже здесь',
  '{0} has an account already': 'У {0} уже есть учётная запись',
  '{0} invitations are open{1}': 'Открытых приглашений уже {0}. Сначала отзовите одно из них.',
  'This password is one of the most common: choose another one': 'Это один из самых частых паролей: выберите другой',
  'The new password must be another one': 'Новый пароль должен отличаться от прежнего',
  'A password must not be the e-mail address that it is for': 'Пароль не должен совпадать с адресом почты',
  'This is not the present password': 'Это не нынешний пароль',
  'A password must have {0}': 'Длина пароля: {0}',
  'The owner of the workspace cannot be erased': 'Владельца рабочего пространства нельзя стереть',
  'The owner of the workspace cannot be disabled': 'Владельца рабочего пространства нельзя отключить',
  'One’s own password is changed, not reset': 'Свой пароль меняют, а не сбрасывают',
  'The user owns {0}': 'Пользователь владеет документами: {0}',
  'A name must have 1 to {0} characters': 'В имени должно быть от 1 до {0} знаков',
  "A token's name must have 1 to {0} characters": 'В названии ключа должно быть от 1 до {0} знаков',
  "A key's name must have 1 to {0} characters": 'В названии ключа должно быть от 1 до {0} знаков',
  'A token needs at least one scope': 'Ключу нужно хотя бы одно право',
  'A token can be limited to 1 to {0} documents': 'Ключ можно ограничить не более чем {0} документами',
  'There is no scope {0}; scopes are {1}': 'Права {0} нет; есть {1}',
  'The token is revoked': 'Ключ отозван',
  'The token is damaged; revoke it and create another one': 'Ключ повреждён; отзовите его и создайте другой',
  'There is no token {0}': 'Ключа {0} нет',
  'The plan {0} allows {1} tokens{2}': 'По тарифу {0} разрешено ключей: {1}',
  '{0} is not an ISO 8601 date and time': '{0} — не дата и время',
  '{0} is in the past': '{0} уже в прошлом',

  // Webhooks.
  'url must be an http or https address': 'Нужен адрес http или https',
  'url must not lead to a private, loopback or link-local address': 'Адрес не должен вести во внутреннюю сеть',
  'url must not hold control characters': 'В адресе не должно быть управляющих знаков',
  'url must not hold a user name or password': 'В адресе не должно быть имени и пароля',
  'url must not have port 0: nothing can listen on it': 'Порт 0 недопустим',
  'url must not have more than {0} characters': 'В адресе может быть не больше {0} знаков',
  'The subscription is not active': 'Подписка не действует',
  'Only subscriptions of the channel http have a secret': 'Секрет есть только у подписок канала http',
  'Only subscriptions of the channel http have a url': 'Адрес есть только у подписок канала http',
  'secret must be whsec_ and at least 24 bytes in base64': 'Секрет — whsec_ и не меньше 24 байтов в base64',
  '{0} old secrets sign already; overlapSeconds 0 ends them all':
    'Прежних секретов уже {0}; без перекрытия они все закончатся',
  'overlapSeconds must not be more than {0}': 'Прежний секрет может действовать не дольше {0} с',
  'The account or token of the subscription is damaged': 'Учётная запись или ключ подписки повреждены',
  'The subscription’s creator has no access to the document any more':
    'У создателя подписки больше нет доступа к документу',
  'The token that made the subscription has ended': 'Ключ, которым создана подписка, больше не действует',
};

interface MessagePattern {
  readonly pattern: RegExp;
  readonly translation: string;
}

/** Messages with placeholders (`{0}`). The longest are first, because the shortest match almost everything. */
const PATTERNS: readonly MessagePattern[] = Object.entries(RUSSIAN_MESSAGES)
  .filter(([message]) => /\{\d\}/.test(message))
  .toSorted(([a], [b]) => countFixedCharacters(b) - countFixedCharacters(a))
  .map(([message, translation]) => ({ pattern: createPattern(message), translation }));

/** Returns the length of a message without its placeholders. */
function countFixedCharacters(message: string): number {
  return message.replace(/\{\d\}/g, '').length;
}

/** Creates a pattern that matches a message with any text in place of its placeholders. */
function createPattern(message: string): RegExp {
  const parts = message.split(/\{\d\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('(.*)')}$`, 's');
}

/** A message of the service in Russian; null if there is no translation. */
export function translateToRussian(message: string): string | null {
  const known = RUSSIAN_MESSAGES[message];
  if (known !== undefined) return known;
  for (const { pattern, translation } of PATTERNS) {
    const found = pattern.exec(message);
    if (found !== null) return translation.replace(/\{(\d)\}/g, (_all, part: string) => found[Number(part) + 1] ?? '');
  }
  return null;
}
