/** One connection to a broker. Any error ends it; nothing is retried. */
export interface Session {
  /** Max bytes of a packet, in UTF-8. */
  readonly packetBytes: number;
  /** Resolves when the broker has the packets: false if no process listens. Their fate is unknown if it rejects. */
  send(packets: readonly { readonly channel: string; readonly text: string }[]): Promise<boolean>;
  /** Resolves when packets that are sent from now on arrive. */
  listen(channels: readonly string[]): Promise<void>;
  unlisten(channel: string): Promise<void>;
  /** Resolves when a message to this session has come back. */
  ping(): Promise<void>;
  /** Resolves when the connection has ended, with the reason. */
  readonly ended: Promise<Error>;
  /** Closes the connection in order. */
  close(): Promise<void>;
  /** Closes the connection immediately. */
  destroy(): void;
}

export type PacketListener = (channel: string, text: string) => void;
export type OpenSession = (onPacket: PacketListener) => Promise<Session>;
