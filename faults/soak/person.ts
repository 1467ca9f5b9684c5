import { setTimeout as sleep } from 'node:timers/promises';
import { Conversation } from '../clients/conversation.ts';
import { openLine } from '../clients/event-line.ts';
import { openSocketLine } from '../clients/socket-line.ts';
import { Viewer, type ViewerOptions } from '../clients/viewer.ts';
import type { Api } from '../clients/api.ts';
import { answered, chooseAct, CLIENT_TOOL, firstAct, OPENING } from './acts.ts';
import type { Counts } from './counts.ts';
import { between, type Random } from './random.ts';

const ACTS_A_CHAT = [4, 12] as const;
const PAUSE_MS = [100, 1500] as const;
const AWAY_MS = [0, 4000] as const;

/** A chat that somebody is done with, and everybody who has watched it. */
export interface Retired {
  readonly talk: Conversation;
  readonly viewers: readonly Viewer[];
}

export interface PersonOptions {
  /** From 0. */
  readonly index: number;
  readonly api: Api;
  readonly counts: Counts;
  readonly random: Random;
  readonly stop: AbortSignal;
  readonly retire: (retired: Retired) => void;
  readonly complain: (problem: string) => void;
}

/** Opens a chat, does this and that in it, leaves it to the court and opens the next, until it is stopped. */
export async function live(options: PersonOptions): Promise<void> {
  const { stop, complain } = options;
  for (let chats = 0; !stop.aborted; chats += 1) {
    try {
      await converse(options, chats);
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error));
    }
  }
}

async function converse(options: PersonOptions, chats: number): Promise<void> {
  const { api, counts, random, stop, retire } = options;
  const watch = watching(counts, random);
  const talk = await Conversation.begin(api, OPENING, watch, {
    dynamic_tools: [{ name: CLIENT_TOOL, description: 'Only the client knows' }],
  });
  counts.add('new chats');
  const others = Array.from(
    { length: between(random, 0, 1) },
    () => new Viewer({ api, chatId: talk.chatId, ...watching(counts, random), ...absent(random) }),
  );
  try {
    await answered(talk, counts);
    const acts = between(random, ...ACTS_A_CHAT);
    for (let done = 0; done < acts && !stop.aborted && !talk.isDoubtful; done += 1) {
      const act = chats + done === 0 ? firstAct(options.index) : chooseAct(random);
      await act(talk, options);
      await sleep(between(random, ...PAUSE_MS));
    }
  } finally {
    retire({ talk, viewers: [talk.viewer, ...others] });
  }
}

/** Half of all viewers leave every now and then; each connects once so, once so. */
function watching(counts: Counts, random: Random): Omit<ViewerOptions, 'api' | 'chatId'> {
  const first = between(random, 0, 1);
  const flaps = random() < 0.5;
  return {
    ...(flaps && { leaveAfter: () => between(random, 5, 60) }),
    open(line, connection) {
      const bySocket = (first + connection) % 2 === 0;
      counts.add(bySocket ? 'streams by WebSocket' : 'streams by SSE');
      return bySocket ? openSocketLine(line) : openLine(line);
    },
  };
}

/** And stay away for a while. */
const absent = (random: Random): Pick<ViewerOptions, 'leaveAfter' | 'stayAway'> => ({
  leaveAfter: () => between(random, 5, 60),
  stayAway: () => between(random, ...AWAY_MS),
});
