import { ChatdProblem } from '@chatd/client';
import type { User } from '@chatd/protocol';
import { Cell } from '../state/cell.ts';
import { client } from './client.ts';

export type Session =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'unreachable'; readonly reason: string }
  | { readonly kind: 'signed-in'; readonly user: User };

class BrowserSession {
  readonly state = new Cell<Session>({ kind: 'unknown' });

  async load(): Promise<void> {
    try {
      this.signedIn(await client.call('getMe', {}));
    } catch (error) {
      if (error instanceof ChatdProblem && error.status === 401) this.signedOut();
      else this.state.set({ kind: 'unreachable', reason: (error as Error).message });
    }
  }

  signedIn(user: User): void {
    this.state.set({ kind: 'signed-in', user });
  }

  readonly signedOut = (): void => {
    this.state.set({ kind: 'signed-out' });
  };
}

/** Who uses this page. */
export const session = new BrowserSession();
