import { z } from 'zod';
import { Uuid } from '../ids.ts';
import { LabelChanges } from '../label-changes.ts';
import { CreatedMachine, Machine, MachineLabels, MachineName } from '../machine.ts';
import { Cursor, Flag, Limit, NextCursor } from '../page.ts';
import { routeWith, twoWay } from '../route.ts';

const route = routeWith('Machines');
const MachineParams = z.strictObject({ machine_id: Uuid.describe('ID of the machine.') });

const Name = MachineName.meta({
  description:
    'Unique name: 1 to 63 letters, digits, `.`, `_` or `-`; starts with a letter or digit.',
  examples: ['builder-1'],
});

export const machineRoutes = {
  listMachines: route({
    method: 'get',
    path: '/machines',
    summary: 'List machines, oldest first',
    description: 'Includes the local machines of servers.',
    scope: 'admin',
    query: z.strictObject({ limit: Limit, cursor: Cursor }),
    answers: {
      200: z.object({
        machines: z.array(Machine).describe('One page of machines.'),
        next_cursor: NextCursor,
      }),
    },
    refusals: ['invalid_query', 'invalid_cursor'],
  }),
  createMachine: route({
    method: 'post',
    path: '/machines',
    summary: 'Add a machine and create its token',
    description: 'The token is returned only once. Start the machine with `chatd machine`.',
    scope: 'admin',
    body: z.strictObject({
      name: Name,
      labels: MachineLabels.optional().meta({
        description: 'Labels that templates select machines by. At most 20. Default: none.',
        examples: [{ zone: 'a' }],
      }),
    }),
    answers: { 201: CreatedMachine },
    refusals: ['machine_name_taken'],
    secret: true,
    audit: { action: 'machine.create', values: ['name'] },
  }),
  // Before `/machines/{machine_id}`, which matches the same path.
  connectMachine: route({
    method: 'get',
    path: '/machines/connect',
    summary: 'Connect a machine',
    description:
      'For `chatd machine`, authenticated with `Authorization: Bearer` and the token of the machine. A newer connection of a machine closes the older one.',
    scope: null,
    answers: {
      101: twoWay('A WebSocket. Binary messages are the frames of the machine protocol'),
    },
    refusals: ['unauthenticated', 'workspaces_disabled'],
  }),
  getMachine: route({
    method: 'get',
    path: '/machines/{machine_id}',
    summary: 'Get a machine',
    description: 'With its status and the number of its workspaces.',
    scope: 'admin',
    params: MachineParams,
    answers: { 200: Machine },
  }),
  updateMachine: route({
    method: 'patch',
    path: '/machines/{machine_id}',
    summary: 'Rename, label or drain a machine',
    description:
      'Omitted fields do not change. A draining machine keeps its workspaces and gets no new ones.',
    scope: 'admin',
    params: MachineParams,
    body: z.strictObject({
      name: Name.optional(),
      labels: LabelChanges.optional().describe(
        'Label changes by name, as a JSON Merge Patch (RFC 7396): a string sets a label, null removes it.',
      ),
      draining: z.boolean().optional().describe('True: the machine gets no new workspaces.'),
    }),
    answers: { 200: Machine },
    refusals: ['machine_name_taken', 'invalid_labels'],
    audit: { action: 'machine.update', values: ['name'] },
  }),
  rotateMachineToken: route({
    method: 'post',
    path: '/machines/{machine_id}/token',
    summary: 'Replace the token of a machine',
    description:
      'The previous token is revoked, and its connection closed. Running commands go on. Start the machine again with the new token, which is returned only once. A local machine and a machine of a provisioner have no token of their own.',
    scope: 'admin',
    params: MachineParams,
    answers: { 200: CreatedMachine },
    refusals: ['built_in'],
    secret: true,
    audit: { action: 'machine.rotate_token' },
  }),
  deleteMachine: route({
    method: 'delete',
    path: '/machines/{machine_id}',
    summary: 'Delete a machine and revoke its token',
    description:
      'Refused while the machine has workspaces, unless `force` is true. The files stay on its disk. A local machine can be deleted only while it is offline.',
    scope: 'admin',
    params: MachineParams,
    query: z.strictObject({
      force: Flag.optional().describe(
        'True deletes the workspaces of the machine with it. Default: false.',
      ),
    }),
    answers: { 204: null },
    refusals: ['invalid_query', 'machine_in_use', 'built_in'],
    audit: { action: 'machine.delete' },
  }),
};
