import type { z } from 'zod';
import { enumeration } from './enumeration.ts';

/** What a token may be used for; a token without scopes may do all that its user may. */
export const Scope = enumeration(
  'Scope',
  'What a token may be used for. Scopes do not include each other.',
  {
    read: 'reading your chats, files, tokens and usage',
    write: 'changing them; answers hold the changed object, streams also need `read`',
    admin:
      'users, settings, providers, models, MCP servers and the debug record; of a user who is an admin',
    metrics: '`/metrics`',
  },
);
export type Scope = z.infer<typeof Scope>;
