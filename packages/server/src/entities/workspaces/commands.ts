import type { Routes } from '@chatd/protocol';
import type { z } from 'zod';
import { Refused } from '../../chat/refused.ts';
import type { Queryable } from '../../store/statement.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { WorkspaceRow } from '../../store/workspaces.ts';
import type { Workspaces } from '../../workspaces/workspaces.ts';

/** All other changes of workspaces are methods of `Workspaces`, because agents make them, too. */
export async function createWorkspace(
  workspaces: Workspaces,
  ownerId: string,
  { template_id, name }: z.output<Routes['createWorkspace']['body']>,
  db: Queryable,
  tx: Transaction | undefined,
): Promise<WorkspaceRow> {
  const template = (await workspaces.templates.list(db)).find(({ id }) => id === template_id);
  if (template !== undefined) return await workspaces.create({ ownerId, template, name }, tx);
  throw new Refused('unknown_template', `Template ${template_id} does not exist.`);
}

/** A workspace like another one, with files of its checkpoint. */
export async function copyWorkspace(
  workspaces: Workspaces,
  ownerId: string,
  files: { readonly of: WorkspaceRow; readonly tree: string },
  tx: Transaction,
): Promise<WorkspaceRow> {
  const { template_id: id, template_name, name, definition } = files.of;
  const template = { id, name: template_name, definition };
  return await workspaces.create({ ownerId, template, name, files }, tx);
}
