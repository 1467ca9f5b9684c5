import { ChatdProblem } from '@chatd/client';
import type { ChatStatus } from '@chatd/protocol';
import { useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';
import { toast } from 'sonner';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { announce } from '../announcements.tsx';

/** By which the part of the page is found that the composer is. */
export const COMPOSER_NAME = 'New message';

/** How long the first Esc counts. */
const ARMED_MS = 2000;

export interface Stopping {
  readonly possible: boolean;
  /** It was asked for and has not happened yet. */
  readonly under: boolean;
  /** One more Esc stops. */
  readonly armed: boolean;
  readonly stop: () => Promise<void>;
}

/**
 * Stopping the turn. By keys it takes Esc twice: once is what closes menus and lists, and what a tool has been
 * cancelled in the middle of cannot be taken back.
 */
export function useStop(chatId: string | undefined, status: ChatStatus): Stopping {
  const [armed, setArmed] = useState(false);
  const [asked, setAsked] = useState(false);
  const possible = status === 'running' || status === 'requires_action';
  // Before it can be seen: an Esc that answers to what is shown must not be taken back.
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
      announce('The turn is stopped. What was said is kept.');
    } catch (error) {
      setAsked(false);
      // It ended by itself in the meantime, which is what was wanted.
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

/** In a field of something else, Esc is about that. */
const isElsewhere = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.matches('input, textarea, select, [contenteditable="true"]') &&
  target.closest(`[aria-label="${COMPOSER_NAME}"]`) === null;
