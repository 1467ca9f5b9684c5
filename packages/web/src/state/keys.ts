import { type Command, commands } from './commands.ts';

export const MAC = /Mac|iPhone|iPad/.test(navigator.platform);

const NAMES: Readonly<Record<string, string>> = {
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  ...(MAC
    ? { mod: '⌘', shift: '⇧', alt: '⌥', enter: '↵', escape: 'esc', delete: '⌦' }
    : { mod: 'Ctrl', shift: 'Shift', alt: 'Alt', enter: 'Enter', escape: 'Esc', delete: 'Del' }),
};

/** The name of `mod+shift+k` on this platform. */
export function keysLabel(keys: string): string {
  return keys
    .split('+')
    .map((key) => NAMES[key] ?? key.charAt(0).toUpperCase() + key.slice(1))
    .join(MAC ? '' : '+');
}

type Pressed = Pick<
  KeyboardEvent,
  'key' | 'code' | 'shiftKey' | 'altKey' | 'ctrlKey' | 'metaKey' | 'getModifierState'
>;

/** Whether an event matches exactly this combination. */
export function matchesKeys(event: Pressed, keys: string, mac = MAC): boolean {
  const wanted = keys.split('+');
  const key = wanted.at(-1) ?? '';
  const sign = key.length === 1 && !/[a-z0-9]/.test(key);
  const plain = wanted.length === 1;
  // AltGr types characters; Windows reports it as Ctrl and Alt.
  if (event.getModifierState('AltGraph')) return sign && plain && event.key === key;
  const mod = mac ? event.metaKey : event.ctrlKey;
  const other = mac ? event.ctrlKey : event.metaKey;
  return (
    !other &&
    mod === wanted.includes('mod') &&
    event.altKey === wanted.includes('alt') &&
    // The position of a symbol, and whether it needs Shift, depends on the layout.
    (sign || event.shiftKey === wanted.includes('shift')) &&
    keyOf(event) === key
  );
}

/** The character on the key; for non-Latin layouts, the one at the same position on a Latin layout. */
function keyOf({ key, code }: Pressed): string {
  const named = key.toLowerCase();
  const isLatin = named.length > 1 ? named !== 'dead' : named >= ' ' && named <= '~';
  if (isLatin) return named;
  return /^(?:Key|Digit)(.)$/.exec(code)?.[1]?.toLowerCase() ?? named;
}

/** Whether a key would type text here. */
function writes(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  const other = /^(?:button|checkbox|radio|range|color|file|reset|submit|image)$/;
  return target instanceof HTMLInputElement && !other.test(target.type);
}

/** Terminals and desktops receive all keys; dialogs and menus almost all. */
const TAKES_ALL = '[data-takes-keys], .xterm';
const IN_FRONT = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

function counts({ keys, always }: Command, event: KeyboardEvent): boolean {
  if (keys === undefined || !matchesKeys(event, keys)) return false;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest(TAKES_ALL)) return false;
  if (always !== true && target?.closest(IN_FRONT)) return false;
  return !writes(target) || (keys.length > 1 && !typesCharacter(event));
}

/** On a Mac, Option types characters, and accents for the next one: ⌥Y is "¥", ⌥N is "ń" in Polish and "˜" in English. */
export const typesCharacter = (
  { key, altKey, metaKey }: Pick<KeyboardEvent, 'key' | 'altKey' | 'metaKey'>,
  mac = MAC,
): boolean => mac && altKey && !metaKey && /^(?:.|Dead)$/u.test(key);

/** IME input is never a command. Safari reports key code 229 for the key that ends a composition. */
function onKeyDown(event: KeyboardEvent): void {
  if (event.isComposing || event.keyCode === 229 || event.defaultPrevented) return;
  // The command registered last wins: it belongs to the foreground.
  const command = commands.get().findLast((candidate) => counts(candidate, event));
  if (command === undefined) return;
  event.preventDefault();
  if (!event.repeat) command.run();
}

/** Handles command keys for the whole page. */
export function listenForKeys(): () => void {
  addEventListener('keydown', onKeyDown);
  return () => removeEventListener('keydown', onKeyDown);
}
