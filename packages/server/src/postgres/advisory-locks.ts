/** "chat" in ASCII: keeps our locks apart from those of others who use the same database. */
const NAMESPACE = 0x63_68_61_74;

export const ADVISORY_LOCKS = {
  /** Held for as long as a server runs on an embedded database: one server per data directory. */
  owner: [NAMESPACE, 1],
  /** Held within each transaction that migrates. */
  migration: [NAMESPACE, 2],
  /** Held while a worker counts what runs in the whole deployment and takes what may. */
  capacity: [NAMESPACE, 3],
} as const;

/** "chbu": a family of locks of its own, one for each channel of the bus, held by those who listen to it. */
export const BUS_LOCKS = 0x63_68_62_75;

/** "chfi": a family of locks of its own, one for each owner of files, held while a file is counted and added. */
export const FILE_LOCKS = 0x63_68_66_69;
