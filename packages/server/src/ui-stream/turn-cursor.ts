/** What a client has read: the message that began the turn, and the number of steps. */
export interface TurnCursor {
  readonly turn: number;
  readonly steps: number;
}

export const encodeTurnCursor = ({ turn, steps }: TurnCursor): string => `${turn}.${steps}`;

/** Undefined: malformed. */
export function decodeTurnCursor(text: string): TurnCursor | undefined {
  const [, turn, steps] = /^([1-9][0-9]{0,15})\.([0-9]{1,9})$/.exec(text) ?? [];
  if (turn === undefined || steps === undefined) return undefined;
  return { turn: Number(turn), steps: Number(steps) };
}

/** The id of the UI message with the reply to a message. */
export const replyId = (turn: number): string => `reply-${turn}`;

export function turnOfReply(id: string): number | undefined {
  const [, turn] = /^reply-([1-9][0-9]{0,15})$/.exec(id) ?? [];
  return turn === undefined ? undefined : Number(turn);
}
