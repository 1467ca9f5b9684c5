import { setTimeout as sleep } from 'node:timers/promises';
import { Conversation } from '../clients/conversation.ts';
import { openSseStream } from '../clients/sse-stream.ts';
import { openWebSocketStream } from '../clients/websocket-stream.ts';
import { Viewer, type ViewerOptions } from '../clients/viewer.ts';
import { answered, CLIENT_TOOL, type ActionContext, TEXT } from './action.ts';
import { chooseAction, firstActions } from './actions.ts';
import type { Counts } from './counts.ts';
import { between, type Random } from './random.ts';

const ACTIONS_PER_CHAT = [4, 12] as const;
const PAUSE_MS = [100, 1500] as const;
const RECONNECT_MS = [0, 4000] as const;

/** A finished chat with its forks and all their viewers. */
export interface FinishedChats {
  readonly chats: readonly Conversation[];
  readonly viewers: readonly Viewer[];
}

export interface SimulatedUserOptions extends Omit<ActionContext, 'watch' | 'watchers' | 'forks'> {
  readonly index: number;
  readonly users: number;
  readonly finish: (finished: FinishedChats) => void;
  readonly report: (problem: string) => void;
}

/** Repeats until stopped: starts a chat, performs actions in it, and passes it to the oracle. */
export async function simulateUser(options: SimulatedUserOptions): Promise<void> {
  const { stop, report } = options;
  for (let count = 0; !stop.aborted; count += 1) {
    try {
      await runChat(options, count);
    } catch (error) {
      report(error instanceof Error ? error.message : String(error));
    }
  }
}

async function runChat(options: SimulatedUserOptions, count: number): Promise<void> {
  const { api, counts, random, stop, finish } = options;
  const watch = () => viewerOptions(counts, random);
  const chat = await Conversation.begin(api, TEXT, watch(), {
    dynamic_tools: [{ name: CLIENT_TOOL, description: 'Runs on the client' }],
  });
  counts.add('new chats');
  const watchers = Array.from(
    { length: between(random, 0, 1) },
    () => new Viewer({ api, chatId: chat.chatId, ...watch(), ...slowReconnect(random) }),
  );
  const forks: Conversation[] = [];
  try {
    await answered(chat, counts);
    const actions =
      count === 0 ? firstActions(options.index, options.users) : chooseActions(random);
    for (const action of actions) {
      if (stop.aborted || chat.isUncertain) break;
      await action(chat, { ...options, watch, watchers, forks });
      await sleep(between(random, ...PAUSE_MS));
    }
  } finally {
    const chats = [chat, ...forks];
    finish({ chats, viewers: [...chats.map(({ viewer }) => viewer), ...watchers] });
  }
}

const chooseActions = (random: Random) =>
  Array.from({ length: between(random, ...ACTIONS_PER_CHAT) }, () => chooseAction(random));

/** Half of the viewers disconnect occasionally. Connections alternate between SSE and WebSocket. */
function viewerOptions(counts: Counts, random: Random): Omit<ViewerOptions, 'api' | 'chatId'> {
  const first = between(random, 0, 1);
  const flaps = random() < 0.5;
  return {
    ...(flaps && { disconnectAfter: () => between(random, 5, 60) }),
    open(stream, connection) {
      const bySocket = (first + connection) % 2 === 0;
      counts.add(bySocket ? 'WebSocket streams' : 'SSE streams');
      return bySocket ? openWebSocketStream(stream) : openSseStream(stream);
    },
  };
}

/** Reconnects after a delay. */
const slowReconnect = (random: Random): Partial<ViewerOptions> => ({
  disconnectAfter: () => between(random, 5, 60),
  reconnectDelay: () => between(random, ...RECONNECT_MS),
});
