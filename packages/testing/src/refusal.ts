/** Why a request is refused. The dialect puts it into its own error shape. */
export interface Refusal {
  status: number;
  message: string;
  /** The field at fault, where the API names it. */
  param?: string;
  code?: string;
  /** What comes beside the body, such as `retry-after`. */
  headers?: Readonly<Record<string, string>>;
  /** What Google adds to an error. */
  details?: readonly unknown[];
}

export function badRequest(message: string, more: { param?: string; code?: string } = {}): Refusal {
  return { status: 400, message, ...more };
}

/** One thing that an API insists on. */
export type Rule<Context> = (context: Context) => Refusal | undefined;

/** The first refusal, as the real services report one at a time. */
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
