import { createContext, Script } from 'node:vm';

/** The work was stopped at its deadline. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

const context: { work?: () => void } = {};
const script = new Script('work()');
let isPrepared = false;

/**
 * Runs synchronous work and stops it at the deadline, even inside a loop, a recursion or a regular expression. The work
 * must not leave shared state half-changed.
 */
export function withinDeadline<T>(deadlineMs: number, work: () => T): T {
  if (!isPrepared) createContext(context);
  isPrepared = true;
  let outcome: { value: T } | undefined;
  context.work = () => {
    outcome = { value: work() };
  };
  try {
    script.runInContext(context, { timeout: deadlineMs });
  } catch (error) {
    if (!isTimeout(error)) throw error;
    throw new DeadlineExceeded(`The work took longer than ${deadlineMs} ms.`, { cause: error });
  } finally {
    delete context.work;
  }
  if (outcome === undefined) throw new DeadlineExceeded('The work was stopped.');
  return outcome.value;
}

/** The error comes from another context and is not an instance of our `Error`. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
