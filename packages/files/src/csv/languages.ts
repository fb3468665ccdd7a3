/** How a language uses letters outside ASCII. */
export interface Language {
  /** ISO 639 code. */
  readonly code: string;
  readonly script: Script;
  /** Its letters outside ASCII, in lower case, the most frequent first. */
  readonly letters: string;
  /** Single letters that are words in the language. */
  readonly words: string;
  /** Logarithm of how frequently files are in the language, compared with other languages of its script. */
  readonly frequency: number;
}

export type Script = 'latin' | 'cyrillic' | 'greek' | 'hebrew' | 'arabic' | 'thai';

const LATIN: readonly (readonly [code: string, letters: string, words?: string, frequency?: number])[] = [
  ['de', 'üäößéà'],
  ['fr', 'éèàêçôûâîùëïœüæÿ', 'à'],
  ['es', 'óíáñéúü', 'óéá'],
  ['pt', 'ãçáéíóõêúâôà', 'àéó'],
  ['it', 'àèùòìéó', 'èà'],
  ['nl', 'ëéïöèüóáç', '', -0.5],
  ['ca', 'àéèòóíçúïü', 'àéò', -1.5],
  ['sv', 'äöåéü', 'åö'],
  ['nb', 'øåæéöäü', 'åøæ'],
  ['fi', 'äöåéšž'],
  ['is', 'íáðéóöúþæý', 'áí', -1.5],
  ['et', 'äõöüšž', '', -1.5],
  ['pl', 'łąęóżśćńź'],
  ['cs', 'íáéěřýčšžůúóťňď'],
  ['sk', 'áíéýčšžúľťňôďóäŕĺ'],
  ['hu', 'áéöóőüíúű', 'ő'],
  ['ro', 'ăâîşţșț'],
  ['hr', 'čšžćđ', '', -1.5],
  ['sl', 'čšž', '', -2],
  ['sq', 'ëç', '', -4],
  ['tr', 'ıüğşçöiâî'],
  ['lv', 'āīšēņļūžķģč', '', -0.5],
  ['lt', 'ėųįšžąčęū', '', -0.5],
];

const OTHER_SCRIPTS: readonly (readonly [code: string, script: Script, letters: string])[] = [
  ['ru', 'cyrillic', 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё'],
  ['uk', 'cyrillic', 'оаинвіетрскдлпумьязгбчйхцїєжшющфґ'],
  ['be', 'cyrillic', 'анеіорысткдлвямпуьзгбцчйшўжхюёэф'],
  ['bg', 'cyrillic', 'аоеитнрсвлкпдмзъягубчцжхйшщюфь'],
  ['sr', 'cyrillic', 'аоиенсртвјкпмудлгзбцшчжћњхљђџф'],
  ['mk', 'cyrillic', 'аоеитнрсвкдпмлјугзбцчшжќхњфѓѕџљ'],
  ['el', 'greek', 'αοιετσνηυρπκμλςωίόγάέδήθχύφβώξζψϊϋΐΰ'],
  ['he', 'hebrew', 'יוהלארתבמנשםדקעחפטכגסצזןךףץ'],
  ['ar', 'arabic', 'اليمنوتربةدعفسهكقحجشطصىخأضذغزثظئإءآؤ'],
  ['th', 'thai', 'านรอก่เงม้ยลวดทสตะปบคัหีแจิชพใไถุำขูโึญผซณศ็ฟธ์ภษฉฐฆื'],
];

export const LANGUAGES: readonly Language[] = [
  ...LATIN.map(([code, letters, words = '', frequency = 0]): Language => {
    return { code, script: 'latin', letters, words, frequency };
  }),
  ...OTHER_SCRIPTS.map(
    ([code, script, letters]): Language => ({ code, script, letters, words: letters, frequency: 0 }),
  ),
];
