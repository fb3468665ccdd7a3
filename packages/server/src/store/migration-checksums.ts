/** Pieces have checksums from here on, which earlier versions would take for a part of them: they must not start. */
export function checksumMark(): readonly string[] {
  return ["insert into meta (name, value) values ('piece checksums', 'crc32')"];
}
