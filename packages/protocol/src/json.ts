import { z } from 'zod';

/** Any JSON value. Depth and illegal text are checked once, at the door, for the whole body. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export const Json: z.ZodType<Json> = z.json().meta({ id: 'Json' });

export const JsonObject = z.record(z.string(), Json);
export type JsonObject = z.infer<typeof JsonObject>;
