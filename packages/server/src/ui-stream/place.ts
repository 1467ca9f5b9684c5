/** Where a client is: in the reply to a message, and within so many of its steps. */
export interface Place {
  readonly turn: number;
  readonly steps: number;
}

export const encodePlace = ({ turn, steps }: Place): string => `${turn}.${steps}`;

/** Undefined when it is none. */
export function decodePlace(text: string): Place | undefined {
  const [, turn, steps] = /^([1-9][0-9]{0,15})\.([0-9]{1,9})$/.exec(text) ?? [];
  if (turn === undefined || steps === undefined) return undefined;
  return { turn: Number(turn), steps: Number(steps) };
}

/** The id of the UI message that holds all that was said in reply to a message. */
export const replyId = (turn: number): string => `reply-${turn}`;

export function turnOfReply(id: string): number | undefined {
  const [, turn] = /^reply-([1-9][0-9]{0,15})$/.exec(id) ?? [];
  return turn === undefined ? undefined : Number(turn);
}
