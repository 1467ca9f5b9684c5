import { z } from 'zod';

/** Any JSON value. Depth and illegal text are checked once, at the door, for the whole body. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export const Json: z.ZodType<Json> = z.json().meta({
  id: 'Json',
  description: 'Any JSON value: an object, a list, text, a number, true, false or null.',
});

export const JsonObject = z.record(z.string(), Json);
export type JsonObject = z.infer<typeof JsonObject>;
