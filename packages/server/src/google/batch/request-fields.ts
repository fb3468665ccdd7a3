import { compileMask, type Mask } from '../field-mask.ts';
import { type RequestObject, text } from '../json.ts';
import { invalid } from '../problem.ts';

/** The `fields` of a request, which every update requires. */
export function fieldsOf(members: RequestObject, place: string): Mask {
  const fields = text(members, 'fields', place) ?? '';
  if (fields === '') throw invalid("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)");
  return compileMask(fields);
}

/** Throws if a mask names an unsupported member. */
export function refuseUnknownFields(mask: Mask, supported: readonly string[]): void {
  for (const name of mask?.keys() ?? []) {
    if (name !== '*' && !supported.includes(name)) throw invalid(`Invalid field: ${name}`);
  }
}
