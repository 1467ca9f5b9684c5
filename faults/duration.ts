import type { Row } from './row.ts';

/** Starting and stopping a deployment, and the final checks. */
const SETUP_SECONDS = 15;

/** Rough duration of rows with 50 chats, such as `2 h 10 min`. */
export const estimate = (chosen: readonly { readonly row: Row }[], rounds: number): string =>
  formatDuration(
    chosen.reduce(
      (sum, { row: { seconds } }) =>
        sum + SETUP_SECONDS + (seconds.setup ?? 0) + rounds * seconds.round,
      0,
    ),
  );

export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}
