import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { LocaleId } from '@cellwire/engine';
import { type CsvImport, isRefusal, type ReadCsvOptions, readCsv } from '../src/index.ts';
import { createTestFolder, readCells } from './workbook-files.ts';

const folder = await createTestFolder();
const PATH = join(folder, 'in.csv');

async function importCsv(content: string | Buffer, options: Partial<ReadCsvOptions> = {}) {
  await writeFile(PATH, content);
  return readCsv(PATH, { locale: 'en-US', ...options });
}

async function importCsvOrFail(content: string | Buffer, options: Partial<ReadCsvOptions> = {}): Promise<CsvImport> {
  const outcome = await importCsv(content, options);
  if (isRefusal(outcome)) throw new Error(outcome.message);
  return outcome;
}

function listValues(file: CsvImport): unknown[] {
  return readCells(file.data).map(({ value }) => value);
}

const DELIMITERS: readonly [content: string, delimiter: string | null, why: string][] = [
  ['a,"b;c;d;e",f\n1,"2;3;4;5",6\n', ',', 'marks in quotation marks do not count'],
  ['1,2,3,"a;b",x\n', ',', 'the product’s own export'],
  ['1,2,3,a;b,x\n', ',', 'of two that divide a line alike, the more frequent one'],
  ['1,5;2,5\n3,5;4,5\n', ';', 'commas that are decimal marks do not count'],
  ['# made by x, y, z\n# on a, b\nname;count\nx;1\n', ';', 'comment lines do not count'],
  ['a\tb, c\nd\te, f\n', '\t', 'a tab beside as many commas'],
  ['"a,b";c\n"d,e";f\n', ';', 'a candidate that breaks quotation marks is none'],
  [`${'a;b\n'.repeat(20)}title\n`, ';', 'nine lines of ten agree'],
  ['a;b\nc\nd;e;f\n', null, 'lines that no mark divides alike are one column'],
  ['one\ntwo\n', null, 'a text of single words'],
];

for (const [content, delimiter, why] of DELIMITERS) {
  test(`detects the delimiter: ${why}`, async () => {
    const { csv } = await importCsvOrFail(content);
    assert.equal(csv.delimiter, delimiter === '\t' ? 'tab' : delimiter);
  });
}

const PADDED: readonly [content: string, expected: readonly unknown[], why: string][] = [
  ['0, "a, b"\n1, "c"\n', [0, 'a, b', 1, 'c'], 'a blank before each quoted field'],
  ['id, "name", note\n0, "a, ""b""", x y\n', ['id', 'name', 'note', 0, 'a, "b"', 'x y'], 'doubled marks inside'],
  ['"a, b", "c"\n"d", "e, f"\n', ['a, b', 'c', 'd', 'e, f'], 'the first field of a line follows no delimiter'],
  ['0;   "a; b"\n1;"c"\n', ['0;   "a; b"', '1;"c"'], 'some fields without a blank'],
  ['0;\t"a; b"\n1; "c"\n', [0, 'a; b', 1, 'c'], 'semicolons, and a tab as the blank'],
  ['0\t "a\tb"\n1\t "c"\n', [0, 'a\tb', 1, 'c'], 'tabs as the delimiter'],
  ['0|"a|b" |1\n2|"c"  |3\n', [0, 'a|b', 1, 2, 'c', 3], 'blanks after the closing mark'],
  ['0, "a\nb"\n1, "c"\n', [0, 'a\nb', 1, 'c'], 'a line break inside'],
  ['1, "x" or "y"\n2, "z"\n', [1, ' "x" or "y"', 2, ' "z"'], 'text after the closing mark'],
  ['5" pipe,1\n6" pipe,2\n', ['5" pipe', 1, '6" pipe', 2], 'marks inside texts'],
  [' x, y\n z, w\n', [' x', ' y', ' z', ' w'], 'blanks without marks'],
];

for (const [content, expected, why] of PADDED) {
  test(`reads quoted fields with blanks around them: ${why}`, async () => {
    assert.deepEqual(listValues(await importCsvOrFail(content)), expected);
  });
}

test('reads padded quoted fields also with a specified delimiter, and after a line that specifies it', async () => {
  assert.deepEqual(listValues(await importCsvOrFail('0; "a; b"\n', { delimiter: ';' })), [0, 'a; b']);
  assert.deepEqual(listValues(await importCsvOrFail('sep=;\n0; "a; b"\n')), [0, 'a; b']);
});

