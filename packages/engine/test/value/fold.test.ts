import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { areOperandsEqual, compareOperands } from '../../src/functions/order.ts';
import { LOCALE_IDS } from '../../src/locale/index.ts';
import { areTextsEqual, compareCodePoints, foldCase, foldName } from '../../src/value/fold.ts';
import { Book } from '../workbook/book.ts';

const LAST_CODE_POINT = 0x10ffff;

/** Characters that are equal in some comparisons and different in others. */
const unit = fc.constantFrom(
  ...[
    'a',
    'A',
    'b',
    'Z',
    'e',
    'é',
    'e\u0301',
    'ß',
    'ẞ',
    'ss',
    'ſ',
    's',
    'i',
    'I',
    'ı',
    'İ',
    'σ',
    'ς',
    'Σ',
    'µ',
    'μ',
    'м',
  ],
  ...['М', '²', '2', '№', 'No', '①', '1', 'か', 'カ', 'ｶ', ' ', '\u00a0', '\u0001', '\u00ad', '\u200b', '😀', '\uffee'],
  ...[
    'K',
    'k',
    'Å',
    'å',
    'ﬁ',
    'fi',
    'ﬅ',
    'ﬆ',
    'ΐ',
    'ΐ',
    '\u0345',
    'ι',
    'Ω',
    'ω',
    'я',
    'Я',
    'ё',
    'ñ',
    'n',
    'ä',
    '-',
    "'",
  ],
);
const text = fc.array(unit, { maxLength: 4 }).map((units) => units.join(''));

