/** One file of migrations. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly sql: string;
  /** Programs that know migrations up to this one work on what it leaves behind; 0: all that worked before it. */
  readonly needs: number;
}

export type AppliedMigration = Pick<Migration, 'version' | 'name' | 'checksum'>;

export const labelOf = ({ version, name }: Pick<Migration, 'version' | 'name'>): string =>
  `${numberOf(version)}_${name}`;

export const numberOf = (version: number): string => String(version).padStart(4, '0');
