/**
 * How what travels as text, such as a number in a query string, an id or a time, is described in the OpenAPI document:
 * by what it is, not by the pattern of its letters. What is said of it stays.
 */
export const describedAs = (type: Readonly<Record<string, unknown>>) => ({
  override({ jsonSchema }: { jsonSchema: object }) {
    const schema = jsonSchema as Record<string, unknown>;
    const { description, examples } = schema;
    for (const key of Object.keys(schema)) delete schema[key];
    Object.assign(schema, type, description && { description }, examples && { examples });
  },
});
