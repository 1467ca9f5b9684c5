import type { ChatError } from '@chatd/protocol';
import type { ChatRow } from '../chat/row.ts';

type Deaths = Pick<ChatRow, 'owner_deaths' | 'deaths_version' | 'history_version'>;

/** Consecutive deaths of the owner of a chat without a committed step. */
export const deathsOf = ({ owner_deaths, deaths_version, history_version }: Deaths): number =>
  deaths_version === history_version ? owner_deaths : 0;

export interface Sorted<Taken> {
  readonly run: Taken[];
  /** Their owners died too often. They end with an error instead of running. */
  readonly setAside: Taken[];
  /** They have one try left and must run alone. */
  readonly postponed: Taken[];
}

/**
 * Decides which acquired chats run. A dying process counts a death for all its chats, so of the chats with one try left
 * only one runs at a time: a chat that kills the process does not set others aside.
 */
export function sortByDeaths<Taken extends { readonly chat: Deaths }>(
  taken: readonly Taken[],
  maxDeaths: number,
  isOnLastTry: boolean,
): Sorted<Taken> {
  const sorted: Sorted<Taken> = { run: [], setAside: [], postponed: [] };
  let isTaken = isOnLastTry;
  for (const one of taken) {
    const deaths = deathsOf(one.chat);
    if (deaths >= maxDeaths) sorted.setAside.push(one);
    else if (deaths === 0 || deaths < maxDeaths - 1) sorted.run.push(one);
    else if (isTaken) sorted.postponed.push(one);
    else {
      sorted.run.push(one);
      isTaken = true;
    }
  }
  return sorted;
}

export const crashLoopError = (deaths: number): ChatError => ({
  kind: 'crash_loop',
  retryable: false,
  message: `The server process that ran this chat died ${deaths} times in a row, so the chat was set aside. Send a message to run it again. If the process dies again, check the server log.`,
});
