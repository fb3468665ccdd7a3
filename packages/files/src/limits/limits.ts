/** Bounds on what one file may hold, so that a hostile or broken one cannot take the machine with it. */
export interface FileLimits {
  /** Bytes of the file itself. */
  readonly fileBytes: number;
  /** Entries of a zip archive. */
  readonly entries: number;
  /** Bytes of all parts that are read, unpacked. */
  readonly unpackedBytes: number;
  readonly sheets: number;
  /** Cells of all sheets, those that have only a number format included. */
  readonly cells: number;
  /** Blocks of 256 rows of a column in which there are cells: each takes a document a kibibyte, however few they are. */
  readonly blocks: number;
  /** Characters (UTF-16 units) of one text. */
  readonly textLength: number;
  /** Characters of all texts and formulas together, equal shared ones counted once. */
  readonly textCharacters: number;
}

export const DEFAULT_FILE_LIMITS: FileLimits = {
  fileBytes: 512 * 1024 * 1024,
  entries: 20_000,
  unpackedBytes: 2 * 1024 * 1024 * 1024,
  sheets: 1_000,
  cells: 20_000_000,
  blocks: 262_144,
  textLength: 50_000,
  textCharacters: 256 * 1024 * 1024,
};

/** Entries unpacking to more than this are suspicious when they also expand as far as only a bomb does. In bytes. */
export const BOMB_BYTES = 64 * 1024 * 1024;
/** Unpacked size over packed size; sheets of a million equal rows stay near 100, deflate's own maximum is 1,032. */
export const BOMB_EXPANSION = 500;
/** Bytes of a chunk between reader, parser and writer. */
export const CHUNK_BYTES = 64 * 1024;
/** The same of a `.csv` file that is read. */
export const CSV_CHUNK_BYTES = 256 * 1024;
/** Characters (UTF-16 units) of a text that `.xlsx` can hold. */
export const XLSX_TEXT_LENGTH = 32_767;
/** Cells that the report of an export names one by one. */
export const MAX_NAMED_CELLS = 1_000;
/** Different texts in the shared part of a file that is written, and their characters together: others stand in their cells. */
export const MAX_SHARED_TEXTS = 65_536;
export const MAX_SHARED_CHARACTERS = 8 * 1024 * 1024;
/** Characters (UTF-16 units) of a sheet name that `.xlsx` can hold. */
export const XLSX_SHEET_NAME_LENGTH = 31;
/** Elements of one XML part that are open at once; workbooks come to some twenty. */
export const MAX_XML_DEPTH = 256;
/** Namespaces that one XML part declares for an element; workbooks come to some twenty. */
export const MAX_NAMESPACES = 256;
/** Different element names of one XML part that are looked up only once. */
export const MAX_XML_NAMES = 1_024;
/** Characters of one font, fill, border, alignment or protection; those that programs write have some hundred. */
export const MAX_STYLE_LENGTH = 8_192;
/** Characters of all styles of a workbook together. */
export const MAX_STYLE_CHARACTERS = 16 * 1024 * 1024;
/** Characters of a theme that is carried; those that programs write have some ten thousand. */
export const MAX_THEME_LENGTH = 1024 * 1024;
/** Characters of the name of the program that a file comes from. */
export const MAX_APPLICATION_LENGTH = 256;
/** Stretches of rows or of columns of a sheet that differ in size, group or style; those beyond are left out. */
export const MAX_BANDS = 65_536;
/** Merged ranges of a sheet; those beyond are left out. Each goes along whenever rows or columns move. */
export const MAX_MERGES = 65_536;
/** Characters of an element of a sheet that is carried whole, such as its page set-up. */
export const MAX_CARRIED_LENGTH = 65_536;
/** The same of one that leads to parts: forms have hundreds of controls, each some hundred characters. */
export const MAX_LINKED_LENGTH = 1024 * 1024;
/** Things of one sheet that belong to cells: rules, notes, links and the like; those beyond are left out. */
export const MAX_ATTACHMENTS = 65_536;
/** Characters of one of them. */
export const MAX_ATTACHMENT_LENGTH = 65_536;
/** Characters of all of a workbook; those beyond are left out. */
export const MAX_ATTACHMENT_CHARACTERS = 16 * 1024 * 1024;
/** As many of these characters as an area takes, and each character of a formula for each area: they are moved one by one. */
export const ATTACHMENT_AREA_CHARACTERS = 128;
export const ATTACHMENT_FORMULA_CHARACTERS = 8;
/** Areas of one of them. */
export const MAX_ATTACHMENT_AREAS = 8_192;
/** Parts of a package that are carried as they are, such as pictures; packed bytes of all, unpacked bytes of one. */
export const MAX_CARRIED_PARTS = 10_000;
export const MAX_CARRIED_BYTES = 64 * 1024 * 1024;
export const MAX_CARRIED_PART_BYTES = 128 * 1024 * 1024;
/** Characters of a part whose references to cells are followed; those of longer ones stay as they are. */
export const MAX_FOLLOWED_LENGTH = 4 * 1024 * 1024;
/** Defined names of a workbook, and characters of all of their formulas; one with more is refused. */
export const MAX_FILE_NAMES = 65_536;
export const MAX_NAME_CHARACTERS = 16 * 1024 * 1024;
