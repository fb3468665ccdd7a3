/** A part of an OpenAPI description, as plain JSON. */
export type DescriptionPart = { readonly [name: string]: unknown };

interface SchemaNames {
  /** Schemas by title. Nested schemas are already replaced by references. */
  readonly schemas: Record<string, DescriptionPart>;
}

/**
 * Replaces each schema that has a title by a reference to that name: `{ "$ref": … }`. Throws if two different schemas
 * have the same name.
 */
export function nameSchemas(paths: DescriptionPart): {
  readonly paths: DescriptionPart;
  readonly schemas: Readonly<Record<string, DescriptionPart>>;
} {
  const names: SchemaNames = { schemas: {} };
  return { paths: replaceWithReferences(paths, names) as DescriptionPart, schemas: names.schemas };
}

/** Replaces each schema that has a title by a `$ref`, and registers it under that name. */
function replaceWithReferences(part: unknown, names: SchemaNames): unknown {
  if (Array.isArray(part)) return part.map((one) => replaceWithReferences(one, names));
  if (typeof part !== 'object' || part === null) return part;
  const members = Object.entries(part).map(([key, value]) => [key, replaceWithReferences(value, names)]);
  const { title, ...rest } = Object.fromEntries(members) as DescriptionPart;
  return typeof title === 'string' && isSchema(rest) ? registerSchema(title, rest, names) : Object.fromEntries(members);
}

/** True for a description of a type, false for a member named `title`. */
function isSchema({ type, anyOf }: DescriptionPart): boolean {
  return typeof type === 'string' || Array.isArray(type) || Array.isArray(anyOf);
}

/** A description of one use stays next to its reference, because the type is the same in all places. */
function registerSchema(
  title: string,
  { description, ...schema }: DescriptionPart,
  { schemas }: SchemaNames,
): DescriptionPart {
  const existing = schemas[title];
  if (existing !== undefined && JSON.stringify(existing) !== JSON.stringify(schema)) {
    throw new Error(`two types are called ${title}`);
  }
  schemas[title] = schema;
  return { $ref: `#/components/schemas/${title}`, ...(description === undefined ? {} : { description }) };
}
