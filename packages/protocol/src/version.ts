import { z } from 'zod';
import { SerialId, Timestamp } from './ids.ts';

export const Version = z
  .object({
    id: SerialId.describe('ID of the version, for `selectVersion`.'),
    current: z.boolean().describe('True if the messages of the chat are those of this version.'),
    message_id: SerialId.nullable().describe(
      'First message of the version. Null until its first message is stored.',
    ),
    text: z.string().describe('Beginning of the text of the first message.'),
    created_at: Timestamp.describe('When the version was created.'),
  })
  .meta({
    id: 'Version',
    description:
      'The messages from one point of a chat to its end. Editing a message and regenerating an answer create versions.',
  });
export type Version = z.infer<typeof Version>;

export const Branch = z
  .object({
    after_message_id: SerialId.nullable().describe(
      'Last message that the versions have in common. Null: they differ from the first message on.',
    ),
    versions: z.array(Version).describe('All versions, oldest first. Exactly one is `current`.'),
  })
  .meta({ id: 'Branch', description: 'A point of a chat that continues in several versions.' });
export type Branch = z.infer<typeof Branch>;
