import { type GoogleMethod, json } from '../call.ts';

/** The description of the API that some clients load before their first call. */
interface Discovery {
  readonly name: string;
  readonly version: string;
  readonly title: string;
}

const APIS: Readonly<Record<string, Discovery>> = {
  'sheets v4': { name: 'sheets', version: 'v4', title: 'Google Sheets API' },
  'drive v3': { name: 'drive', version: 'v3', title: 'Google Drive API' },
};

/** `$discovery/rest?version=v4` and `discovery/v1/apis/{api}/{version}/rest`; null: another path. */
export function discoveryOf(segments: readonly string[], query: URLSearchParams): GoogleMethod | null {
  const [first, ...rest] = segments;
  const version = query.get('version') ?? 'v4';
  const isShort = first === '$discovery' && rest.join('/') === 'rest';
  const isLong = first === 'discovery' && rest[0] === 'v1' && rest[1] === 'apis' && rest[4] === 'rest';
  const key = isShort ? (version === 'v3' ? 'drive v3' : 'sheets v4') : isLong ? `${rest[2]} ${rest[3]}` : '';
  const api = APIS[key];
  if (api === undefined) return null;
  return {
    requires: { scope: null },
    writes: false,
    run: (call) => json(documentOf(api, call.origin)),
  };
}

function documentOf({ name, version, title }: Discovery, origin: string): object {
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
    schemas: {},
    resources: name === 'drive' ? DRIVE : SHEETS,
  };
}

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
  readonly supportsMediaDownload?: boolean;
}

/** `path` contains its parameters in braces; `query` lists the others. */
function method(
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
  return hasBody ? { ...described, request: { $ref: 'Body', parameterName: 'body' } } : described;
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
      create: method('sheets.spreadsheets.create', 'POST', 'v4/spreadsheets'),
      get: method('sheets.spreadsheets.get', 'GET', ID, ['ranges', 'includeGridData']),
      batchUpdate: method('sheets.spreadsheets.batchUpdate', 'POST', `${ID}:batchUpdate`),
      getByDataFilter: method('sheets.spreadsheets.getByDataFilter', 'POST', `${ID}:getByDataFilter`),
    },
    resources: {
      values: {
        methods: {
          get: method('sheets.spreadsheets.values.get', 'GET', `${ID}/values/{range}`, READ),
          update: method('sheets.spreadsheets.values.update', 'PUT', `${ID}/values/{range}`, WRITE),
          append: method('sheets.spreadsheets.values.append', 'POST', `${ID}/values/{range}:append`, [
            ...WRITE,
            'insertDataOption',
          ]),
          clear: method('sheets.spreadsheets.values.clear', 'POST', `${ID}/values/{range}:clear`),
          batchGet: method('sheets.spreadsheets.values.batchGet', 'GET', `${ID}/values:batchGet`, ['ranges', ...READ]),
          batchUpdate: method('sheets.spreadsheets.values.batchUpdate', 'POST', `${ID}/values:batchUpdate`),
          batchClear: method('sheets.spreadsheets.values.batchClear', 'POST', `${ID}/values:batchClear`),
          batchGetByDataFilter: method(
            'sheets.spreadsheets.values.batchGetByDataFilter',
            'POST',
            `${ID}/values:batchGetByDataFilter`,
          ),
          batchUpdateByDataFilter: method(
            'sheets.spreadsheets.values.batchUpdateByDataFilter',
            'POST',
            `${ID}/values:batchUpdateByDataFilter`,
          ),
          batchClearByDataFilter: method(
            'sheets.spreadsheets.values.batchClearByDataFilter',
            'POST',
            `${ID}/values:batchClearByDataFilter`,
          ),
        },
      },
      sheets: {
        methods: { copyTo: method('sheets.spreadsheets.sheets.copyTo', 'POST', `${ID}/sheets/{sheetId}:copyTo`) },
      },
      developerMetadata: {
        methods: {
          get: method('sheets.spreadsheets.developerMetadata.get', 'GET', `${ID}/developerMetadata/{metadataId}`),
          search: method('sheets.spreadsheets.developerMetadata.search', 'POST', `${ID}/developerMetadata:search`),
        },
      },
    },
  },
};

const DRIVES = ['supportsAllDrives', 'includeItemsFromAllDrives'];

const DRIVE = {
  files: {
    methods: {
      list: method('drive.files.list', 'GET', 'files', ['q', 'pageSize', 'pageToken', 'orderBy', ...DRIVES]),
      create: method('drive.files.create', 'POST', 'files', DRIVES),
      get: method('drive.files.get', 'GET', 'files/{fileId}', DRIVES),
      update: method('drive.files.update', 'PATCH', 'files/{fileId}', DRIVES),
      copy: method('drive.files.copy', 'POST', 'files/{fileId}/copy', DRIVES),
      delete: method('drive.files.delete', 'DELETE', 'files/{fileId}', DRIVES),
      export: {
        ...method('drive.files.export', 'GET', 'files/{fileId}/export', ['mimeType']),
        supportsMediaDownload: true,
      },
    },
  },
  permissions: {
    methods: {
      list: method('drive.permissions.list', 'GET', 'files/{fileId}/permissions', DRIVES),
      create: method('drive.permissions.create', 'POST', 'files/{fileId}/permissions', DRIVES),
      get: method('drive.permissions.get', 'GET', 'files/{fileId}/permissions/{permissionId}', DRIVES),
      update: method('drive.permissions.update', 'PATCH', 'files/{fileId}/permissions/{permissionId}', DRIVES),
      delete: method('drive.permissions.delete', 'DELETE', 'files/{fileId}/permissions/{permissionId}', DRIVES),
    },
  },
  comments: { methods: { list: method('drive.comments.list', 'GET', 'files/{fileId}/comments') } },
};
