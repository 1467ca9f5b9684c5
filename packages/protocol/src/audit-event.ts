import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { Timestamp, Uuid } from './ids.ts';
import { JsonObject } from './json.ts';

export const AuditActorKind = enumeration('AuditActorKind', 'Who performed an action.', {
  user: 'a user, with a session or a token',
  anonymous: 'a client that did not authenticate',
  system: 'the server itself',
});
export type AuditActorKind = z.infer<typeof AuditActorKind>;

export const AuditEvent = z
  .object({
    id: Uuid.describe('ID of the event. IDs sort by time.'),
    at: Timestamp.describe('Time of the action, by the clock of the database.'),
    actor_kind: AuditActorKind.describe('Who performed the action.'),
    actor_id: Uuid.nullable().describe('ID of the user. Null: not a user.'),
    actor_name: z
      .string()
      .nullable()
      .describe('User name at the time of the action. Null: not a user.'),
    token_id: Uuid.nullable().describe('ID of the token. Null: no token was used.'),
    ip: z.string().nullable().describe('Address of the client. Null: not a request.'),
    action: z
      .string()
      .meta({ description: 'Action, as `TARGET.VERB`.', examples: ['user.update'] }),
    target_kind: z.string().meta({ description: 'Kind of the target.', examples: ['user'] }),
    target_id: z
      .string()
      .nullable()
      .describe(
        'ID of the target. Null: the deployment has only one of this kind, or several were read.',
      ),
    detail: JsonObject.describe(
      'Changed values. `changed` lists fields whose values are not recorded. Secrets are never recorded.',
    ),
  })
  .meta({ id: 'AuditEvent', description: 'An entry of the audit log.' });
export type AuditEvent = z.infer<typeof AuditEvent>;
