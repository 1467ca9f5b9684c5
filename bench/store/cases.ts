import type { Fence } from '../../packages/server/src/chat/fence.ts';
import type { openBare } from './bare.ts';
import type { Chats } from './chats.ts';

type Bare = Awaited<ReturnType<typeof openBare>>;

/** One lane's work: does it once and says how many transitions that were. */
export type Lane = () => Promise<number>;

/** What is measured: `lanes` prepares, untimed; each lane then repeats its work until time is up. */
export interface Case {
  readonly name: string;
  /** What it is compared with; itself, when it is a floor. */
  readonly floor: 'bare transaction' | 'bare transaction, cold row';
  lanes(concurrency: number, most: number): Promise<Lane[]>;
}

const each = (concurrency: number) => Array.from({ length: concurrency }, (_, lane) => lane);

/** On a row that was used a moment ago, as all but the first transition of a turn are. */
export const bareCase = (bare: Bare): Case => ({
  name: 'bare transaction',
  floor: 'bare transaction',
  async lanes(concurrency) {
    return each(concurrency).map((lane) => async () => {
      await bare.transact(lane);
      return 1;
    });
  },
});

/** On a row that nobody has used for a while: PostgreSQL logs its whole page with the first change. */
export const bareFreshCase = (bare: Bare): Case => ({
  name: 'bare transaction, cold row',
  floor: 'bare transaction, cold row',
  async lanes(concurrency, most) {
    await bare.fill(most);
    let row = 0;
    return each(concurrency).map(() => async () => {
      row += 1;
      if (row >= most) throw new Error('ran out of rows: make more');
      await bare.transact(row);
      return 1;
    });
  },
});

/** Through the door: lock, plan, update, insert. */
export const sendCase = (chats: Chats): Case => ({
  name: 'send, idle chat',
  floor: 'bare transaction, cold row',
  async lanes(concurrency, most) {
    const ids = await chats.idle(most);
    return each(concurrency).map(() => async () => {
      const id = ids.pop();
      if (id === undefined) throw new Error('ran out of idle chats: make more');
      await chats.send(id);
      return 1;
    });
  },
});

/** Past the door: one fenced statement that updates the chat, adds a message and books the model call. */
export const commitStepCase = (chats: Chats): Case => ({
  name: 'commit step',
  floor: 'bare transaction',
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

/** A whole turn: send, acquire, begin attempt, commit step, finish turn. */
export const turnCase = (chats: Chats): Case => ({
  name: 'turn, per transition',
  floor: 'bare transaction',
  async lanes(concurrency) {
    const ids = await chats.idle(concurrency);
    // Whoever sweeps gets what is there, for all lanes: as a worker does for its runners.
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
