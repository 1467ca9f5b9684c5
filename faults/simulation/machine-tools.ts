import { systemClock } from '@chatd/loop';
import type { ChatRow } from '../../packages/server/src/chat/row.ts';
import type { HostedSpec } from '../../packages/server/src/machine/machine.ts';
import { callKey } from '../../packages/server/src/machines/call-key.ts';
import type { Machines } from '../../packages/server/src/machines/machines.ts';
import type { Queryable } from '../../packages/server/src/store/statement.ts';
import { execute } from '../../packages/server/src/tools/process/execute.ts';
import type { Toolbox } from '../../packages/server/src/tools/toolbox.ts';
import { isTakenOver } from '../../packages/server/src/tools/workspace/taken-over.ts';
import type { WorkspaceHandle } from '../../packages/server/src/tools/workspace-handle.ts';

/** All chats share a workspace. */
const SPEC: HostedSpec = {
  id: '00000000-0000-4000-8000-00000000000f',
  driver: 'host',
  env: {},
  limits: {},
  network: 'none',
};

/** The tool `execute` of the server, on a machine. */
export const machineToolbox = (
  machines: Machines,
  machineId: string,
  database: Queryable,
): Toolbox => {
  const tools = (chat: ChatRow) => [execute(handleOf(machines, machineId, chat, database))];
  return {
    source: 'chatd',
    open: async (chat) => ({ tools: tools(chat) }),
    preview: async (chat) => ({ tools: tools(chat) }),
  };
};

const handleOf = (
  machines: Machines,
  machineId: string,
  chat: ChatRow,
  database: Queryable,
): WorkspaceHandle => ({
  clock: systemClock,
  async use({ signal }, limitMs = 20_000) {
    const limit = new AbortController();
    const cancel = systemClock.after(limitMs, () => limit.abort(new Error('not opened')));
    try {
      const either = AbortSignal.any([signal, limit.signal]);
      const machine = await machines.use(machineId, { signal: either });
      return await machine.open(SPEC);
    } finally {
      cancel();
    }
  },
  beforeChange: async (_workspace, signal) => signal.throwIfAborted(),
  hold: () => () => undefined,
  callKey: (context) => callKey(chat.id, context),
  isTakenOver: ({ callId }) => isTakenOver(database, chat, callId),
  count: (outcome) => machines.count(outcome),
});
