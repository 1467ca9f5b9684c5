import { HandedOver } from '@chatd/loop';

/** Another worker owns the chat, or it no longer runs. This runner cannot write it any more. */
export class LostLease extends HandedOver {
  override readonly name = 'LostLease';

  constructor() {
    super('another worker runs this chat');
  }
}

/** The history was edited during the turn, which begins again with the new history. */
export class Obsolete extends Error {
  override readonly name = 'Obsolete';

  constructor() {
    super('the history has changed');
  }
}

/** An MCP server has changed its tools. The turn continues with the new ones. */
export class ToolsChanged extends Error {
  override readonly name = 'ToolsChanged';

  constructor() {
    super('the tools of the chat have changed');
  }
}

/** A message that joined the turn selects another model. The turn continues with it. */
export class ModelChanged extends Error {
  override readonly name = 'ModelChanged';

  constructor() {
    super('the chat has another model now');
  }
}

/** The turn restarts from the chat's row. */
export const isRestart = (reason: unknown): boolean =>
  reason instanceof Obsolete || reason instanceof ModelChanged || reason instanceof ToolsChanged;
