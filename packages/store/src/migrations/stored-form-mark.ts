/**
 * Does not change the schema. A version does not start if it does not know all executed migrations. The number of this
 * migration therefore stops versions that cannot read a form in which later versions store data.
 */
export function addStoredFormMark(): readonly string[] {
  return ['update access_epoch set version = version'];
}
