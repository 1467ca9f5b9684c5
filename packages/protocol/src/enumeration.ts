import { z } from 'zod';

/**
 * An enum with its own name in the OpenAPI document. Its description lists every value with its meaning, as Markdown.
 */
export function enumeration<Meanings extends Readonly<Record<string, string>>>(
  id: string,
  what: string,
  meanings: Meanings,
) {
  const values = Object.keys(meanings) as (keyof Meanings & string)[];
  const list = values.map((value) => `- \`${value}\`: ${meanings[value]}`);
  return z.enum(values).meta({ id, description: [what, '', ...list].join('\n') });
}
