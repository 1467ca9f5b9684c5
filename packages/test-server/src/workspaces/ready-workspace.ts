import { expect } from 'vitest';
import type { ApiClient } from '../api-client.ts';
import { eventually } from '../eventually.ts';

const EMPTY = '00000000-0000-7000-8000-000000000003';

/** Creates a workspace and returns its id when it is ready. */
export async function readyWorkspace(client: ApiClient, template_id = EMPTY): Promise<string> {
  const { id } = await client.ok('createWorkspace', { body: { template_id } });
  await eventually(async () =>
    expect(await client.ok('getWorkspace', { params: { workspace_id: id } })).toMatchObject({
      status: 'ready',
    }),
  );
  return id;
}
