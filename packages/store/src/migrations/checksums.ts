/**
 * Does not change the schema. From this migration on, pieces end with checksums, which earlier versions would read as
 * data. The migration's number keeps earlier versions from starting.
 */
export function checksumMark(): readonly string[] {
  return ['update access_epoch set version = version'];
}
