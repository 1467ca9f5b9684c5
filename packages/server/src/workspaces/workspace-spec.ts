import { networkMode } from '@chatd/protocol';
import type { HostedSpec } from '../machine/machine.ts';
import type { WorkspaceRow } from '../store/workspaces.ts';

export function workspaceSpecOf({
  id,
  definition,
}: Pick<WorkspaceRow, 'id' | 'definition'>): HostedSpec {
  return {
    id,
    driver: definition.driver,
    env: definition.env ?? {},
    limits: definition.limits ?? {},
    network: networkMode(definition.network),
    image: definition.image,
  };
}
