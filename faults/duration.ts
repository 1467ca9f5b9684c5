import type { Row } from './row.ts';

/** Starting and stopping a deployment, and the final checks. */
const SETUP_SECONDS = 15;

/** Rough duration of a row with 50 chats. */
export const secondsOf = ({ seconds }: Row, rounds: number): number =>
  SETUP_SECONDS + (seconds.setup ?? 0) + rounds * seconds.round;

/** Rough duration of tasks, `jobs` at a time, such as `2 h 10 min`. */
export function estimate(
  tasks: readonly { readonly seconds: number; readonly isAlone: boolean }[],
  jobs: number,
): string {
  const sum = (isAlone: boolean) =>
    tasks.reduce((all, task) => all + (task.isAlone === isAlone ? task.seconds : 0), 0);
  return formatDuration(sum(false) / jobs + sum(true));
}

export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}
