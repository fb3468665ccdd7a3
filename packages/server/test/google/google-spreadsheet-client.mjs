import { readFileSync } from 'node:fs';
import { JWT } from 'google-auth-library';
import { GoogleSpreadsheet } from 'google-spreadsheet';

const { client_email: email, private_key: key } = JSON.parse(readFileSync(process.env.KEY_FILE, 'utf8'));
const scopes = ['https://www.googleapis.com/auth/spreadsheets', 'https://www.googleapis.com/auth/drive.file'];
const book = await GoogleSpreadsheet.createNewSpreadsheetDocument(new JWT({ email, key, scopes }), { title: 'People' });
const sheet = await book.addSheet({ title: 'List', headerValues: ['name', 'email'] });
await sheet.addRows([
  { name: 'Larry', email: 'larry@example.org' },
  { name: 'Sergey', email: 'sergey@example.org' },
]);
const rows = await sheet.getRows();
await sheet.loadCells('A1:C5');
const cell = sheet.getCell(0, 0);
cell.textFormat = { bold: true };
cell.note = 'hi';
sheet.getCellByA1('C1').formula = '=LEN(A2)';
await sheet.saveUpdatedCells();
await rows[0].delete();
await book.loadInfo();
const output = {
  names: rows.map((row) => row.get('name')),
  length: sheet.getCellByA1('C1').value,
  bold: cell.effectiveFormat.textFormat.bold,
  note: cell.note,
  left: (await sheet.getRows()).length,
};
await book.delete();
process.stdout.write(JSON.stringify(output));
