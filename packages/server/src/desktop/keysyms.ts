/** Names of keys without a character, in lower case. */
const NAMED: Readonly<Record<string, number>> = {
  backspace: 0xff08,
  tab: 0xff09,
  return: 0xff0d,
  enter: 0xff0d,
  linefeed: 0xff0a,
  clear: 0xff0b,
  pause: 0xff13,
  scroll_lock: 0xff14,
  escape: 0xff1b,
  esc: 0xff1b,
  delete: 0xffff,
  del: 0xffff,
  home: 0xff50,
  left: 0xff51,
  arrowleft: 0xff51,
  up: 0xff52,
  arrowup: 0xff52,
  right: 0xff53,
  arrowright: 0xff53,
  down: 0xff54,
  arrowdown: 0xff54,
  page_up: 0xff55,
  pageup: 0xff55,
  prior: 0xff55,
  page_down: 0xff56,
  pagedown: 0xff56,
  next: 0xff56,
  end: 0xff57,
  print: 0xff61,
  insert: 0xff63,
  menu: 0xff67,
  num_lock: 0xff7f,
  kp_enter: 0xff8d,
  shift: 0xffe1,
  shift_l: 0xffe1,
  shift_r: 0xffe2,
  ctrl: 0xffe3,
  control: 0xffe3,
  control_l: 0xffe3,
  control_r: 0xffe4,
  caps_lock: 0xffe5,
  capslock: 0xffe5,
  alt: 0xffe9,
  option: 0xffe9,
  alt_l: 0xffe9,
  alt_r: 0xffea,
  altgr: 0xfe03,
  meta: 0xffeb,
  super: 0xffeb,
  super_l: 0xffeb,
  super_r: 0xffec,
  cmd: 0xffeb,
  command: 0xffeb,
  win: 0xffeb,
  windows: 0xffeb,
  space: 0x20,
  plus: 0x2b,
  minus: 0x2d,
  equal: 0x3d,
  comma: 0x2c,
  period: 0x2e,
  slash: 0x2f,
  backslash: 0x5c,
  semicolon: 0x3b,
  apostrophe: 0x27,
  grave: 0x60,
  bracketleft: 0x5b,
  bracketright: 0x5d,
};

const FIRST_FUNCTION_KEY = 0xffbe;
const UNICODE = 0x0100_0000;

/** The keysym of a character. Latin-1 characters have their own numbers, others follow from their code points. */
export function keysymOf(character: string): number {
  if (character === '\n' || character === '\r') return 0xff0d;
  if (character === '\t') return 0xff09;
  if (character === '\b') return 0xff08;
  const code = character.codePointAt(0) ?? 0x20;
  const isLatin = (code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xff);
  return isLatin ? code : UNICODE + code;
}

/** A key by name (`Return`, `ctrl`, `F5`) or character. Undefined: no such key. */
function namedKey(name: string): number | undefined {
  const isCharacter = name !== '' && name === String.fromCodePoint(name.codePointAt(0) ?? 0);
  if (isCharacter) return keysymOf(name);
  const known = NAMED[name.toLowerCase()];
  if (known !== undefined) return known;
  const [, digits] = /^f(\d{1,2})$/i.exec(name) ?? [];
  const number = Number(digits);
  return number >= 1 && number <= 24 ? FIRST_FUNCTION_KEY + number - 1 : undefined;
}

const SHIFT = /^shift(?:_[lr])?$/i;

/** Keys to press together: `ctrl+shift+t`. A single plus is the key itself. */
export function chordOf(text: string): { keysyms: number[] } | { unknown: string } {
  const names = text === '+' ? ['+'] : text.replace(/\+\+$/, '+plus').split('+');
  const isShifted = names.some((name) => SHIFT.test(name));
  const keysyms: number[] = [];
  for (const name of names) {
    const isLetter = names.length > 1 && /^[a-z]$/i.test(name);
    // A letter names its key: ctrl+A is not ctrl+shift+A. Other shifted characters need an explicit shift.
    const letter = isShifted ? name.toUpperCase() : name.toLowerCase();
    const keysym = namedKey(isLetter ? letter : name.trim() || name);
    if (keysym === undefined) return { unknown: name };
    keysyms.push(keysym);
  }
  return { keysyms };
}
