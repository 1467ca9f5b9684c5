import { networkMode } from '@chatd/protocol';
import type { WorkspaceRow } from '../store/workspaces.ts';
import type { Place } from './driver.ts';

export function placeOf({ id, definition }: Pick<WorkspaceRow, 'id' | 'definition'>): Place {
  return {
    id,
    env: definition.env ?? {},
    limits: definition.limits ?? {},
    network: networkMode(definition.network),
    image: definition.image,
  };
}
