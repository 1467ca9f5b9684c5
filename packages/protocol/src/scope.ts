import type { z } from 'zod';
import { enumeration } from './enumeration.ts';

/** A token without scopes can do everything its user can. */
export const Scope = enumeration(
  'Scope',
  'Permission of a token. Scopes do not include each other.',
  {
    read: 'read your chats, files, tokens and usage',
    write: 'change them. Responses contain the changed object; streams also require `read`',
    admin:
      'manage users, settings, providers, models, MCP servers and the debug record. Requires an admin user',
    metrics: '`/metrics`',
  },
);
export type Scope = z.infer<typeof Scope>;
