/** The description of the API that some clients load before their first call. */
interface ApiDescription {
  readonly name: string;
  readonly version: string;
  readonly title: string;
}

const APIS: Readonly<Record<string, ApiDescription>> = {
  'sheets v4': { name: 'sheets', version: 'v4', title: 'Google Sheets API' },
  'drive v3': { name: 'drive', version: 'v3', title: 'Google Drive API' },
};

/**
 * The description of an API at `$discovery/rest?version=v4` or `discovery/v1/apis/{api}/{version}/rest`; null: another
 * path. As with Google, it needs no credentials: clients read it before they have a token. `origin`: the service's own.
 */
export function findApiDescription(segments: readonly string[], query: URLSearchParams, origin: string): object | null {
  const [first, ...rest] = segments;
  const version = query.get('version') ?? 'v4';
  const isShort = first === '$discovery' && rest.join('/') === 'rest';
  const isLong = first === 'discovery' && rest[0] === 'v1' && rest[1] === 'apis' && rest[4] === 'rest';
  const key = isShort ? (version === 'v3' ? 'drive v3' : 'sheets v4') : isLong ? `${rest[2]} ${rest[3]}` : '';
  const api = APIS[key];
  return api === undefined ? null : describeApi(api, origin);
}

function describeApi({ name, version, title }: ApiDescription, origin: string): object {
  const root = `${origin}/google/`;
  return {
    kind: 'discovery#restDescription',
    discoveryVersion: 'v1',
    id: `${name}:${version}`,
    name,
    version,
    title,
    protocol: 'rest',
    rootUrl: root,
    servicePath: name === 'drive' ? 'drive/v3/' : '',
    baseUrl: name === 'drive' ? `${root}drive/v3/` : root,
    batchPath: 'batch',
    parameters: COMMON,
    schemas: SCHEMAS,
    resources: name === 'drive' ? DRIVE : SHEETS,
  };
}

/** The schema of all bodies. Clients need one to describe the methods, and parse only answers that have one. */
const SCHEMAS = { Body: { id: 'Body', type: 'object', additionalProperties: { type: 'any' } } };

const ANY = { $ref: 'Body' };

const TEXT = { type: 'string', location: 'query' };
const FLAG = { type: 'boolean', location: 'query' };
const COMMON = {
  fields: TEXT,
  key: TEXT,
  access_token: TEXT,
  alt: { ...TEXT, default: 'json', enum: ['json', 'media'] },
  prettyPrint: { ...FLAG, default: 'true' },
  quotaUser: TEXT,
};

interface DescribedMethod {
  readonly id: string;
  readonly path: string;
  readonly httpMethod: string;
  readonly parameters: Readonly<Record<string, object>>;
  readonly parameterOrder: readonly string[];
  readonly request?: object;
  readonly response?: object;
  readonly supportsMediaDownload?: boolean;
}

/** `path` contains its parameters in braces; `query` lists the others. */
function describeMethod(
  id: string,
  httpMethod: string,
  path: string,
  query: readonly string[] = [],
  hasBody = httpMethod !== 'GET' && httpMethod !== 'DELETE',
): DescribedMethod {
  const inPath = [...path.matchAll(/\{\+?(\w+)\}/g)].map(([, name = '']) => name);
  const parameters = Object.fromEntries([
    ...inPath.map((name) => [name, { type: 'string', location: 'path', required: true }]),
    ...query.map((name) => [name, FLAGS.has(name) ? FLAG : LISTS.has(name) ? { ...TEXT, repeated: true } : TEXT]),
  ]) as DescribedMethod['parameters'];
  const described = { id, path, flatPath: path, httpMethod, parameters, parameterOrder: inPath };
  const answered = httpMethod === 'DELETE' ? described : { ...described, response: ANY };
  return hasBody ? { ...answered, request: { ...ANY, parameterName: 'body' } } : answered;
}

const FLAGS: ReadonlySet<string> = new Set([
  'includeGridData',
  'includeValuesInResponse',
  'supportsAllDrives',
  'includeItemsFromAllDrives',
]);
const LISTS: ReadonlySet<string> = new Set(['ranges']);

const READ = ['majorDimension', 'valueRenderOption', 'dateTimeRenderOption'];
const WRITE = [
  'valueInputOption',
  'includeValuesInResponse',
  'responseValueRenderOption',
  'responseDateTimeRenderOption',
];
const ID = 'v4/spreadsheets/{spreadsheetId}';

