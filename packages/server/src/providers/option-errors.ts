import type { z } from 'zod';

export interface OptionError {
  readonly path: string;
  readonly message: string;
}

/** What is wrong with options, and, for one that does not exist, which do. */
export function optionErrors(schema: z.ZodType, value: unknown, path: string): OptionError[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  const known = 'shape' in schema ? Object.keys(schema.shape as object) : [];
  return result.error.issues.flatMap((issue) => {
    const at = [path, ...issue.path.map(String)];
    if (issue.code !== 'unrecognized_keys') {
      return [{ path: at.join('.'), message: issue.message }];
    }
    // Only at the top is it known what there is.
    const others = issue.path.length === 0 ? knownNames(known) : '';
    return issue.keys.map((key) => ({
      path: [...at, key].join('.'),
      message: `is not an option here${others}`,
    }));
  });
}

export const knownNames = (names: readonly string[]): string =>
  names.length === 0 ? '; there are none' : `; known: ${names.join(', ')}`;
