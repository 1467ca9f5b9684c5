/** One connection to a broker, for as long as it lasts. Whatever goes wrong ends it; nothing is tried twice. */
export interface Session {
  /** The most that a packet may have, in UTF-8. */
  readonly packetBytes: number;
  /**
   * Resolves when the broker has them, with whether anybody may have listened; when it rejects, nobody knows.
   */
  send(packets: readonly { readonly channel: string; readonly text: string }[]): Promise<boolean>;
  /** Resolves when what is sent from now on arrives. */
  listen(channels: readonly string[]): Promise<void>;
  unlisten(channel: string): Promise<void>;
  /** Resolves when a message to ourselves came back. */
  ping(): Promise<void>;
  /** Resolves with the reason when the connection is gone. */
  readonly ended: Promise<Error>;
  /** Says goodbye. */
  close(): Promise<void>;
  /** At once, and without waiting for anybody. */
  destroy(): void;
}

export type PacketListener = (channel: string, text: string) => void;
export type OpenSession = (onPacket: PacketListener) => Promise<Session>;
