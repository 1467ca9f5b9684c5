import { expect } from 'vitest';
import { says, type TestStore } from '@chatd/test-server/database';

/**
 * Another chat that commits a step whenever a runner of the store does, in the same turn of the event loop: every step
 * of a test shares its statement with a step of this chat. `check` expects each of its steps exactly once.
 */
export async function startNeighbor(store: TestStore): Promise<{ check(): Promise<void> }> {
  const { id } = await store.create();
  let fence = await store.take(id);
  let committing: Promise<void> | undefined;
  let committed = 0;
  const { runner } = store;
  const commitStep = runner.commitStep.bind(runner);
  const commit = async (): Promise<void> => {
    const step = { messages: [says(`step ${committed}`)], attempt: 0 };
    const { history_version } = await commitStep(id, fence, step);
    fence = { ...fence, history_version };
    committed += 1;
    committing = undefined;
  };
  runner.commitStep = (...step) => {
    committing ??= commit();
    return commitStep(...step);
  };
  return {
    async check() {
      await committing;
      expect(committed).toBeGreaterThan(0);
      const steps = Array.from({ length: committed }, (_, n) => `assistant: step ${n}`);
      expect(await store.story(id)).toEqual(['user: first', ...steps]);
    },
  };
}
