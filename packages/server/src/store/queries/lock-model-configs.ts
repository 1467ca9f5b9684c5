import { statement } from '../statement.ts';

/** One change at a time: exactly one is the default. Reading, and chats that begin to use one, are not held up. */
export const lockModelConfigs = statement<never>(
  'lock-model-configs',
  `LOCK TABLE model_configs IN SHARE ROW EXCLUSIVE MODE`,
);
