/** The parts of an OpenAPI 3.1 description that the reference shows. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
