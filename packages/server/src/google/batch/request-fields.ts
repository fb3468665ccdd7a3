import { compileMask, type Mask } from '../field-mask.ts';
import { type Members, text } from '../json.ts';
import { invalid } from '../problem.ts';

/** The `fields` of a request, which every update needs. */
export function fieldsOf(members: Members, place: string): Mask {
  const fields = text(members, 'fields', place) ?? '';
  if (fields === '') throw invalid("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)");
  return compileMask(fields);
}

/** Throws if a mask names a member that is not known here. */
export function refuseUnknownFields(mask: Mask, known: readonly string[]): void {
  for (const name of mask?.keys() ?? []) {
    if (name !== '*' && !known.includes(name)) throw invalid(`Invalid field: ${name}`);
  }
}
