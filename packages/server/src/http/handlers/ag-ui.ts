import type { AgUiRunInput } from '@chatd/protocol';
import { requireRole } from '../../auth/authorize.ts';
import type { Caller } from '../../auth/caller.ts';
import { notFound, Refused } from '../../chat/refused.ts';
import { type BegunRun, RunCommands, type RunOptions } from '../../ag-ui/begin-run.ts';
import { readHistory, snapshotEvents } from '../../ag-ui/history.ts';
import { RunEvents } from '../../ag-ui/run-events.ts';
import { clientIdsOf } from '../../ag-ui/run-input.ts';
import { runStream } from '../../ag-ui/run-outlet.ts';
import { chatOfThread } from '../../ag-ui/thread.ts';
import { isUniqueViolation } from '../../store/constraint.ts';
import type { VisibleChat } from '../../store/queries/sharing/roles.ts';
import { guestOf, type Holder, holderOf } from '../../stream/holders.ts';
import type { PreparedStream } from '../../stream/streams.ts';
import type { HandlersOf } from '../call.ts';
import type { Exchange } from '../exchange.ts';
import type { Services } from '../services.ts';
import { recordRemembered } from './approvals.ts';

interface RunCall {
  readonly body: AgUiRunInput;
  readonly query: RunOptions & { readonly on_disconnect: 'continue' | 'interrupt' };
  readonly caller: Caller;
  readonly exchange: Exchange;
}

export const agUiHandlers = (services: Services): HandlersOf<'AG-UI'> => ({
  async runAgUi(call) {
    return { status: 200, stream: await runChat(services, call, call.found.chat) };
  },

  async runAgUiThread(call) {
    const { caller, body } = call;
    const chatId = chatOfThread(caller.user.id, body.threadId);
    const chat =
      (await visibleChat(services, caller, body.threadId)) ??
      (await visibleChat(services, caller, chatId));
    if (chat !== undefined) return { status: 200, stream: await runChat(services, call, chat) };
    try {
      const holder = holderOf(caller);
      const stream = await follow(services, call, holder, (commands) => commands.create(chatId));
      return { status: 200, stream };
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      // Another request has created it meanwhile, or it was deleted.
      const created = await visibleChat(services, caller, chatId);
      if (created === undefined) throw notFound();
      return { status: 200, stream: await runChat(services, call, created) };
    }
  },
});

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Undefined: it does not exist, or the caller may not see it. */
async function visibleChat(
  { authorizer }: Services,
  caller: Caller,
  chatId: string,
): Promise<VisibleChat | undefined> {
  if (!UUID.test(chatId)) return undefined;
  try {
    return (await authorizer.find(caller, { chat_id: chatId.toLowerCase() }, {}, 'editor')).chat;
  } catch (error) {
    if (error instanceof Refused && error.code === 'not_found') return undefined;
    throw error;
  }
}

async function runChat(
  services: Services,
  call: RunCall,
  chat: VisibleChat,
): Promise<PreparedStream> {
  const holder = holderOf(call.caller, { guest: guestOf(chat) });
  return await follow(services, call, holder, async (commands) => {
    if (commands.changesSettings(chat)) requireRole(chat, 'owner', "chat's settings");
    return await commands.continue(chat.id, recordRemembered(call.caller, call.exchange, chat));
  });
}

/** Limits of streams come before the request takes effect. */
async function follow(
  { store, streams }: Services,
  { body, query, caller, exchange }: RunCall,
  holder: Holder,
  begin: (commands: RunCommands) => Promise<BegunRun>,
): Promise<PreparedStream> {
  const reservation = await streams.reserve(holder);
  try {
    const { turn, start } = await begin(await RunCommands.prepare(store, caller.user, body, query));
    const run = new RunEvents(start);
    const { chatId } = start;
    const ids = clientIdsOf(body);
    const failed = (error: unknown) =>
      exchange.log.warn({ err: error, chat_id: chatId }, 'AG-UI run failed');
    const interrupt = async () => {
      try {
        const { waitsFor } = run;
        if (waitsFor === undefined) await store.client.interrupt(chatId);
        else await store.client.deleteQueued(chatId, waitsFor);
      } catch (error) {
        // The turn has ended meanwhile.
        if (!(error instanceof Refused)) failed(error);
      }
    };
    return runStream(reservation.followTurn(turn, 'null'), {
      run,
      read: async ({ upTo, reasoning }) => {
        const messages = await readHistory(store.database, chatId, upTo, ids);
        return snapshotEvents(messages, ids, reasoning);
      },
      onError: failed,
      onAbort: () => {
        if (query.on_disconnect === 'interrupt') void interrupt();
      },
    });
  } catch (error) {
    reservation.cancel();
    throw error;
  }
}
