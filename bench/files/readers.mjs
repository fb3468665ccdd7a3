// node bench/files/readers.mjs READER FILE: reads all cells of a file as JavaScript values and prints how many there
// are.
import { createReadStream, readFileSync } from 'node:fs';

const READERS = {
  async papaparse(file) {
    const { default: papa } = await import('papaparse');
    const { data } = papa.parse(readFileSync(file, 'utf8'), { dynamicTyping: true, skipEmptyLines: true });
    return data;
  },
  async 'csv-parse'(file) {
    const { parse } = await import('csv-parse/sync');
    return parse(readFileSync(file), { cast: true });
  },
  async udsv(file) {
    const { inferSchema, initParser } = await import('udsv');
    const text = readFileSync(file, 'utf8');
    return initParser(inferSchema(text)).typedArrs(text);
  },
  async xlsx(file) {
    const { read, utils } = await import('@e965/xlsx');
    const book = read(readFileSync(file), { dense: true });
    return utils.sheet_to_json(book.Sheets[book.SheetNames[0]], { header: 1 });
  },
  async exceljs(file) {
    const { default: excel } = await import('exceljs');
    const rows = [];
    const options = { sharedStrings: 'cache', worksheets: 'emit', styles: 'cache' };
    for await (const sheet of new excel.stream.xlsx.WorkbookReader(createReadStream(file), options)) {
      for await (const row of sheet) rows.push(row.values.slice(1));
    }
    return rows;
  },
};

const [name, file] = process.argv.slice(2);
const rows = await READERS[name](file);
console.log(JSON.stringify({ cells: rows.reduce((sum, row) => sum + row.length, 0) }));
