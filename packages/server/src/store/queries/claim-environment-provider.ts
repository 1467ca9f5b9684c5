import { statement } from '../statement.ts';

/** No row: it was made before, perhaps by another replica a moment ago. */
export const claimEnvironmentProvider = statement<{ type: string }>(
  'claim-environment-provider',
  `INSERT INTO environment_providers (type) VALUES ($1) ON CONFLICT DO NOTHING RETURNING type`,
);
