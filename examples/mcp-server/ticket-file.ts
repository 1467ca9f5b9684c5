import { readFile, rename, writeFile } from 'node:fs/promises';

export interface Ticket {
  readonly id: number;
  readonly title: string;
  readonly status: 'open' | 'closed';
  readonly reason?: string;
}

const INITIAL_TICKETS: readonly Ticket[] = [
  { id: 1, title: 'Invoice for Oslo is missing', status: 'open' },
  { id: 2, title: 'Printer on floor 3 is slow', status: 'open' },
];

/** Stores the tickets in a file. Your server would call your ticket system instead. */
export class TicketFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async all(): Promise<readonly Ticket[]> {
    try {
      return JSON.parse(await readFile(this.#path, 'utf8')) as Ticket[];
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
        return INITIAL_TICKETS;
      throw error;
    }
  }

  /** Returns undefined if the ticket does not exist. */
  async close(id: number, reason: string): Promise<Ticket | undefined> {
    const tickets = await this.all();
    const changed = tickets.map((ticket) =>
      ticket.id === id ? { ...ticket, status: 'closed' as const, reason } : ticket,
    );
    await writeFile(`${this.#path}.new`, JSON.stringify(changed, null, 2));
    await rename(`${this.#path}.new`, this.#path);
    return changed.find((ticket) => ticket.id === id);
  }
}
