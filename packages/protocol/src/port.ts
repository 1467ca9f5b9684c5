import { z } from 'zod';
import { Timestamp } from './ids.ts';

export const Port = z
  .object({
    port: z.int().meta({ description: 'Number of the TCP port.', examples: [5173] }),
    program: z
      .string()
      .nullable()
      .meta({
        description: 'Name of the program that listens. Null: unknown.',
        examples: ['node'],
      }),
  })
  .meta({ id: 'Port', description: 'A port on which a program in a workspace listens.' });
export type Port = z.infer<typeof Port>;

export const Preview = z
  .object({
    url: z
      .string()
      .describe(
        'URL of the preview, with its own origin. Valid without authentication: treat it as a secret.',
      ),
    expires_at: Timestamp.describe('Time after which the URL no longer works. 1 to 2 hours away.'),
  })
  .meta({ id: 'Preview', description: 'A signed URL to a port of a workspace.' });
export type Preview = z.infer<typeof Preview>;
