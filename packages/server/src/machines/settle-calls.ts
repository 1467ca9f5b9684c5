import type { OwnMachine } from '../machine/machine.ts';
import { openCallsOf } from '../store/queries/machines.ts';
import type { Queryable } from '../store/statement.ts';
import { callOfKey } from './call-key.ts';

/**
 * Tells a machine which calls of its journal are settled: those that are not open in their chats any more. A call is
 * open before its machine gets it, so one that is not open never will be again.
 */
export async function settleCalls(machine: OwnMachine, database: Queryable): Promise<number> {
  const calls = (await machine.calls()).flatMap(({ call }) => {
    const key = callOfKey(call);
    return key === undefined ? [] : [{ call, ...key }];
  });
  if (calls.length === 0) return 0;
  const rows = await database.query(openCallsOf, {
    chat_ids: [...new Set(calls.map(({ chatId }) => chatId))],
  });
  const open = new Set(rows.map(({ chat_id, tool_call_id }) => `${chat_id}/${tool_call_id}`));
  const settled = calls.filter(({ chatId, callId }) => !open.has(`${chatId}/${callId}`));
  if (settled.length > 0) await machine.settle(settled.map(({ call }) => call));
  return settled.length;
}
