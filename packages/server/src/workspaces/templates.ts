import type { TemplateDefinition } from '@chatd/protocol';
import type { Logger } from 'pino';
import { listTemplates } from '../store/queries/templates.ts';
import type { Queryable } from '../store/statement.ts';
import { readTemplateFiles } from './template-files.ts';

export interface KnownTemplate {
  readonly id: string;
  readonly name: string;
  readonly definition: TemplateDefinition;
  readonly from_file: boolean;
  readonly created_at?: Date;
}

/** Workspace templates from the database and from a folder. A file takes precedence over a row with the same name. */
export class Templates {
  readonly #database: Queryable;
  readonly #directory: string | undefined;
  readonly #log: Logger;
  /** Problems that were already logged. */
  readonly #told = new Set<string>();

  constructor(options: { database: Queryable; directory: string | undefined; log: Logger }) {
    this.#database = options.database;
    this.#directory = options.directory;
    this.#log = options.log;
  }

  async list(db: Queryable = this.#database): Promise<KnownTemplate[]> {
    const [rows, files] = await Promise.all([db.query(listTemplates), this.#files()]);
    const taken = new Set(files.map(({ name }) => name));
    const stored = rows
      .filter(({ name }) => !taken.has(name))
      .map((row) => ({ ...row, from_file: false }));
    return [...files, ...stored].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** By id, or by name as models refer to it. */
  async find(idOrName: string, db?: Queryable): Promise<KnownTemplate | undefined> {
    const all = await this.list(db);
    const wanted = idOrName.toLowerCase();
    return (
      all.find(({ id }) => id === wanted) ?? all.find(({ name }) => name.toLowerCase() === wanted)
    );
  }

  async #files(): Promise<readonly KnownTemplate[]> {
    if (this.#directory === undefined) return [];
    const { templates, problems } = await readTemplateFiles(this.#directory);
    for (const problem of problems) {
      if (this.#told.has(problem)) continue;
      this.#told.add(problem);
      this.#log.warn(`invalid workspace template: ${problem}`);
    }
    return templates;
  }
}
