import type { Fence } from '../../packages/server/src/chat/fence.ts';
import type { openBare } from './bare.ts';
import type { Chats } from './chats.ts';

type Bare = Awaited<ReturnType<typeof openBare>>;

/** One unit of work of a lane. Returns the number of transitions. */
export type Lane = () => Promise<number>;

/** A measured case. `lanes` prepares, untimed; each lane then repeats its work until the time is up. */
export interface Case {
  readonly name: string;
  /** The case it is compared with, or itself. */
  readonly baseline: 'bare transaction' | 'bare transaction, cold row';
  lanes(concurrency: number, most: number): Promise<Lane[]>;
}

const each = (concurrency: number) => Array.from({ length: concurrency }, (_, lane) => lane);

/** On a recently used row, like all transitions of a turn except the first. */
export const bareCase = (bare: Bare): Case => ({
  name: 'bare transaction',
  baseline: 'bare transaction',
  async lanes(concurrency) {
    return each(concurrency).map((lane) => async () => {
      await bare.transact(lane);
      return 1;
    });
  },
});

/** On a row without recent changes: PostgreSQL logs the full page on the first change. */
export const bareFreshCase = (bare: Bare): Case => ({
  name: 'bare transaction, cold row',
  baseline: 'bare transaction, cold row',
  async lanes(concurrency, most) {
    await bare.fill(most);
    let row = 0;
    return each(concurrency).map(() => async () => {
      row += 1;
      if (row >= most) throw new Error('no unused rows left');
      await bare.transact(row);
      return 1;
    });
  },
});

/** One statement that updates the chat and inserts the message. */
export const sendCase = (chats: Chats): Case => ({
  name: 'send, idle chat',
  baseline: 'bare transaction, cold row',
  async lanes(concurrency, most) {
    const ids = await chats.idle(most);
    return each(concurrency).map(() => async () => {
      const id = ids.pop();
      if (id === undefined) throw new Error('no idle chats left');
      await chats.send(id);
      return 1;
    });
  },
});

/** Fenced statements that update chats, insert messages and record model calls. Concurrent steps share a statement. */
export const commitStepCase = (chats: Chats): Case => ({
  name: 'commit step',
  baseline: 'bare transaction',
  async lanes(concurrency) {
    const ids = await chats.idle(concurrency);
    await Promise.all(ids.map((id) => chats.send(id)));
    const fences = await chats.acquire(concurrency);
    return [...fences].map(([id, first]) => {
      let fence = first;
      return async () => {
        fence = await chats.commitStep(id, fence, 0);
        return 1;
      };
    });
  },
});

/** A complete turn: send, acquire, begin attempt, commit step, finish turn. */
export const turnCase = (chats: Chats): Case => ({
  name: 'turn, per transition',
  baseline: 'bare transaction',
  async lanes(concurrency) {
    const ids = await chats.idle(concurrency);
    // Each acquisition takes chats for all lanes, like a worker for its runners.
    const runners = new Map<string, PromiseWithResolvers<Fence>>();
    return ids.map((id) => async () => {
      const runner = Promise.withResolvers<Fence>();
      runners.set(id, runner);
      await chats.send(id);
      for (const [chat, fence] of await chats.acquire(concurrency)) {
        runners.get(chat)?.resolve(fence);
      }
      const fence = await runner.promise;
      await chats.beginAttempt(id, fence);
      await chats.finishTurn(id, await chats.commitStep(id, fence, 1));
      return 5;
    });
  },
});
