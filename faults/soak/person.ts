import { setTimeout as sleep } from 'node:timers/promises';
import { Conversation } from '../clients/conversation.ts';
import { openLine } from '../clients/event-line.ts';
import { openSocketLine } from '../clients/socket-line.ts';
import { Viewer, type ViewerOptions } from '../clients/viewer.ts';
import { answered, CLIENT_TOOL, type Surroundings, TALK } from './act.ts';
import { chooseAct, firstActs } from './acts.ts';
import type { Counts } from './counts.ts';
import { between, type Random } from './random.ts';

const ACTS_A_CHAT = [4, 12] as const;
const PAUSE_MS = [100, 1500] as const;
const AWAY_MS = [0, 4000] as const;

/** Chats that somebody is done with, one and its forks, and everybody who has watched them. */
export interface Retired {
  readonly talks: readonly Conversation[];
  readonly viewers: readonly Viewer[];
}

export interface PersonOptions extends Omit<Surroundings, 'watch' | 'watchers' | 'forks'> {
  /** From 0. */
  readonly index: number;
  /** So many there are. */
  readonly people: number;
  readonly retire: (retired: Retired) => void;
  readonly complain: (problem: string) => void;
}

/** Opens a chat, does this and that in it, leaves it to the oracle and opens the next, until it is stopped. */
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
  const watch = () => watching(counts, random);
  const talk = await Conversation.begin(api, TALK, watch(), {
    dynamic_tools: [{ name: CLIENT_TOOL, description: 'Only the client knows' }],
  });
  counts.add('new chats');
  const watchers = Array.from(
    { length: between(random, 0, 1) },
    () => new Viewer({ api, chatId: talk.chatId, ...watch(), ...absent(random) }),
  );
  const forks: Conversation[] = [];
  try {
    await answered(talk, counts);
    const acts = chats === 0 ? firstActs(options.index, options.people) : drawn(random);
    for (const act of acts) {
      if (stop.aborted || talk.isDoubtful) break;
      await act(talk, { ...options, watch, watchers, forks });
      await sleep(between(random, ...PAUSE_MS));
    }
  } finally {
    const talks = [talk, ...forks];
    retire({ talks, viewers: [...talks.map(({ viewer }) => viewer), ...watchers] });
  }
}

const drawn = (random: Random) =>
  Array.from({ length: between(random, ...ACTS_A_CHAT) }, () => chooseAct(random));

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
