/** Why a request is rejected. The dialect converts it to its own error format. */
export interface Refusal {
  status: number;
  message: string;
  /** The invalid field, if the API names it. */
  param?: string;
  code?: string;
  /** Additional headers, such as `retry-after`. */
  headers?: Readonly<Record<string, string>>;
  /** Google's error details. */
  details?: readonly unknown[];
}

export function badRequest(message: string, more: { param?: string; code?: string } = {}): Refusal {
  return { status: 400, message, ...more };
}

/** One rule of an API. */
export type Rule<Context> = (context: Context) => Refusal | undefined;

/** The first refusal, because real services report one at a time. */
export function firstRefusal<Context>(
  rules: readonly Rule<Context>[],
  context: Context,
): Refusal | undefined {
  for (const rule of rules) {
    const refusal = rule(context);
    if (refusal) return refusal;
  }
  return undefined;
}
