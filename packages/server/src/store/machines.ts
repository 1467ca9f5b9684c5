export interface MachineCapabilities {
  readonly sandbox?: boolean;
  readonly docker?: boolean;
  readonly desktop?: boolean;
}

export interface MachineRow {
  readonly id: string;
  readonly name: string;
  readonly kind: 'local' | 'remote';
  /** The labels of admins and of the machine itself. */
  readonly labels: Readonly<Record<string, string>>;
  /** The part of the labels that admins have set. */
  readonly admin_labels: Readonly<Record<string, string>>;
  readonly draining: boolean;
  /** The only workspace of a machine that was provisioned for one. */
  readonly reserved_for: string | null;
  readonly version: string | null;
  readonly capabilities: MachineCapabilities;
  readonly created_at: Date;
  readonly last_seen_at: Date | null;
  /** A living replica holds its connection. */
  readonly online: boolean;
  readonly workspaces: number;
}

/** The living connection of a machine. */
export interface MachineConnectionRow {
  readonly machine_id: string;
  readonly machine_name: string;
  readonly replica_id: string;
  /** The name of its host. Null: it did not record it. */
  readonly host: string | null;
  readonly epoch: number;
  readonly internal_url: string;
}
