/** Carries whole messages in order, in both directions, until one side closes it. */
export interface Channel {
  /** Ignored when the channel is closed. */
  send(message: Buffer): void;
  /** Bytes that were sent and not yet handed to the network. */
  readonly backlog: number;
  onMessage(listener: (message: Buffer) => void): void;
  /** Called once, also if the channel is closed already. */
  onClose(listener: (reason: string) => void): void;
  close(reason: string): void;
}

/** The connection was lost. Requests without an answer may have had an effect. */
export class LinkLost extends Error {
  override readonly name = 'LinkLost';
}
