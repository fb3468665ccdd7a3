import { compileMask, type FieldMask } from '../field-mask.ts';
import { type RequestObject, readText } from '../json.ts';
import { invalidProblem } from '../problem.ts';

/** The `fields` of a request, which every update requires. */
export function parseFields(members: RequestObject, path: string): FieldMask {
  const fields = readText(members, 'fields', path) ?? '';
  if (fields === '')
    throw invalidProblem("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)");
  return compileMask(fields);
}

/** Throws if a mask names an unsupported member. */
export function refuseUnknownFields(mask: FieldMask, supported: readonly string[]): void {
  for (const name of mask?.keys() ?? []) {
    if (name !== '*' && !supported.includes(name)) throw invalidProblem(`Invalid field: ${name}`);
  }
}
