import { auth, sheets } from '@googleapis/sheets';

const scopes = ['https://www.googleapis.com/auth/spreadsheets'];
// Without an endpoint, the client connects to Google's addresses.
const { KEY_FILE: keyFile, GOOGLE_ENDPOINT: endpoint } = process.env;
const GOOGLE = /^https:\/\/(?:sheets|www|oauth2)\.googleapis\.com/;
const fetchImplementation = (url, init) => fetch(String(url).replace(GOOGLE, endpoint), init);
const clientOptions = endpoint === undefined ? {} : { transporterOptions: { fetchImplementation } };
const client = sheets({ version: 'v4', auth: new auth.GoogleAuth({ keyFile, scopes, clientOptions }) });
const created = await client.spreadsheets.create({ requestBody: { properties: { title: 'From Node' } } });
const { spreadsheetId } = created.data;
const { values } = client.spreadsheets;
const requestBody = {
  values: [
    ['Name', 'N', '=1 + 2'],
    ['a', '0042', '2,000,000.01'],
  ],
};
const update = { spreadsheetId, range: 'Sheet1!A1', valueInputOption: 'USER_ENTERED', requestBody };
const updated = await values.update(update);
const formulas = await values.get({ spreadsheetId, range: 'Sheet1', valueRenderOption: 'FORMULA' });
const formatted = await values.get({ spreadsheetId, range: 'Sheet1!A:C' });
const missing = await values.get({ spreadsheetId, range: 'Nope!A1' }).catch((error) => [error.status, error.message]);
await client.spreadsheets.batchUpdate({
  spreadsheetId,
  requestBody: { requests: [{ addSheet: { properties: { title: 'More' } } }] },
});
const book = await client.spreadsheets.get({ spreadsheetId, fields: 'sheets.properties.title' });
process.stdout.write(
  JSON.stringify({
    title: created.data.properties.title,
    updated: updated.data.updatedRange,
    formulas: formulas.data.values,
    shown: formatted.data.values,
    missing,
    sheets: book.data.sheets.map(({ properties }) => properties.title),
  }),
);
