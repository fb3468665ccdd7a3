/** A part of an OpenAPI description, as plain JSON. */
export type Json = { readonly [name: string]: unknown };

interface SchemaNames {
  /** Schemas by title. Nested schemas are already replaced by references. */
  readonly schemas: Record<string, Json>;
}

/**
 * Replaces each schema that has a title by a reference to that name: `{ "$ref": … }`. Throws if two different schemas
 * have the same name.
 */
export function withNamedSchemas(paths: Json): {
  readonly paths: Json;
  readonly schemas: Readonly<Record<string, Json>>;
} {
  const names: SchemaNames = { schemas: {} };
  return { paths: referToSchemas(paths, names) as Json, schemas: names.schemas };
}

function referToSchemas(part: unknown, names: SchemaNames): unknown {
  if (Array.isArray(part)) return part.map((one) => referToSchemas(one, names));
  if (typeof part !== 'object' || part === null) return part;
  const members = Object.entries(part).map(([key, value]) => [key, referToSchemas(value, names)]);
  const { title, ...rest } = Object.fromEntries(members) as Json;
  return typeof title === 'string' && isSchema(rest) ? reference(title, rest, names) : Object.fromEntries(members);
}

/** True for a description of a type, false for a member named `title`. */
function isSchema({ type, anyOf }: Json): boolean {
  return typeof type === 'string' || Array.isArray(type) || Array.isArray(anyOf);
}

/** A description of one use stays next to its reference, because the type is the same in all places. */
function reference(title: string, { description, ...schema }: Json, { schemas }: SchemaNames): Json {
  const existing = schemas[title];
  if (existing !== undefined && JSON.stringify(existing) !== JSON.stringify(schema)) {
    throw new Error(`two types are called ${title}`);
  }
  schemas[title] = schema;
  return { $ref: `#/components/schemas/${title}`, ...(description === undefined ? {} : { description }) };
}
