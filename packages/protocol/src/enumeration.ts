import { z } from 'zod';

/**
 * An enum with a name of its own in the OpenAPI document, made from what each of its values means: none can be there without.
 * Its description lists them, as Markdown.
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
