import { batchUpdate } from '../batch/batch-update-method.ts';
import { copySheet } from '../batch/copy-sheet.ts';
import type { GoogleMethod } from '../call.ts';
import { exportFromDocs, exportSpreadsheet } from '../drive/export.ts';
import * as drive from '../drive/files.ts';
import {
  createPermission,
  deletePermission,
  getPermission,
  listPermissions,
  updatePermission,
} from '../drive/permissions.ts';
import { uploadFile } from '../drive/upload.ts';
import { createSpreadsheet } from '../sheets/create.ts';
import { getByDataFilter, getSpreadsheet } from '../sheets/get.ts';
import { getMetadata, searchMetadata } from '../sheets/metadata-methods.ts';
import { batchClearByDataFilter, batchClearValues, clearValues } from '../values/clear-methods.ts';
import { batchGetByDataFilter, batchGetValues, getValues } from '../values/read-methods.ts';
import { appendValues, batchUpdateByDataFilter, batchUpdateValues, updateValues } from '../values/write-methods.ts';
import type { GooglePath } from './path.ts';
import { findQueryParameters } from './query.ts';

/** A method with the parameters of its path. */
export interface RoutedMethod {
  readonly method: GoogleMethod;
  /** The id or alias of the document; null: the method has none. */
  readonly document: string | null;
  readonly parameters: Readonly<Record<string, string>>;
  readonly family: 'sheets' | 'drive';
  /** Names of the query parameters; null: unknown ones are ignored, as Google does. */
  readonly query: ReadonlySet<string> | null;
}

/**
 * Methods of programs that write or read one place again and again. Their requests are short, and they need neither a
 * file nor the end of the connection.
 */
const SMALL_METHODS: ReadonlySet<GoogleMethod> = new Set([
  getValues,
  batchGetValues,
  updateValues,
  appendValues,
  clearValues,
  batchUpdateValues,
  batchClearValues,
  batchUpdate,
]);

/** Whether the fast path may answer requests of a method. */
export function isSmallMethod(method: GoogleMethod): boolean {
  return SMALL_METHODS.has(method);
}

/** Finds the method of a request; null: no such method. */
export function findRoute(httpMethod: string, path: GooglePath): RoutedMethod | null {
  const [first, ...rest] = path.segments;
  if (first === 'v4' && rest[0] === 'spreadsheets') return findSheetsRoute(httpMethod, rest.slice(1), path.verb);
  if (first === 'drive' && rest[0] === 'v3')
    return path.verb === null ? findDriveRoute(httpMethod, rest.slice(1)) : null;
  if (first === 'upload' && rest[0] === 'drive') return findUploadRoute(httpMethod, rest.slice(1));
  if (first === 'spreadsheets' && rest[0] === 'd' && rest[2] === 'export' && httpMethod === 'GET') {
    return { method: exportFromDocs, document: rest[1] ?? null, parameters: {}, family: 'sheets', query: null };
  }
  return null;
}

/** The method of an address of the Sheets API, by HTTP method, path and the verb after the colon; null if unknown. */
function findSheetsRoute(http: string, parts: readonly string[], verb: string | null): RoutedMethod | null {
  const [document = null, section, ...rest] = parts;
  const routedTo = (
    method: GoogleMethod | undefined,
    parameters: RoutedMethod['parameters'] = {},
  ): RoutedMethod | null =>
    method === undefined
      ? null
      : { method, document, parameters, family: 'sheets', query: findQueryParameters(method) };
  const key = `${http} ${verb ?? ''}`;
  if (document === null) return key === 'POST ' ? routedTo(createSpreadsheet) : null;
  if (section === undefined) return routedTo(OF_DOCUMENT[key]);
  if (section === 'values') {
    // A range may contain a slash, because sheet names can.
    const range = rest.join('/');
    return range === '' ? routedTo(OF_VALUES[key]) : routedTo(OF_RANGE[key], { range });
  }
  const [id = '', ...more] = rest;
  if (section === 'sheets' && key === 'POST copyTo' && more.length === 0) return routedTo(copySheet, { sheetId: id });
  if (section !== 'developerMetadata' || more.length > 0) return null;
  if (key === 'POST search' && id === '') return routedTo(searchMetadata);
  return key === 'GET ' && id !== '' ? routedTo(getMetadata, { metadataId: id }) : null;
}

type SheetsMethods = Readonly<Record<string, GoogleMethod>>;

const OF_DOCUMENT: SheetsMethods = {
  'GET ': getSpreadsheet,
  'POST batchUpdate': batchUpdate,
  'POST getByDataFilter': getByDataFilter,
};

const OF_RANGE: SheetsMethods = {
  'GET ': getValues,
  'PUT ': updateValues,
  'POST append': appendValues,
  'POST clear': clearValues,
};

const OF_VALUES: SheetsMethods = {
  'GET batchGet': batchGetValues,
  'POST batchUpdate': batchUpdateValues,
  'POST batchClear': batchClearValues,
  'POST batchGetByDataFilter': batchGetByDataFilter,
  'POST batchUpdateByDataFilter': batchUpdateByDataFilter,
  'POST batchClearByDataFilter': batchClearByDataFilter,
};

function findDriveRoute(http: string, parts: readonly string[]): RoutedMethod | null {
  const [collection, id, section, inner] = parts;
  const routedTo = (
    method: GoogleMethod | undefined,
    parameters: RoutedMethod['parameters'] = {},
  ): RoutedMethod | null =>
    method === undefined ? null : { method, document: id ?? null, parameters, family: 'drive', query: null };
  if (collection === 'about' && id === undefined) return http === 'GET' ? routedTo(drive.getAbout) : null;
  if (collection !== 'files' || parts.length > 4) return null;
  if (id === undefined) return routedTo(OF_FILES[http]);
  if (section === undefined) return routedTo(OF_FILE[http]);
  if (inner !== undefined)
    return section === 'permissions' ? routedTo(OF_PERMISSION[http], { permissionId: inner }) : null;
  return routedTo(OF_SECTIONS[`${http} ${section}`]);
}

const OF_FILES: SheetsMethods = { GET: drive.listFiles, POST: drive.createFile };
const OF_FILE: SheetsMethods = { GET: drive.getFile, PATCH: drive.updateFile, DELETE: drive.deleteFile };
const OF_SECTIONS: SheetsMethods = {
  'POST copy': drive.copyFile,
  'GET export': exportSpreadsheet,
  'GET comments': drive.listComments,
  'GET permissions': listPermissions,
  'POST permissions': createPermission,
};
const OF_PERMISSION: SheetsMethods = { GET: getPermission, PATCH: updatePermission, DELETE: deletePermission };

/** The method of an address below `/upload/drive`; null if unknown. */
function findUploadRoute(http: string, [version, collection, id, ...more]: readonly string[]): RoutedMethod | null {
  if (collection !== 'files' || more.length > 0 || (version !== 'v2' && version !== 'v3')) return null;
  const isUpdate = id !== undefined && (http === 'PUT' || http === 'PATCH');
  if (!isUpdate && !(id === undefined && http === 'POST')) return null;
  return { method: uploadFile, document: id ?? null, parameters: { version }, family: 'drive', query: null };
}
