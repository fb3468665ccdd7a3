import { compileMask, type FieldMask } from '../field-mask.ts';
import { isRequestObject, type RequestObject, readList, readText } from '../json.ts';
import { createInvalidProblem } from '../problem.ts';

/** The `fields` of a request, which every update requires. */
export function parseFields(members: RequestObject, path: string): FieldMask {
  const fields = readFields(members, path);
  if (fields === '')
    throw createInvalidProblem("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)");
  return compileMask(fields);
}

/**
 * Reads a request's field mask as text with commas. Google's own samples also write it as an object with a list of
 * paths.
 */
function readFields(members: RequestObject, path: string): string {
  const { fields } = members;
  const paths = isRequestObject(fields) ? (readList(fields, 'paths', `${path}.fields`) ?? []) : null;
  return paths === null ? (readText(members, 'fields', path) ?? '') : paths.map(String).join(',');
}

/** Throws if a mask names an unsupported member. */
export function refuseUnknownFields(mask: FieldMask, supported: readonly string[]): void {
  for (const name of mask?.keys() ?? []) {
    if (name !== '*' && !supported.includes(name)) throw createInvalidProblem(`Invalid field: ${name}`);
  }
}