const SHEETS = {
  spreadsheets: {
    methods: {
      create: describeMethod('sheets.spreadsheets.create', 'POST', 'v4/spreadsheets'),
      get: describeMethod('sheets.spreadsheets.get', 'GET', ID, ['ranges', 'includeGridData']),
      batchUpdate: describeMethod('sheets.spreadsheets.batchUpdate', 'POST', `${ID}:batchUpdate`),
      getByDataFilter: describeMethod('sheets.spreadsheets.getByDataFilter', 'POST', `${ID}:getByDataFilter`),
    },
    resources: {
      values: {
        methods: {
          get: describeMethod('sheets.spreadsheets.values.get', 'GET', `${ID}/values/{range}`, READ),
          update: describeMethod('sheets.spreadsheets.values.update', 'PUT', `${ID}/values/{range}`, WRITE),
          append: describeMethod('sheets.spreadsheets.values.append', 'POST', `${ID}/values/{range}:append`, [
            ...WRITE,
            'insertDataOption',
          ]),
          clear: describeMethod('sheets.spreadsheets.values.clear', 'POST', `${ID}/values/{range}:clear`),
          batchGet: describeMethod('sheets.spreadsheets.values.batchGet', 'GET', `${ID}/values:batchGet`, [
            'ranges',
            ...READ,
          ]),
          batchUpdate: describeMethod('sheets.spreadsheets.values.batchUpdate', 'POST', `${ID}/values:batchUpdate`),
          batchClear: describeMethod('sheets.spreadsheets.values.batchClear', 'POST', `${ID}/values:batchClear`),
          batchGetByDataFilter: describeMethod(
            'sheets.spreadsheets.values.batchGetByDataFilter',
            'POST',
            `${ID}/values:batchGetByDataFilter`,
          ),
          batchUpdateByDataFilter: describeMethod(
            'sheets.spreadsheets.values.batchUpdateByDataFilter',
            'POST',
            `${ID}/values:batchUpdateByDataFilter`,
          ),
          batchClearByDataFilter: describeMethod(
            'sheets.spreadsheets.values.batchClearByDataFilter',
            'POST',
            `${ID}/values:batchClearByDataFilter`,
          ),
        },
      },
      sheets: {
        methods: {
          copyTo: describeMethod('sheets.spreadsheets.sheets.copyTo', 'POST', `${ID}/sheets/{sheetId}:copyTo`),
        },
      },
      developerMetadata: {
        methods: {
          get: describeMethod(
            'sheets.spreadsheets.developerMetadata.get',
            'GET',
            `${ID}/developerMetadata/{metadataId}`,
          ),
          search: describeMethod(
            'sheets.spreadsheets.developerMetadata.search',
            'POST',
            `${ID}/developerMetadata:search`,
          ),
        },
      },
    },
  },
};

const DRIVES = ['supportsAllDrives', 'includeItemsFromAllDrives'];

const DRIVE = {
  files: {
    methods: {
      list: describeMethod('drive.files.list', 'GET', 'files', ['q', 'pageSize', 'pageToken', 'orderBy', ...DRIVES]),
      create: describeMethod('drive.files.create', 'POST', 'files', DRIVES),
      get: describeMethod('drive.files.get', 'GET', 'files/{fileId}', DRIVES),
      update: describeMethod('drive.files.update', 'PATCH', 'files/{fileId}', DRIVES),
      copy: describeMethod('drive.files.copy', 'POST', 'files/{fileId}/copy', DRIVES),
      delete: describeMethod('drive.files.delete', 'DELETE', 'files/{fileId}', DRIVES),
      export: {
        ...describeMethod('drive.files.export', 'GET', 'files/{fileId}/export', ['mimeType']),
        // The answer is a file.
        response: undefined,
        supportsMediaDownload: true,
      },
    },
  },
  permissions: {
    methods: {
      list: describeMethod('drive.permissions.list', 'GET', 'files/{fileId}/permissions', DRIVES),
      create: describeMethod('drive.permissions.create', 'POST', 'files/{fileId}/permissions', DRIVES),
      get: describeMethod('drive.permissions.get', 'GET', 'files/{fileId}/permissions/{permissionId}', DRIVES),
      update: describeMethod('drive.permissions.update', 'PATCH', 'files/{fileId}/permissions/{permissionId}', DRIVES),
      delete: describeMethod('drive.permissions.delete', 'DELETE', 'files/{fileId}/permissions/{permissionId}', DRIVES),
    },
  },
  comments: { methods: { list: describeMethod('drive.comments.list', 'GET', 'files/{fileId}/comments') } },
};