const ESCAPED: readonly [content: string, expected: readonly unknown[], why: string][] = [
  ['"\\"A","x"\n"A\\"","y"\n', ['"A', 'x', 'A"', 'y'], 'marks at both ends of a text'],
  ['a,b\n"say \\"hi, you\\"",1\n', ['a', 'b', 'say "hi, you"', 1], 'a delimiter between them'],
  ['"C:\\\\dir\\\\","\\"x\\""\n', ['C:\\dir\\', '"x"'], 'escaped backslashes'],
  ['1, "a \\"b\\", c"\n', [1, 'a "b", c'], 'blanks before the marks of fields'],
  ['"a\\nb",c\\"d\n', ['a\\nb', 'c\\"d'], 'a bare field keeps its backslash'],
  ['"C:\\","x"\n"a""b","y\\"\n', ['C:\\', 'x', 'a"b', 'y\\'], 'a text that ends with a backslash'],
];

for (const [content, expected, why] of ESCAPED) {
  test(`reads backslashes before quotation marks: ${why}`, async () => {
    assert.deepEqual(listValues(await importCsvOrFail(content)), expected);
  });
}

/** Encodes a text by inverting the platform's decoder, because the platform has no encoders. */
function encodeText(text: string, label: string): Buffer {
  const decoder = new TextDecoder(label, { fatal: true });
  const table = new Map<string, number[]>();
  for (let a = 0; a < 256; a++) {
    for (let b = -1; b < 256; b++) {
      const bytes = b < 0 ? [a] : [a, b];
      try {
        const character = decoder.decode(Uint8Array.from(bytes));
        if ([...character].length === 1 && !table.has(character)) table.set(character, bytes);
      } catch {
        // These bytes are not a character in the encoding.
      }
    }
  }
  return Buffer.from([...text].flatMap((character) => table.get(character) ?? [0x3f]));
}

const TEXTS: readonly [label: string, text: string][] = [
  ['gb18030', '订单号,客户,城市,金额\n1001,张三,北京,120\n1002,李四,上海,340\n1003,王小明,广州,55\n'],
  ['big5', '訂單號,客戶,城市,金額\n1001,張三,臺北,120\n1002,李四,高雄,340\n1003,王小明,臺中,55\n'],
  [
    'shift_jis',
    '注文番号,顧客名,都市,金額\n1001,山田太郎,東京,1200\n1002,鈴木花子,大阪,3400\n1003,佐藤ケンジ,名古屋,550\n',
  ],
  [
    'euc-jp',
    '注文番号,顧客名,都市,金額\n1001,山田太郎,東京,1200\n1002,鈴木花子,大阪,3400\n1003,佐藤ケンジ,名古屋,550\n',
  ],
  ['euc-kr', '주문번호,고객,도시,금액\n1001,김철수,서울,1200\n1002,이영희,부산,3400\n1003,박민수,대구,550\n'],
  [
    'windows-1250',
    'Nazwa,Miasto,Uwagi\nŁukasz,Łódź,zażółć gęślą jaźń\nŻaneta,Kraków,świetnie\nStanisław,Gdańsk,później\n',
  ],
  ['iso-8859-2', 'Nazwa,Miasto,Uwagi\nŁukasz,Łódź,zażółć gęślą jaźń\nŻaneta,Kraków,świetnie\n'],
  ['windows-1250', 'Jméno,Město\nJiří Dvořák,Plzeň\nŽaneta Šťastná,České Budějovice\nOndřej Němec,Kroměříž\n'],
  ['windows-1251', 'Имя,Город\nИванов Пётр,Москва\nСидорова Анна,Казань\n'],
  ['koi8-r', 'Имя,Город\nИванов Пётр,Москва\nСидорова Анна,Казань\n'],
  ['windows-1252', 'Name,Stadt\nMüller,München\nGroß,Köln\nJörg Weiß,Düsseldorf\n'],
  ['windows-1252', 'prénom,ville\nZoë,Besançon\n'],
  ['windows-1252', 'nombre\nMuñoz\n'],
  ['windows-1252', 'stelle,note\nA1,± 2 µm\n'],
  ['iso-8859-15', 'article,prix\ncœur,à 12 €\n'],
  ['macintosh', 'Name,Stadt\nMüller,München\nGroß,Köln\n'],
  ['macintosh', 'prénom,ville\nZoë,Besançon\n'],
  ['macintosh', 'nombre,ciudad\nPeña,Córdoba\n'],
  ['x-mac-cyrillic', 'Имя,Город\nИванов Пётр,Москва\n'],
  ['ibm866', 'Имя,Город\nИванов Пётр,Москва\n'],
  ['iso-8859-5', 'Имя,Город\nИванов Пётр,Москва\n'],
  ['windows-1257', 'Vārds,Pilsēta\nJānis Bērziņš,Rīga\nĢirts Ķēniņš,Liepāja\n'],
  ['windows-1254', 'Ad,Şehir\nIşıl Yıldız,İstanbul\nÇağla Şahin,Muğla\n'],
  ['windows-874', 'ชื่อ,เมือง\nสมชาย,กรุงเทพ\n'],
];

