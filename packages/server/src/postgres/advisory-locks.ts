/** "chat" in ASCII. Separates these locks from those of other programs in the same database. */
const NAMESPACE = 0x63_68_61_74;

export const ADVISORY_LOCKS = {
  /** Held while a server uses an embedded database: one server per data directory. */
  owner: [NAMESPACE, 1],
  /** Held in each transaction that migrates. */
  migration: [NAMESPACE, 2],
  /** Held while a worker counts the running chats of the deployment and acquires more. */
  capacity: [NAMESPACE, 3],
} as const;

/** "chbu": one lock per bus channel, held by its listeners. */
export const BUS_LOCKS = 0x63_68_62_75;

/** "chfi": one lock per owner of files, held while a file is counted and added. */
export const FILE_LOCKS = 0x63_68_66_69;

/** "chid": one lock per account at the OIDC provider, held while its user is found or created. */
export const IDENTITY_LOCKS = 0x63_68_69_64;

/** "chtr": one lock per trigger, held while a run starts. */
export const TRIGGER_LOCKS = 0x63_68_74_72;
