const ASCII = /^[\0-\x7f]*$/;

/**
 * What two spellings of the name of a sheet, defined name, table or column share when they are the same name: neither
 * letter case nor the Unicode form of an accented letter tells names apart.
 */
export function nameKey(name: string): string {
  return ASCII.test(name) ? name.toLowerCase() : name.normalize('NFC').toUpperCase().toLowerCase();
}