describe('case folding of a text', () => {
  it('is Unicode’s simple case folding, as regular expressions have it, for every character', () => {
    for (let code = 0; code <= LAST_CODE_POINT; code++) {
      const character = String.fromCodePoint(code);
      const folded = foldCase(character);
      if (folded === character) continue;
      assert.equal(folded.length, character.length, code.toString(16));
      assert.ok(new RegExp(`^\\u{${code.toString(16)}}$`, 'iu').test(folded), code.toString(16));
      assert.equal(foldCase(folded), folded, code.toString(16));
    }
  });

  it('is the same for all spellings of a character, and for no others', () => {
    fc.assert(
      fc.property(unit, unit, (a, b) => {
        if ([...a].length !== 1 || [...b].length !== 1) return;
        const agree = a === b || new RegExp(`^\\u{${a.codePointAt(0)?.toString(16)}}$`, 'iu').test(b);
        assert.equal(foldCase(a) === foldCase(b), agree, `${a} ${b}`);
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not depend on neighbouring characters', () => {
    for (const [a, b] of [
      ['ΟΔΟΣ', 'οδος'],
      ['ΟΔΟΣ ΣΑΣ', 'οδοσ σασ'],
      ['İstanbul', 'İSTANBUL'],
      ['STRAẞE', 'straße'],
    ] as const) {
      assert.equal(foldCase(a), foldCase(b), a);
    }
    assert.notEqual(foldCase('straße'), foldCase('strasse'));
    assert.notEqual(foldCase('istanbul'), foldCase('İstanbul'));
  });

  it('of names also composes characters', () => {
    for (const [a, b] of [
      ['Cafe\u0301', 'CAFÉ'],
      ['straße', 'STRAẞE'],
      ['\u1112\u1161\u11ab', '한'],
      ['\u0958', '\u0915\u093c'],
      ['\u212b', 'å'],
    ] as const) {
      assert.equal(foldName(a), foldName(b), a);
    }
    assert.notEqual(foldName('straße'), foldName('strasse'));
    assert.notEqual(foldName('м²'), foldName('м2'));
  });
});

describe('the order of texts', () => {
  for (const locale of LOCALE_IDS) {
    it(`is total in ${locale}, and only equal texts compare as 0`, () => {
      const sign = (a: string, b: string) => Math.sign(compareOperands(a, b, locale));
      fc.assert(
        fc.property(text, text, text, (a, b, c) => {
          assert.equal(sign(a, b) === 0, areTextsEqual(a, b), `${a} ${b}`);
          assert.equal(areOperandsEqual(a, b), areTextsEqual(a, b));
          assert.equal(sign(a, b), 0 - sign(b, a));
          const [x = '', y = '', z = ''] = [a, b, c].sort(sign);
          assert.ok(sign(x, y) <= 0 && sign(y, z) <= 0 && sign(x, z) <= 0, `${x} ${y} ${z}`);
        }),
        { numRuns: 1_000 },
      );
    });
  }

  it('agrees with Intl.Collator for texts without symbols', () => {
    const plain = fc.string({
      unit: fc.constantFrom(...' 09abzABZабвгдежзийклмнопрстуфхцчшщъыьэюяёЁЖ-éß'),
      maxLength: 6,
    });
    for (const locale of LOCALE_IDS) {
      const collator = new Intl.Collator(locale, { sensitivity: 'accent' });
      fc.assert(
        fc.property(plain, plain, (a, b) => {
          const collatorOrder = Math.sign(collator.compare(a, b));
          if (collatorOrder !== 0) assert.equal(Math.sign(compareOperands(a, b, locale)), collatorOrder, `${a}|${b}`);
        }),
        { numRuns: 2_000 },
      );
    }
  });

  it('depends on the document’s language', () => {
    const sortIn = (locale: (typeof LOCALE_IDS)[number], list: readonly string[]) => {
      return [...list].sort((a, b) => compareOperands(a, b, locale)).join(' ');
    };
    assert.equal(sortIn('ru-RU', ['z', 'я', 'ё', 'е', 'ж', 'a']), 'е ё ж я a z');
    assert.equal(sortIn('en-US', ['z', 'я', 'ж', 'a']), 'a z ж я');
    assert.equal(sortIn('es-ES', ['o', 'ñ', 'nz']), 'nz ñ o');
    assert.equal(sortIn('en-US', ['o', 'ñ', 'nz']), 'ñ nz o');
    assert.equal(sortIn('de-DE', ['z', 'ä', 'b', 'A']), 'A ä b z');
  });

  it('by code points puts characters with two UTF-16 units last', () => {
    assert.ok(compareCodePoints('😀', '\uffee') > 0);
    assert.ok(compareCodePoints('a', 'ab') < 0);
    assert.equal(compareCodePoints('x😀', 'x😀'), 0);
  });
});

/** Formulas that compare the texts in A1 and B1 for equality. */
const EQUALITIES = [
  '=A1=B1',
  '=NOT(A1<>B1)',
  '=AND(A1<=B1;A1>=B1)',
  '=SWITCH(A1;B1;TRUE;FALSE)',
  '=IFS(A1=B1;TRUE;TRUE;FALSE)',
  '=SUMPRODUCT((A1:A2=B1)*1)=1',
  '=EQ(A1;B1)',
  '=NOT(NE(A1;B1))',
  '=ISBETWEEN(A1;B1;B1)',
  '=ISNUMBER(MATCH(B1;A1:A2;0))',
  '=ISNUMBER(XMATCH(B1;A1:A2))',
  '=NOT(ISNA(VLOOKUP(B1;A1:A2;1;FALSE)))',
  '=NOT(ISNA(XLOOKUP(B1;A1:A2;A1:A2)))',
  '=ROWS(UNIQUE(A1:B1;TRUE))*COLUMNS(UNIQUE(A1:B1;TRUE))=1',
  '=COUNTUNIQUE(A1:B1)=1',
  '=ISNUMBER(MATCH(B1;D1:D300;0))',
  '=COUNTIF(D1:D300;B1)=300',
  '=SUMIF(D1:D300;B1;E1:E300)=300',
  '=COUNTIFS(D1:D300;B1;D1:D300;B1)=300',
  '=COUNTIF(A1;B1)=1',
  '=SUMIF(A1:A2;"="&B1;C1:C2)=1',
  '=COUNTIFS(A1:A2;B1)=1',
  '=ROWS(GROUPBY(VSTACK(A1;B1);{1;1};SUM;0;0))=1',
];

describe('formulas', () => {
  it('all use the same equality of texts', () => {
    const book = new Book('en-US');
    const write = (row: number, column: number, values: readonly (readonly (string | number)[])[]) => {
      return { kind: 'setValues', sheet: 1, row, column, values, mode: 'raw' } as const;
    };
    book.set('C1', [[1], ['=0']]);
    book.apply([
      write(
        0,
        4,
        Array.from({ length: 300 }, () => [1]),
      ),
    ]);
    book.set(
      'F1',
      EQUALITIES.map((formula) => [formula]),
    );
    // Texts without operators, numbers and wildcards, which criteria interpret.
    const plain = text.filter((part) => part !== '' && !/[0-9²①]/u.test(part));
    fc.assert(
      fc.property(plain, plain, (a, b) => {
        book.apply([
          write(0, 0, [[a, b]]),
          write(
            0,
            3,
            Array.from({ length: 300 }, () => [a]),
          ),
        ]);
        const expected = areTextsEqual(a, b);
        for (const [i, formula] of EQUALITIES.entries()) {
          assert.equal(book.plainValue(`F${i + 1}`), expected, `${formula} of ${JSON.stringify([a, b])}`);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('distinguish texts that look alike, and ignore letter case', () => {
    const book = new Book('en-US');
    for (const [a, b, equal] of [
      ['м²', 'м2', false],
      ['№', 'No', false],
      ['①', '1', false],
      ['か', 'カ', false],
      ['a\u00a0b', 'a b', false],
      ['é', 'e\u0301', false],
      ['ß', 'ss', false],
      ['straße', 'STRAẞE', true],
      ['ПРИВЕТ', 'привет', true],
      ['ΟΔΟΣ', 'οδος', true],
    ] as const) {
      book.apply([{ kind: 'setValues', sheet: 1, row: 0, column: 0, values: [[a, b]], mode: 'raw' }]);
      book.set('C1', '=A1=B1');
      assert.equal(book.plainValue('C1'), equal, `${a} ${b}`);
    }
  });
});
