export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly sql: string;
  /** The newest migration that programs must know to work with the result. 0: no requirement. */
  readonly needs: number;
}

export type AppliedMigration = Pick<Migration, 'version' | 'name' | 'checksum'>;

export const labelOf = ({ version, name }: Pick<Migration, 'version' | 'name'>): string =>
  `${numberOf(version)}_${name}`;

export const numberOf = (version: number): string => String(version).padStart(4, '0');
