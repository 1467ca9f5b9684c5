import { ChatdProblem } from '@chatd/client';
import type { User } from '@chatd/protocol';
import { Cell } from '../state/cell.ts';
import { forgetAllDeleted } from '../state/chats/deleted-chats.ts';
import { stopNotifications } from '../state/push.ts';
import { client, whenSessionEnds } from './client.ts';
import { explain } from './explain.ts';
import { toast } from '../ui/toast.ts';

export type Session =
  | { readonly kind: 'unknown' }
  /** `was`: the user whose session ended. Their unsent drafts are kept. */
  | { readonly kind: 'signed-out'; readonly was: User | undefined }
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
    const state = this.state.get();
    const was = state.kind === 'signed-out' ? state.was : undefined;
    // Clears everything that belongs to the previous user.
    if (was !== undefined && was.id !== user.id) location.reload();
    else this.state.set({ kind: 'signed-in', user });
  }

  /** The session expired or was ended elsewhere. */
  readonly signedOut = (): void => {
    const state = this.state.get();
    if (state.kind === 'signed-out') return;
    this.state.set({
      kind: 'signed-out',
      was: state.kind === 'signed-in' ? state.user : undefined,
    });
  };

  async signOut(): Promise<void> {
    let next = '/';
    // The next user of this browser must not see notifications of this one.
    await stopNotifications().catch(() => undefined);
    try {
      // An OIDC provider has a session of its own.
      next = (await client.call('signOut', {}))?.redirect_url ?? next;
    } catch (error) {
      toast.error('Sign-out failed', { description: explain(error) });
      return;
    }
    forgetAllDeleted();
    // A full page load clears all state in memory.
    location.assign(next);
  }
}

export const session = new BrowserSession();

whenSessionEnds(session.signedOut);
