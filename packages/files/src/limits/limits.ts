/** Limits of one file, which protect the machine from hostile or broken files. */
export interface FileLimits {
  /** Maximum size of the file, in bytes. */
  readonly fileBytes: number;
  /** Maximum entries of a zip archive. */
  readonly entries: number;
  /** Maximum unpacked size of all parts that are read, in bytes. */
  readonly unpackedBytes: number;
  readonly sheets: number;
  /** Maximum number of cells in all sheets. Cells with only a number format count too. */
  readonly cells: number;
  /**
   * Maximum number of blocks of 256 rows of a column that contain cells. Each takes about one KiB in a document, even
   * with few cells.
   */
  readonly blocks: number;
  /** Maximum length of one text in UTF-16 units. */
  readonly textLength: number;
  /** Maximum length of all texts and formulas together, in UTF-16 units; a shared text counts once. */
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

/** An entry with at least this unpacked size in bytes is refused if its expansion also exceeds `BOMB_EXPANSION`. */
export const BOMB_BYTES = 64 * 1024 * 1024;
/**
 * Maximum ratio of unpacked to packed size. Sheets of a million equal rows have about 100; deflate's maximum is 1,032.
 */
export const BOMB_EXPANSION = 500;
/** Chunk size between reader, parser and writer, in bytes. */
export const CHUNK_BYTES = 64 * 1024;
/** Chunk size for reading and writing `.csv` files, in bytes. */
export const CSV_CHUNK_BYTES = 256 * 1024;
/** Maximum length of a text in `.xlsx`, in UTF-16 units. */
export const XLSX_TEXT_LENGTH = 32_767;
/** Maximum number of cells that an export report lists. */
export const MAX_NAMED_CELLS = 1_000;
/**
 * Maximum number and total length of the shared strings in an exported file; further texts are written into their
 * cells.
 */
export const MAX_SHARED_TEXTS = 65_536;
export const MAX_SHARED_CHARACTERS = 8 * 1024 * 1024;
/** Maximum length of a sheet name in `.xlsx`, in UTF-16 units. */
export const XLSX_SHEET_NAME_LENGTH = 31;
/** Maximum nesting of elements in one XML part; workbooks need about twenty. */
export const MAX_XML_DEPTH = 256;
/** Maximum number of namespaces in one XML part; workbooks need about twenty. */
export const MAX_NAMESPACES = 256;
/** Maximum number of cached element names of one XML part. */
export const MAX_XML_NAMES = 1_024;
/** Maximum length of one font, fill, border, alignment or protection; usual ones have some hundred characters. */
export const MAX_STYLE_LENGTH = 8_192;
/** Maximum length of all styles of a workbook together. */
export const MAX_STYLE_CHARACTERS = 16 * 1024 * 1024;
/** Maximum length of a preserved theme; usual ones have some ten thousand characters. */
export const MAX_THEME_LENGTH = 1024 * 1024;
/** Maximum length of the name of the program that created a file. */
export const MAX_APPLICATION_LENGTH = 256;
/** Maximum number of row or column ranges of a sheet that differ in size, group or style; further ones are left out. */
export const MAX_BANDS = 65_536;
/** Maximum number of merged ranges of a sheet; further ones are left out. Each is updated when rows or columns move. */
export const MAX_MERGES = 65_536;
/** Maximum length of a preserved element of a sheet, such as its page set-up. */
export const MAX_CARRIED_LENGTH = 65_536;
/**
 * Maximum length of an element that references parts: forms have hundreds of controls with some hundred characters
 * each.
 */
export const MAX_LINKED_LENGTH = 1024 * 1024;
/**
 * Maximum number of attachments of cells in one sheet (rules, notes, links and the like); further ones are left out.
 */
export const MAX_ATTACHMENTS = 65_536;
/** Maximum length of one attachment, in characters. */
export const MAX_ATTACHMENT_LENGTH = 65_536;
/** Maximum length of all attachments of a workbook, in characters; further ones are left out. */
export const MAX_ATTACHMENT_CHARACTERS = 16 * 1024 * 1024;
/** Number of characters of attachments that an area counts as, because areas are moved one by one. */
export const ATTACHMENT_AREA_CHARACTERS = 128;
/** Number of characters of attachments that each character of a formula counts as, in each area. */
export const ATTACHMENT_FORMULA_CHARACTERS = 8;
/** Maximum number of areas of one attachment. */
export const MAX_ATTACHMENT_AREAS = 8_192;
/**
 * Limits for the preserved parts of a package, such as pictures: their number, the packed bytes of all, and the
 * unpacked bytes of one.
 */
export const MAX_CARRIED_PARTS = 10_000;
export const MAX_CARRIED_BYTES = 64 * 1024 * 1024;
export const MAX_CARRIED_PART_BYTES = 128 * 1024 * 1024;
/** Maximum length of a part whose cell references are updated; references in longer parts stay unchanged. */
export const MAX_FOLLOWED_LENGTH = 4 * 1024 * 1024;
/** Maximum number of defined names of a workbook, and length of all their formulas; a workbook with more is refused. */
export const MAX_FILE_NAMES = 65_536;
export const MAX_NAME_CHARACTERS = 16 * 1024 * 1024;
