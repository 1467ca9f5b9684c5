import { networkMode } from '@chatd/protocol';
import type { WorkspaceRow } from '../store/workspaces.ts';
import type { WorkspaceSpec } from '../machine/drivers/driver.ts';

export function workspaceSpecOf({
  id,
  definition,
}: Pick<WorkspaceRow, 'id' | 'definition'>): WorkspaceSpec {
  return {
    id,
    env: definition.env ?? {},
    limits: definition.limits ?? {},
    network: networkMode(definition.network),
    image: definition.image,
  };
}