for (const [label, text] of TEXTS) {
  test(`a file in ${label} is decoded correctly: ${text.slice(0, 10)}…`, async () => {
    const file = await importCsvOrFail(encodeText(text, label));
    const expected = text
      .split(/[,\n]/)
      .filter((field) => field !== '')
      .map((field) => (/^\d+$/.test(field) ? Number(field) : field));
    assert.deepEqual(listValues(file), expected);
    assert.equal(file.csv.encoding, new TextDecoder(label).encoding);
  });
}

/** Files of Excel in the formats “CSV (MS-DOS)” and “CSV (Macintosh)”. Each character of `content` is one byte. */
const OLDER_FILES: readonly [encoding: string, content: string, expected: readonly unknown[]][] = [
  [
    'ibm850',
    'Name,Stadt\nM\x81ller,M\x81nchen\nGro\xe1,K\x94ln\n',
    ['Name', 'Stadt', 'Müller', 'München', 'Groß', 'Köln'],
  ],
  ['ibm850', 'nombre\nMu\xa4oz\nPe\xa4a\nM\xa0laga\n', ['nombre', 'Muñoz', 'Peña', 'Málaga']],
  [
    'ibm852',
    'Miasto\n\x9d\xa2d\xab\nKrak\xa2w\nGda\xe4sk\n\xbdywiec\n',
    ['Miasto', 'Łódź', 'Kraków', 'Gdańsk', 'Żywiec'],
  ],
  ['x-mac-ce', 'M\x9esto\nPlze\xcb\nKrom\x9e\xde\x92\xec\n', ['Město', 'Plzeň', 'Kroměříž']],
];

for (const [encoding, content, expected] of OLDER_FILES) {
  test(`a file of DOS or an older Mac in ${encoding} is decoded correctly: ${expected.at(-1)}`, async () => {
    const file = await importCsvOrFail(Buffer.from(content, 'latin1'));
    assert.deepEqual(listValues(file), expected);
    assert.equal(file.csv.encoding, encoding);
  });
}

const UNCERTAIN: readonly [content: string, candidates: RegExp][] = [
  ['t\n25\xa1C\n', /macintosh \(°C\)/],
  ['name\nEspa\x96a\n', /macintosh \(España\)/],
  // Kanji with ASCII letters as second bytes.
  ['\x96\xbc\x91O,\x8b\xe0\x8az\n\x8eR\x93c,1\n', /shift_jis \(名前\)/],
];

for (const [content, candidates] of UNCERTAIN) {
  test(`an uncertain encoding is asked for, with the text in each: ${candidates.source}`, async () => {
    const outcome = await importCsv(Buffer.from(content, 'latin1'));
    assert.ok(isRefusal(outcome));
    assert.equal(outcome.about, 'encoding');
    assert.match(outcome.message, candidates);
  });
}

test('a code page of DOS can be specified by its names', async () => {
  for (const encoding of ['ibm850', 'cp850', 'CP850', '850']) {
    const file = await importCsvOrFail(Buffer.from('Espa\xa4a\n', 'latin1'), { encoding });
    assert.deepEqual(listValues(file), ['España']);
    assert.equal(file.csv.encoding, 'ibm850');
  }
});

test('an ambiguous encoding is refused with the candidates', async () => {
  const outcome = await importCsv(encodeText('姓名,城市\n张三,北京\n', 'gb18030'));
  assert.ok(isRefusal(outcome));
  assert.equal(outcome.about, 'encoding');
  assert.match(outcome.message, /gb18030/);
  const result = await importCsvOrFail(encodeText('姓名,城市\n张三,北京\n', 'gb18030'), { encoding: 'gb18030' });
  assert.deepEqual(listValues(result), ['姓名', '城市', '张三', '北京']);
});

test('a file in almost valid UTF-8 is not read in another encoding', async () => {
  const content = Buffer.concat([
    Buffer.from('žluťoučký kůň,úpěl ďábelské ódy\n'.repeat(20)),
    Buffer.from([0xe1, 0x0a]),
  ]);
  const outcome = await importCsv(content);
  assert.ok(isRefusal(outcome));
  assert.match(outcome.message, /Most of the file is in UTF-8/);
});

