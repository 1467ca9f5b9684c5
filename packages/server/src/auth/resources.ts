import type { ChatRow } from '../chat/row.ts';
import type { TokenRow, UserRow } from '../store/accounts.ts';
import type { FileRow } from '../store/files/file-row.ts';
import { findChat, findOwnChat } from '../store/queries/chats/find.ts';
import { findOwnProject, type ProjectRow } from '../store/queries/chats/projects.ts';
import { findFiles } from '../store/queries/files.ts';
import { findGroup } from '../store/queries/groups.ts';
import { findMachine } from '../store/queries/machines.ts';
import { findOwnToken, findTokenById } from '../store/queries/tokens.ts';
import { findOwnWorkspace } from '../store/queries/workspaces.ts';
import { findUser } from '../store/queries/users.ts';
import type { GroupRow } from '../store/groups.ts';
import type { MachineRow } from '../store/machines.ts';
import type { Queryable } from '../store/statement.ts';
import type { WorkspaceRow } from '../store/workspaces.ts';
import type { Caller } from './caller.ts';

/** The resources that paths name by id. */
export interface Resources {
  readonly chat: ChatRow;
  readonly file: FileRow;
  readonly group: GroupRow;
  readonly machine: MachineRow;
  readonly project: ProjectRow;
  readonly token: TokenRow;
  readonly user: UserRow;
  readonly workspace: WorkspaceRow;
}

export type ResourceParam = `${keyof Resources}_id`;

/** Which resources are found besides the caller's own existing ones. */
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

/** By path parameter. Resources are visible to their owner; the routes of groups, machines, and users require the scope `admin`. */
export const RESOURCES: { readonly [Name in keyof Resources as `${Name}_id`]: Finder<Name> } = {
  chat_id: {
    name: 'chat',
    async find(db, id, { user }, { deleted = false, anyOwner = false }) {
      const [chat] = anyOwner
        ? await db.query(findChat, { id })
        : await db.query(findOwnChat, { id, owner_id: user.id });
      return chat !== undefined && (deleted || chat.deleted_at === null) ? chat : undefined;
    },
  },
  file_id: {
    name: 'file',
    find: async (db, id, { user }) =>
      (await db.query(findFiles, { owner_id: user.id, ids: [id] }))[0],
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
  user_id: {
    name: 'user',
    find: async (db, id) => (await db.query(findUser, { id }))[0],
  },
  workspace_id: {
    name: 'workspace',
    find: async (db, id, { user }) =>
      (await db.query(findOwnWorkspace, { id, owner_id: user.id }))[0],
  },
};
