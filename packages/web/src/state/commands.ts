import { useEffect, useRef } from 'react';
import { Cell } from './cell.ts';

/**
 * Something that a person can do here. What is registered is found in the palette, and by its keys: one list for both,
 * so that nothing is reachable by mouse alone.
 */
export interface Command {
  readonly id: string;
  /** As a person would say it: "New chat", "Stop the turn". */
  readonly title: string;
  readonly group: 'Chats' | 'This chat' | 'View' | 'Settings' | 'Help';
  /** `mod` is Ctrl, or ⌘ on a Mac: 'mod+k', 'mod+shift+e', 'g s' is not supported. */
  readonly keys?: string;
  /** Words by which it is also found. */
  readonly words?: string;
  readonly run: () => void;
}

export const commands = new Cell<readonly Command[]>([]);

/** Offers commands for as long as the component is there. They may close over what changes: the latest ones are run. */
export function useCommands(offered: readonly Command[]): void {
  const latest = useRef(offered);
  useEffect(() => {
    latest.current = offered;
  });
  const ids = offered.map(({ id, title, keys }) => `${id}\0${title}\0${keys ?? ''}`).join('\n');
  useEffect(() => {
    const mine = latest.current.map((command): Command => {
      const run = () => latest.current.find(({ id }) => id === command.id)?.run();
      return { ...command, run };
    });
    commands.update((all) => [...all, ...mine]);
    return () => commands.update((all) => all.filter((command) => !mine.includes(command)));
  }, [ids]);
}
