type Schema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Gives every union of components whose objects differ in one field a `discriminator`. OpenAPI allows it for named
 * schemas only, so each object of such a union becomes a component of its own: `ChatEvent` has `ChatEventStatus`.
 */
export function withDiscriminators(schemas: Schemas): Schemas {
  return Object.fromEntries(
    Object.entries(schemas).flatMap(([name, schema]) => Object.entries(split(name, schema))),
  );
}

function split(name: string, schema: unknown): Schemas {
  const options = isSchema(schema) && Array.isArray(schema['oneOf']) ? schema['oneOf'] : [];
  if (!isSchema(schema) || !options.every(isSchema)) return { [name]: schema };
  const propertyName = discriminatorOf(options);
  if (propertyName === undefined) return { [name]: schema };
  const parts: Record<string, unknown> = {};
  const mapping: Record<string, string> = {};
  for (const option of options) {
    const values = valuesOf(option, propertyName);
    const title = typeof option['title'] === 'string' ? option['title'] : (values[0] ?? '');
    const part = `${name}${pascalCase(title)}`;
    parts[part] = option;
    for (const value of values) mapping[value] = reference(part);
  }
  const oneOf = Object.keys(parts).map((part) => ({ $ref: reference(part) }));
  return { [name]: { ...schema, oneOf, discriminator: { propertyName, mapping } }, ...parts };
}

/** The field whose values differ in every option. */
function discriminatorOf(options: readonly Schema[]): string | undefined {
  const [first] = options;
  const candidates = isSchema(first?.['properties']) ? Object.keys(first['properties']) : [];
  return candidates.find((field) => {
    const values = options.map((option) => valuesOf(option, field));
    const all = values.flat();
    return values.every(({ length }) => length > 0) && new Set(all).size === all.length;
  });
}

/** The listed values of a field. */
function valuesOf(option: Schema, field: string): string[] {
  const { properties } = option;
  const property = isSchema(properties) ? properties[field] : undefined;
  if (!isSchema(property)) return [];
  const { const: only, enum: listed } = property;
  if (Array.isArray(listed)) return listed.filter((value) => typeof value === 'string');
  return typeof only === 'string' ? [only] : [];
}

const reference = (name: string) => `#/components/schemas/${name}`;

const pascalCase = (text: string): string =>
  text.replaceAll(/(?:^|[^a-zA-Z0-9])+([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase());
