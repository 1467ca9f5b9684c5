import { z } from 'zod';

/** Any JSON value. The server checks depth and invalid text once for the whole body. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export const Json: z.ZodType<Json> = z.json().meta({
  id: 'Json',
  description: 'Any JSON value: object, array, string, number, boolean or null.',
});

export const JsonObject = z.record(z.string(), Json);
export type JsonObject = z.infer<typeof JsonObject>;
