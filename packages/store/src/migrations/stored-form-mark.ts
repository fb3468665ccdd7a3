/**
 * Does not change the schema. The migration's number keeps versions from starting that do not know a form in which later
 * versions store data.
 */
export function storedFormMark(): readonly string[] {
  return ['update access_epoch set version = version'];
}
