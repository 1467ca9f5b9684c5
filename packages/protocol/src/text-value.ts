/**
 * Describes a value that travels as text, such as a number in a query string, by its real type in the OpenAPI document
 * instead of its pattern. Keeps description and examples.
 */
export const describedAs = (type: Readonly<Record<string, unknown>>) => ({
  override({ jsonSchema }: { jsonSchema: object }) {
    const schema = jsonSchema as Record<string, unknown>;
    const { description, examples } = schema;
    for (const key of Object.keys(schema)) delete schema[key];
    Object.assign(schema, type, description && { description }, examples && { examples });
  },
});
