/** Another worker has the chat now, or it no longer runs: nothing that we do to it counts any more. */
export class LostLease extends Error {
  override readonly name = 'LostLease';

  constructor() {
    super('another worker runs this chat');
  }
}

/** The history was rewritten under the turn, by an edit: begin again with what is there now. */
export class Obsolete extends Error {
  override readonly name = 'Obsolete';

  constructor() {
    super('the history has changed');
  }
}

/** A server offers other tools than when the turn began: the turn goes on with those. */
export class ToolsChanged extends Error {
  override readonly name = 'ToolsChanged';

  constructor() {
    super('the tools of the chat have changed');
  }
}

/** A message that joined the turn asked for another model: the turn goes on with that one. */
export class ModelChanged extends Error {
  override readonly name = 'ModelChanged';

  constructor() {
    super('the chat has another model now');
  }
}

/** The turn goes on, from what the chat's row says now. */
export const isRestart = (reason: unknown): boolean =>
  reason instanceof Obsolete || reason instanceof ModelChanged || reason instanceof ToolsChanged;
