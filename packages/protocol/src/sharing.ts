import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { Timestamp, Uuid } from './ids.ts';
import { Username } from './user.ts';

export const ChatRole = enumeration('ChatRole', 'Role of a user in a shared chat.', {
  viewer: 'reads the chat, follows it live, and reads the files of its workspace',
  editor: 'also sends, edits, interrupts, answers questions and approvals, and uses the workspace',
});
export type ChatRole = z.infer<typeof ChatRole>;

const GrantRole = ChatRole.describe('Role of the grantees.');

export const ChatGrant = z
  .object({
    user_id: Uuid.optional().describe('The user. Absent: the grant is for a group or everyone.'),
    username: z.string().optional().describe('Name of the user. Present with `user_id`.'),
    group_id: Uuid.optional().describe('The group. Absent: the grant is for a user or everyone.'),
    group_name: z.string().optional().describe('Name of the group. Present with `group_id`.'),
    everyone: z
      .literal(true)
      .optional()
      .describe('The grant is for all users of the deployment. Absent: for a user or a group.'),
    role: GrantRole,
  })
  .meta({ id: 'ChatGrant', description: 'A role in a chat for a user, a group or everyone.' });
export type ChatGrant = z.infer<typeof ChatGrant>;

const GRANTEES = ['user_id', 'username', 'group_id', 'everyone'] as const;

export const NewChatGrant = z
  .strictObject({
    user_id: Uuid.optional().describe('ID of the user.'),
    username: Username.optional().describe('Name of the user, instead of `user_id`.'),
    group_id: Uuid.optional().describe('ID of the group.'),
    everyone: z.literal(true).optional().describe('All users of the deployment.'),
    role: GrantRole,
  })
  .refine(
    (grant) => GRANTEES.filter((name) => grant[name] !== undefined).length === 1,
    'must have exactly one of user_id, username, group_id and everyone',
  )
  .meta({
    id: 'NewChatGrant',
    description: 'A role for one of: a user (`user_id` or `username`), a group, everyone.',
  });
export type NewChatGrant = z.infer<typeof NewChatGrant>;

export const ChatLink = z
  .object({
    role: z.literal('viewer').describe('Role of everyone who has the link.'),
    url: z
      .url()
      .optional()
      .describe(
        'URL of the read-only page. The part after `#` is the secret, which works as a bearer token. Present only in the response that creates the link: the server stores only a hash of it.',
      ),
    created_at: Timestamp.describe('Creation time.'),
    expires_at: Timestamp.optional().describe('Expiry of the link. Absent: it does not expire.'),
  })
  .meta({
    id: 'ChatLink',
    description: 'A link that shows a chat without an account, read-only.',
  });
export type ChatLink = z.infer<typeof ChatLink>;

export const ChatSharing = z
  .object({
    grants: z.array(ChatGrant).describe('Grants of the chat. Empty: none.'),
    link: ChatLink.optional().describe('Link of the chat. Absent: none.'),
    links_allowed: z
      .boolean()
      .describe('True if an admin allows links (`allow_chat_links`). If not, links do not work.'),
  })
  .meta({ id: 'ChatSharing', description: 'Who can access a chat besides its owner.' });
export type ChatSharing = z.infer<typeof ChatSharing>;

/** Max number of grants of a chat. */
export const GRANTS_LIMIT = 100;

export const NewChatSharing = z
  .strictObject({
    grants: z
      .array(NewChatGrant)
      .max(GRANTS_LIMIT)
      .describe('All grants of the chat. Grants that are not listed are revoked.'),
    link: z
      .strictObject({
        expires_at: Timestamp.nullable()
          .optional()
          .describe('Expiry of the link. Null or absent: it does not expire.'),
        renew: z
          .boolean()
          .optional()
          .describe('Replaces an existing link, which stops working. Default: false.'),
      })
      .nullable()
      .optional()
      .describe(
        'Creates a link, or keeps the existing one with this expiry. Null or absent: no link; an existing one is revoked.',
      ),
  })
  .meta({ examples: [{ grants: [{ username: 'ada', role: 'editor' }] }] });
export type NewChatSharing = z.infer<typeof NewChatSharing>;

export const Participant = z
  .object({
    user_id: Uuid.describe('ID of the user, as in `created_by`.'),
    username: z.string().describe('Name of the user.'),
  })
  .meta({ id: 'Participant', description: 'A user who takes part in a chat.' });
export type Participant = z.infer<typeof Participant>;
