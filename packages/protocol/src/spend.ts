import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';

const micros = z.int().nonnegative();

export const Spend = z
  .object({
    limit_micros: micros
      .nullable()
      .describe(
        "Spend limit of the month: the user's own, else the one in the settings. Null: no limit.",
      ),
    spent_micros: micros.describe('Amount spent, without calls of unknown cost.'),
    left_micros: micros.nullable().describe('Remaining amount, at least 0. Null: no limit.'),
    unpriced_calls: micros.describe(
      'Number of model calls of unknown cost. If greater than 0, the real amount is higher.',
    ),
    limits: z
      .array(
        z.object({
          group_id: Uuid.nullable().describe('ID of the group. Null: the whole deployment.'),
          group_name: z
            .string()
            .nullable()
            .describe('Name of the group. Null: the whole deployment.'),
          limit_micros: micros.describe('Spend limit of the month.'),
          spent_micros: micros.describe('Amount that all members, or all users, have spent.'),
          left_micros: micros.describe('Remaining amount, at least 0.'),
        }),
      )
      .describe(
        'Limits that the user shares with others: those of their groups, and that of the deployment. Empty if there are none.',
      ),
    since: Timestamp.describe('Start of the month.'),
    resets_at: Timestamp.describe('Start of the next month, when the limit resets.'),
  })
  .meta({
    id: 'Spend',
    description:
      'Spending of a user in the current calendar month (UTC), in millionths of a US dollar.',
  });
export type Spend = z.infer<typeof Spend>;
