import type { z } from 'zod';

export interface OptionError {
  readonly path: string;
  readonly message: string;
}

/** Validation errors of options. For unknown ones, lists the valid names. */
export function optionErrors(schema: z.ZodType, value: unknown, path: string): OptionError[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  const known = 'shape' in schema ? Object.keys(schema.shape as object) : [];
  return result.error.issues.flatMap((issue) => {
    const at = [path, ...issue.path.map(String)];
    if (issue.code !== 'unrecognized_keys') {
      return [{ path: at.join('.'), message: issue.message }];
    }
    // Valid names are known only at the top level.
    const others = issue.path.length === 0 ? knownNames(known) : '';
    return issue.keys.map((key) => ({
      path: [...at, key].join('.'),
      message: `is not a valid option${others}`,
    }));
  });
}

export const knownNames = (names: readonly string[]): string =>
  names.length === 0 ? '; there are none' : `; known: ${names.join(', ')}`;
