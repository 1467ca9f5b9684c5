import type { Operation } from './api.ts';
import { alternatives, type Schema, type Shapes } from './schema.ts';

/** A call as one would type it, with what it cannot do without. */
export function curl(method: string, path: string, operation: Operation, shapes: Shapes): string {
  const { parameters = [], requestBody, responses } = operation;
  const answer = Object.entries(responses).find(([status]) => Number(status) < 400);
  if (answer?.[0] === '101') return '';
  const streams = answer?.[1].content?.['text/event-stream'] !== undefined;
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required === true)
    .map(
      ({ name, schema }) => `${name}=${encodeURIComponent(String(sample(name, schema, shapes)))}`,
    );
  const where = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const url = `"$CHATD_URL${where}${query.length === 0 ? '' : `?${query.join('&')}`}"`;
  const verb = method === 'get' ? '' : `-X ${method.toUpperCase()} `;
  const lines = [`curl -sS${streams ? 'N' : ''} ${verb}${url}`];
  if (operation.description?.includes('scope') === true) {
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

/** What has to be given; of a body in which nothing has to, its first field. */
function bodySample(schema: Schema, shapes: Shapes): string {
  const value = sample('', schema, shapes);
  if (typeof value !== 'object' || value === null || Object.keys(value).length > 0)
    return written(value);
  const [[name, field] = []] = Object.entries(schema.properties ?? {});
  return field === undefined ? '{}' : written({ [name ?? '']: sample(name ?? '', field, shapes) });
}

/** With a blank after commas and colons, as people write it. */
const written = (value: unknown) =>
  JSON.stringify(value, undefined, 1)
    .replaceAll(/\n\s*/g, ' ')
    .replaceAll(/([[{]) | ([\]}])/g, '$1$2');

const SAMPLES: Readonly<Record<string, unknown>> = {
  content: 'Hello!',
  title: 'Greetings',
  url: 'https://example.org/mcp',
  username: 'ada',
  password: 'correct horse battery staple',
  model: 'claude-sonnet-5-5',
  api_key: 'sk-…',
  key: 'sk-…',
  path: 'README.md',
  q: 'chstr',
  from: '2026-11-01',
};

function sample(name: string, schema: Schema, shapes: Shapes): unknown {
  if (Object.hasOwn(SAMPLES, name)) return SAMPLES[name];
  if (schema.$ref !== undefined) {
    const target = shapes[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)];
    return target === undefined ? '…' : sample(name, target, shapes);
  }
  const [first] = alternatives(schema) ?? [];
  if (first !== undefined) return sample(name, first, shapes);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([field]) => schema.required?.includes(field) === true)
          .map(([field, value]) => [field, sample(field, value, shapes)]),
      );
    case 'array':
      return [sample('', schema.items ?? {}, shapes)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    default:
      return '…';
  }
}
