import { type Operation, scopeOf } from './operation.ts';
import { alternatives, type Schema, type Shapes } from './schema.ts';

/** A curl example with the required parameters. */
export function curl(method: string, path: string, operation: Operation, shapes: Shapes): string {
  const { parameters = [], requestBody, responses } = operation;
  const answer = Object.entries(responses).find(([status]) => Number(status) < 400);
  if (answer?.[0] === '101') return '';
  const [answerType] = Object.keys(answer?.[1].content ?? {});
  const streams = answerType === 'text/event-stream';
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required === true)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(sample(schema, shapes)))}`);
  const where = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const url = `"$CHATD_URL${where}${query.length === 0 ? '' : `?${query.join('&')}`}"`;
  const verb = method === 'get' ? '' : `-X ${method.toUpperCase()} `;
  const lines = [`curl -sS${streams ? 'N' : ''} ${verb}${url}`];
  if (scopeOf(operation) !== undefined) {
    lines.push('-H "Authorization: Bearer $TOKEN"');
  }
  const [[type, body] = []] = Object.entries(requestBody?.content ?? {});
  if (type === 'application/json' && body !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`, `-d '${bodySample(body.schema, shapes)}'`);
  } else if (type !== undefined) {
    lines.push(`-H 'Content-Type: ${type}'`, '--data-binary @FILE');
  }
  return ['```sh', lines.join(' \\\n  '), '```'].join('\n');
}

/** Required fields, or the first field if all are optional. */
function bodySample(schema: Schema, shapes: Shapes): string {
  const value = sample(schema, shapes);
  if (typeof value !== 'object' || value === null || Object.keys(value).length > 0)
    return written(value);
  const [[name, field] = []] = Object.entries(schema.properties ?? {});
  return field === undefined ? '{}' : written({ [name ?? '']: sample(field, shapes) });
}

/** JSON with spaces after commas and colons. */
const written = (value: unknown) =>
  JSON.stringify(value, undefined, 1)
    .replaceAll(/\n\s*/g, ' ')
    .replaceAll(/([[{]) | ([\]}])/g, '$1$2');

/** The example of a schema, or a value of its type. */
function sample(schema: Schema, shapes: Shapes): unknown {
  const [example] = schema.examples ?? [];
  if (example !== undefined) return example;
  if (schema.$ref !== undefined) {
    const target = shapes[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)];
    return target === undefined ? '…' : sample(target, shapes);
  }
  const [first] = alternatives(schema) ?? [];
  if (first !== undefined) return sample(first, shapes);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([field]) => schema.required?.includes(field) === true)
          .map(([field, value]) => [field, sample(value, shapes)]),
      );
    case 'array':
      return [sample(schema.items ?? {}, shapes)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    default:
      return '…';
  }
}
