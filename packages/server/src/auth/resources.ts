import type { TokenRow, UserRow } from '../store/accounts.ts';
import type { FileRow } from '../store/files/file-row.ts';
import { findChat } from '../store/queries/chats/find.ts';
import { findOwnProject, type ProjectRow } from '../store/queries/chats/projects.ts';
import { findOwnGitConnection, type GitConnectionRow } from '../store/queries/git.ts';
import { findGroup } from '../store/queries/groups.ts';
import { findMachine } from '../store/queries/machines.ts';
import { findOwnPushSubscription, type PushSubscriptionRow } from '../store/queries/outbox/push.ts';
import { findOwnWebhook, findWebhook, type WebhookRow } from '../store/queries/outbox/webhooks.ts';
import {
  type Access,
  type AccessRole,
  findChatFor,
  findFileFor,
  findFileOfChat,
  findWorkspaceFor,
  type VisibleChat,
} from '../store/queries/sharing/roles.ts';
import {
  findOwnTrigger,
  findTrigger,
  type TriggerRow,
} from '../store/queries/triggers/triggers.ts';
import { findOwnToken, findTokenById } from '../store/queries/tokens.ts';
import { findUser } from '../store/queries/users.ts';
import type { GroupRow } from '../store/groups.ts';
import type { MachineRow } from '../store/machines.ts';
import type { Queryable } from '../store/statement.ts';
import type { WorkspaceRow } from '../store/workspaces.ts';
import type { Caller } from './caller.ts';

/** The resources that paths name by id. */
export interface Resources {
  readonly chat: VisibleChat;
  readonly file: FileRow & Access;
  readonly git_connection: GitConnectionRow;
  readonly group: GroupRow;
  readonly machine: MachineRow;
  readonly project: ProjectRow;
  readonly push_subscription: PushSubscriptionRow;
  readonly token: TokenRow;
  readonly trigger: TriggerRow;
  readonly user: UserRow;
  readonly webhook: WebhookRow;
  readonly workspace: WorkspaceRow & Access;
}

export type ResourceParam = `${keyof Resources}_id`;

/** Which resources are found besides the caller's own existing ones and those shared with them. */
export interface Included {
  readonly deleted?: boolean;
  /** Resources of other users. */
  readonly anyOwner?: boolean;
}

interface Finder<Name extends keyof Resources> {
  readonly name: Name;
  /** Undefined: it does not exist, or the caller may not see it. */
  readonly find: (
    db: Queryable,
    id: string,
    caller: Caller,
    included: Included,
  ) => Promise<Resources[Name] | undefined>;
}

/** The row, if the caller has a role in it. */
const visible = <Row extends { readonly role: AccessRole | null }>(
  row: Row | undefined,
): (Row & { readonly role: AccessRole }) | undefined =>
  row === undefined || row.role === null ? undefined : { ...row, role: row.role };

const OWNER = { role: 'owner', owner_name: null } as const;
const BY_LINK = { role: 'viewer', owner_name: null } as const;

/**
 * By path parameter. Chats, workspaces and files are visible to their owner and, through chats, to users with a role; all
 * other resources to their owner. The routes of groups, machines, and users require the scope `admin`.
 */
export const RESOURCES: { readonly [Name in keyof Resources as `${Name}_id`]: Finder<Name> } = {
  chat_id: {
    name: 'chat',
    async find(db, id, caller, { deleted = false, anyOwner = false }) {
      const chat = await findVisibleChat(db, id, caller, anyOwner);
      if (chat === undefined || chat.deleted_at === null) return chat;
      return deleted && chat.role === 'owner' ? chat : undefined;
    },
  },
  file_id: {
    name: 'file',
    async find(db, id, { user, link }) {
      if (link === undefined) {
        return visible((await db.query(findFileFor, { id, user_id: user.id }))[0]);
      }
      const [file] = await db.query(findFileOfChat, { id, chat_id: link.chatId });
      return file && { ...file, ...BY_LINK };
    },
  },
  token_id: {
    name: 'token',
    async find(db, id, { user }, { anyOwner = false }) {
      const [token] = anyOwner
        ? await db.query(findTokenById, { id })
        : await db.query(findOwnToken, { id, user_id: user.id });
      return token;
    },
  },
  git_connection_id: {
    name: 'git_connection',
    find: async (db, id, { user }) =>
      (await db.query(findOwnGitConnection, { id, owner_id: user.id }))[0],
  },
  group_id: {
    name: 'group',
    find: async (db, id) => (await db.query(findGroup, { id }))[0],
  },
  machine_id: {
    name: 'machine',
    find: async (db, id) => (await db.query(findMachine, { id }))[0],
  },
  project_id: {
    name: 'project',
    find: async (db, id, { user }) =>
      (await db.query(findOwnProject, { id, owner_id: user.id }))[0],
  },
  push_subscription_id: {
    name: 'push_subscription',
    find: async (db, id, { user }) =>
      (await db.query(findOwnPushSubscription, { id, user_id: user.id }))[0],
  },
  trigger_id: {
    name: 'trigger',
    async find(db, id, { user }, { anyOwner = false }) {
      const [trigger] = anyOwner
        ? await db.query(findTrigger, { id })
        : await db.query(findOwnTrigger, { id, owner_id: user.id });
      return trigger;
    },
  },
  user_id: {
    name: 'user',
    find: async (db, id) => (await db.query(findUser, { id }))[0],
  },
  webhook_id: {
    name: 'webhook',
    async find(db, id, { user }, { anyOwner = false }) {
      const [webhook] = anyOwner
        ? await db.query(findWebhook, { id })
        : await db.query(findOwnWebhook, { id, owner_id: user.id });
      return webhook;
    },
  },
  workspace_id: {
    name: 'workspace',
    find: async (db, id, { user }) =>
      visible((await db.query(findWorkspaceFor, { id, user_id: user.id }))[0]),
  },
};

async function findVisibleChat(
  db: Queryable,
  id: string,
  { user, link }: Caller,
  anyOwner: boolean,
): Promise<VisibleChat | undefined> {
  if (anyOwner || link !== undefined) {
    const [chat] = await db.query(findChat, { id });
    if (chat === undefined) return undefined;
    if (link === undefined) return { ...chat, ...OWNER };
    const isShown = (chat.root_chat_id ?? chat.id) === link.chatId;
    return isShown ? { ...chat, ...BY_LINK } : undefined;
  }
  const [found] = await db.query(findChatFor, { id, user_id: user.id });
  const chat = visible(found);
  if (chat === undefined) return undefined;
  const { guest_read_version, ...row } = chat;
  return row.role === 'owner' ? row : { ...row, read_version: guest_read_version ?? 0 };
}
