import { z } from 'zod';
import { Labels } from './chat.ts';
import { enumeration } from './enumeration.ts';
import { Timestamp, Uuid } from './ids.ts';

export const MachineName = z
  .string()
  .regex(
    /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}$/,
    'must have 1 to 63 letters, digits, ".", "_" or "-", and start with a letter or digit',
  );

/** Fewer than a chat has: every placement compares them. */
export const MachineLabels = z
  .record(Labels.keyType, Labels.valueType)
  .refine((labels) => Object.keys(labels).length <= 20, 'must have at most 20 labels');

export type MachineLabels = z.infer<typeof MachineLabels>;

export const MachineStatus = enumeration('MachineStatus', 'Status of a machine.', {
  online: 'connected',
  offline: 'not connected. Its workspaces cannot be used until it connects',
  draining: 'connected. Its workspaces can be used, but it gets no new ones',
});
export type MachineStatus = z.infer<typeof MachineStatus>;

export const Machine = z
  .object({
    id: Uuid.describe('ID of the machine.'),
    name: z.string().meta({ description: 'Unique name.', examples: ['builder-1'] }),
    kind: z
      .enum(['local', 'remote'])
      .describe(
        '`local`: part of a server process. `remote`: a computer that runs `chatd machine`.',
      ),
    status: MachineStatus.describe('Status of the machine.'),
    draining: z.boolean().describe('True if the machine gets no new workspaces.'),
    labels: z.record(z.string(), z.string()).meta({
      description:
        'Labels of the machine: those set through the API, and those it was started with (`--label`). If both set a label, the API takes precedence.',
      examples: [{ zone: 'a' }],
    }),
    version: z
      .string()
      .nullable()
      .describe('Version of chatd on the machine. Null: it has never connected.'),
    capabilities: z
      .object({
        sandbox: z.boolean().describe('True if workspaces with the driver `host` work.'),
        docker: z.boolean().describe('True if workspaces with the driver `docker` work.'),
        desktop: z.boolean().describe('True if desktops work.'),
      })
      .describe('What the machine can do, checked when it connects.'),
    workspaces: z.int().describe('Number of its workspaces.'),
    created_at: Timestamp.describe('Creation time.'),
    last_seen_at: Timestamp.nullable().describe(
      'Time of the last contact, to the minute. Null: it has never connected.',
    ),
  })
  .meta({ id: 'Machine', description: 'A computer that hosts workspaces.' });
export type Machine = z.infer<typeof Machine>;

export const CreatedMachine = Machine.extend({
  token: z
    .string()
    .describe(
      'The token of the machine, for `chatd machine`. Grants access to `connectMachine` only. Returned only once; the server stores only a hash.',
    ),
}).meta({ id: 'CreatedMachine', description: 'A machine with its new token.' });
export type CreatedMachine = z.infer<typeof CreatedMachine>;
