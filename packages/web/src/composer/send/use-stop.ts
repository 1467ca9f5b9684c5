import { ChatdProblem } from '@chatd/client';
import type { ChatStatus } from '@chatd/protocol';
import { useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { announce } from '../announcements.tsx';
import { toast } from '../../ui/toast.ts';

/** Marks the composer's part of the page. */
export const COMPOSER_NAME = 'New message';

/** How long the first Esc counts. */
const ARMED_MS = 2000;

export interface Stopping {
  readonly possible: boolean;
  /** Requested and not yet done. */
  readonly under: boolean;
  /** The next Esc stops the turn. */
  readonly armed: boolean;
  readonly stop: () => Promise<void>;
}

/** Stops the turn. Requires Esc twice: a single Esc closes menus, and a canceled tool call cannot be undone. */
export function useStop(chatId: string | undefined, status: ChatStatus): Stopping {
  const [armed, setArmed] = useState(false);
  const [asked, setAsked] = useState(false);
  const possible = status === 'running' || status === 'requires_action';
  // Armed before it is rendered, so that a second Esc in response to the hint always counts.
  useLayoutEffect(() => {
    setAsked(false);
    setArmed(false);
  }, [status]);
  useEffect(() => {
    if (!armed) return;
    const timer = setTimeout(() => setArmed(false), ARMED_MS);
    return () => clearTimeout(timer);
  }, [armed]);

  const stop = async () => {
    if (chatId === undefined) return;
    setAsked(true);
    setArmed(false);
    try {
      await client.call('interruptChat', { params: { chat_id: chatId } });
      announce('Turn stopped. Its results are kept.');
    } catch (error) {
      setAsked(false);
      // The turn ended in the meantime.
      if (error instanceof ChatdProblem && error.code === 'not_running') return;
      toast.error(`The turn could not be stopped. ${explain(error)}`);
    }
  };
  const escape = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
    if (!possible || asked || isElsewhere(event.target)) return;
    event.preventDefault();
    if (armed) void stop();
    else {
      setArmed(true);
      announce('Press Escape again to stop the turn.');
    }
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => escape(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
  return { possible: possible && !asked, under: status === 'interrupting' || asked, armed, stop };
}

/** In another text field, Esc belongs to that field. */
const isElsewhere = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.matches('input, textarea, select, [contenteditable="true"]') &&
  target.closest(`[aria-label="${COMPOSER_NAME}"]`) === null;
