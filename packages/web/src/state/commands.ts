import { useEffect, useRef } from 'react';
import { Cell } from './cell.ts';

/** In display order. */
export const COMMAND_GROUPS = ['This chat', 'Chats', 'View', 'Settings', 'Help'] as const;

/**
 * An action. Registered commands appear in the palette and respond to their keys, so that every action is available
 * without a mouse.
 */
export interface Command {
  readonly id: string;
  /** An imperative phrase: "New chat", "Stop turn". */
  readonly title: string;
  readonly group: (typeof COMMAND_GROUPS)[number];
  /**
   * `mod` is Ctrl, or ⌘ on a Mac: 'mod+k', 'mod+shift+e', 'f2'. A plain character ('/') applies only outside of text
   * fields. Keys that browsers reserve are not allowed: keys.test.ts lists them.
   */
  readonly keys?: string;
  /** Additional search terms. */
  readonly words?: string;
  /** Applies in dialogs and menus, too, which otherwise handle all keys. */
  readonly always?: boolean;
  /** Not listed in the palette. */
  readonly unlisted?: boolean;
  readonly run: () => void;
}

export const commands = new Cell<readonly Command[]>([]);

/** Registers commands while the component is mounted. They may close over changing values: the latest ones run. */
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
