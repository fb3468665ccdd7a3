/** A part of a description, as plain JSON. */
export type Json = { readonly [name: string]: unknown };

interface Names {
  /** Schemas by their title, with everything inside them named already. */
  readonly schemas: Record<string, Json>;
}

/**
 * The paths of a description with each schema that has a title in the place of that name: `{ "$ref": … }`. Throws where
 * one name stands for two things.
 */
export function withNamedSchemas(paths: Json): {
  readonly paths: Json;
  readonly schemas: Readonly<Record<string, Json>>;
} {
  const names: Names = { schemas: {} };
  return { paths: named(paths, names) as Json, schemas: names.schemas };
}

function named(part: unknown, names: Names): unknown {
  if (Array.isArray(part)) return part.map((one) => named(one, names));
  if (typeof part !== 'object' || part === null) return part;
  const members = Object.entries(part).map(([key, value]) => [key, named(value, names)]);
  const { title, ...rest } = Object.fromEntries(members) as Json;
  return typeof title === 'string' && isSchema(rest) ? reference(title, rest, names) : Object.fromEntries(members);
}

/** What describes a type, and not a member that is called `title`. */
function isSchema({ type, anyOf }: Json): boolean {
  return typeof type === 'string' || Array.isArray(type) || Array.isArray(anyOf);
}

/** What is said of one place stays there: the type itself is the same in all of them. */
function reference(title: string, { description, ...schema }: Json, { schemas }: Names): Json {
  const known = schemas[title];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
    throw new Error(`two types are called ${title}`);
  }
  schemas[title] = schema;
  return { $ref: `#/components/schemas/${title}`, ...(description === undefined ? {} : { description }) };
}
