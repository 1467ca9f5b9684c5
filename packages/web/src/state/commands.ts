import { useEffect, useRef } from 'react';
import { Cell } from './cell.ts';

/** In the order in which they are listed. */
export const COMMAND_GROUPS = ['This chat', 'Chats', 'View', 'Settings', 'Help'] as const;

/**
 * Something that a person can do here. What is registered is found in the palette, and by its keys: one list for both,
 * so that nothing is reachable by mouse alone.
 */
export interface Command {
  readonly id: string;
  /** As a person would say it: "New chat", "Stop the turn". */
  readonly title: string;
  readonly group: (typeof COMMAND_GROUPS)[number];
  /**
   * `mod` is Ctrl, or ⌘ on a Mac: 'mod+k', 'mod+shift+e', 'f2'. A plain character ('/') counts only where nothing is
   * being written. Not those that browsers keep for themselves: keys.test.ts has their list.
   */
  readonly keys?: string;
  /** Words by which it is also found. */
  readonly words?: string;
  /** Its keys count in front of a dialog or a menu, too, which otherwise have all keys for themselves. */
  readonly always?: boolean;
  /** Only its keys: what would be pointless in the palette. */
  readonly unlisted?: boolean;
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
