import { commands } from './commands.ts';

export const MAC = /Mac|iPhone|iPad/.test(navigator.platform);

/** `mod+shift+k` as the keyboard of this machine names it. */
export function keysLabel(keys: string): string {
  const names: Record<string, string> = MAC
    ? { mod: '⌘', shift: '⇧', alt: '⌥', enter: '↵', escape: 'esc' }
    : { mod: 'Ctrl', shift: 'Shift', alt: 'Alt', enter: 'Enter', escape: 'Esc' };
  return keys
    .split('+')
    .map((key) => names[key] ?? (key.length === 1 ? key.toUpperCase() : key))
    .join(MAC ? '' : '+');
}

/** Whether an event is this combination, and nothing more is held down. */
export function matchesKeys(event: KeyboardEvent, keys: string): boolean {
  const wanted = keys.split('+');
  const key = wanted.at(-1) ?? '';
  const mod = MAC ? event.metaKey : event.ctrlKey;
  const other = MAC ? event.ctrlKey : event.metaKey;
  const held = { mod, shift: event.shiftKey, alt: event.altKey };
  return (
    !other &&
    Object.entries(held).every(([name, down]) => down === wanted.includes(name)) &&
    (event.key.toLowerCase() === key || event.code.toLowerCase() === `key${key}`)
  );
}

/** Composing text (IME) is never a command. */
function onKeyDown(event: KeyboardEvent): void {
  if (event.isComposing || event.defaultPrevented) return;
  // The one that was offered last is the one of what is in front.
  const command = commands
    .get()
    .findLast(({ keys }) => keys !== undefined && matchesKeys(event, keys));
  if (command === undefined) return;
  event.preventDefault();
  command.run();
}

/** Runs commands by their keys, wherever the focus is. */
export function listenForKeys(): () => void {
  addEventListener('keydown', onKeyDown);
  return () => removeEventListener('keydown', onKeyDown);
}