test('a text with NUL is written and read back', async () => {
  assert.deepEqual(listValues(await importCsvOrFail('a\0b,c\n')), ['a\0b', 'c']);
  // Half of the bytes are zeros, as in UTF-16.
  for (const text of ['a\0', 'a\0b\0', '\0a\0b', '\0']) {
    assert.deepEqual(listValues(await importCsvOrFail(`${text}\r\n`)), [text]);
  }
  assert.deepEqual(listValues(await importCsvOrFail('\0')), ['\0']);
});

test('a lone surrogate in UTF-16 becomes U+FFFD and is reported', async () => {
  const { leftOut, ...file } = await importCsvOrFail(Buffer.from('\ufeffa\ud83d,b\n', 'utf16le'));
  assert.deepEqual(listValues(file as CsvImport), ['a\ufffd', 'b']);
  assert.deepEqual(leftOut, [{ kind: 'halfSurrogates', count: 1 }]);
});

const PHRASES = Array.from({ length: 27 }, (_, i) => `some phrase ${'abc'.repeat(i % 3)}`);

for (const odd of [' ,12', '14 000', '1,250.5', '$5', '12%', '05/06/2019', '8:30', 'true', '5,00 €']) {
  test(`a single field that looks like a value stays text in a column of phrases: ${odd}`, async () => {
    const file = await importCsvOrFail(`note\n${PHRASES.join('\n')}\n${odd}\n`, { delimiter: '|' });
    assert.equal(listValues(file).at(-1), odd);
    assert.equal(file.columns[0]?.type, 'text');
    assert.match(file.columns[0]?.why ?? '', /is no value for certain/);
  });

  test(`a column of values stays a column of values despite a few phrases: ${odd}`, async () => {
    const file = await importCsvOrFail(`note\n${`${odd}\n`.repeat(20)}n/a\n`, { delimiter: '|' });
    assert.notEqual(typeof listValues(file)[1], 'string');
    assert.equal(listValues(file).at(-1), 'n/a');
  });
}

const AMBIGUOUS: readonly [locale: LocaleId, field: string, value: number][] = [
  ['en-US', '1,250', 1250],
  ['de-DE', '1,250', 1.25],
  ['ru-RU', '1,250', 1.25],
  ['de-DE', '1.250', 1250],
  ['en-US', '1.250', 1.25],
  ['ru-RU', '1.250', 1.25],
  ['en-US', '05/06/2019', 43_591],
  ['en-GB', '05/06/2019', 43_621],
];

for (const [locale, field, expected] of AMBIGUOUS) {
  test(`an ambiguous ${field} is read in the locale ${locale}, which the report names`, async () => {
    const file = await importCsvOrFail(`value\n"${field}"\n`, { locale });
    assert.equal(listValues(file)[1], expected);
    assert.match(file.columns[0]?.why ?? '', field.includes('/') ? /as usual in the locale/ : /\(row 2\)/);
  });
}

test('the caller can specify the decimal mark', async () => {
  const file = await importCsvOrFail('a;b\n1,250;2,5\n', { locale: 'en-US', decimal: ',' });
  assert.deepEqual(listValues(file), ['a', 'b', 1.25, 2.5]);
  assert.equal(file.csv.decimal, ',');
});

test('the preview contains the first five rows as stored', async () => {
  const { csv } = await importCsvOrFail(
    'Day;Time;Sum;Ok;Text\n2026-12-31;08:30;1,5;TRUE;x\n2026-12-31 10:00;25:30:00;2,5;FALSE;\n#N/A;;;;"1;2"\n\nlast;;;;\nnot shown;;;;\n',
  );
  assert.deepEqual(csv, {
    delimiter: ';',
    encoding: 'utf-8',
    decimal: ',',
    dateOrder: 'mdy',
    preview: [
      ['Day', 'Time', 'Sum', 'Ok', 'Text'],
      ['2026-12-31', '08:30:00', 1.5, true, 'x'],
      ['2026-12-31 10:00:00', '25:30:00', 2.5, false],
      ['#N/A', null, null, null, '1;2'],
    ],
  });
});

test('times that differ by microseconds are different values, and so are durations', async () => {
  const [, a, b] = listValues(
    await importCsvOrFail('t\n2026-11-20 10:00:00.608325\n2026-11-20 10:00:00.608326\n'),
  ) as number[];
  assert.notEqual(a, b);
  assert.deepEqual(listValues(await importCsvOrFail('t\n-01:30:00\n125:30:00\n')), ['t', -0.0625, 125.5 / 24]);
});
