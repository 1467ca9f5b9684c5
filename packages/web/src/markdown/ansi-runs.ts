import { safeText } from './safe-text.ts';

/** A run of terminal output with one style. Colors are 0–15, or an `rgb(…)` of the larger palettes. */
export interface AnsiRun {
  readonly text: string;
  readonly color?: number | string;
  readonly background?: number | string;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
}

type Look = Omit<AnsiRun, 'text'>;
type Changeable = { -readonly [Key in keyof Look]: Look[Key] };

/** CSI: `ESC [`, parameters, and a final letter; `m` sets colors. */
const CONTROL_SEQUENCE = String.raw`(?:\x1B\[|\x9B)([\d;:<=>?]*)[ -/]*([@-~])`;
/** OSC, DCS, SOS, PM and APC (titles, links, clipboard), terminated or cut off. */
const STRING_SEQUENCE = String.raw`(?:\x1B[\]PX^_]|[\x90\x98\x9D-\x9F])[^\x07\x1B\x9C]*(?:\x07|\x1B\\|\x9C|$)`;
const CUT_OFF = String.raw`\x9B[\d;:<=>?]*$|\x1B[ -/]*[0-~]?`;
/** Colors are interpreted; all other escape sequences are dropped. */
const SEQUENCE = new RegExp(`${CONTROL_SEQUENCE}|${STRING_SEQUENCE}|${CUT_OFF}`, 'g');

/**
 * The visible result of terminal output: overwritten lines in their final state, colors as runs, and no control
 * characters.
 */
export function ansiRuns(output: string): AnsiRun[] {
  const runs: AnsiRun[] = [];
  let look: Changeable = {};
  let at = 0;
  const text = asOverwritten(output);
  const push = (piece: string) => {
    const shown = safeText(piece);
    if (shown !== '') runs.push({ ...look, text: shown });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    push(text.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[2] === 'm') look = changed(look, match[1] ?? '');
  }
  push(text.slice(at));
  return runs;
}

/** Progress bars overwrite their line with carriage returns or backspaces: only the last state is kept. */
function asOverwritten(output: string): string {
  if (!/[\r\b]/.test(output)) return output;
  return output
    .replaceAll(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => {
      const returned = line.lastIndexOf('\r', line.length - 2);
      return eraseBack(returned === -1 ? line : line.slice(returned + 1));
    })
    .join('\n');
}

function eraseBack(line: string): string {
  if (!line.includes('\b')) return line;
  const kept: string[] = [];
  for (const char of line) {
    if (char === '\b') kept.pop();
    else kept.push(char);
  }
  return kept.join('');
}

function changed(before: Changeable, codes: string): Changeable {
  const look = { ...before };
  const list = codes.split(/[;:]/).map(Number);
  for (let at = 0; at < list.length; at += 1) {
    const code = list[at] ?? 0;
    if (code === 0) {
      for (const key of Object.keys(look) as (keyof Look)[]) delete look[key];
    } else if (code === 38 || code === 48) {
      const [color, used] = extended(list, at + 1);
      if (color !== undefined) look[code === 38 ? 'color' : 'background'] = color;
      at += used;
    } else {
      applySimple(look, code);
    }
  }
  return look;
}

const FLAGS: Readonly<Record<number, 'bold' | 'dim' | 'italic' | 'underline' | 'strike'>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  9: 'strike',
};

function applySimple(look: Changeable, code: number): void {
  const flag = FLAGS[code];
  if (flag !== undefined) look[flag] = true;
  else if (code === 22) {
    delete look.bold;
    delete look.dim;
  } else if (code === 23) delete look.italic;
  else if (code === 24) delete look.underline;
  else if (code === 29) delete look.strike;
  else if (code === 39) delete look.color;
  else if (code === 49) delete look.background;
  else if (code >= 30 && code <= 37) look.color = code - 30;
  else if (code >= 90 && code <= 97) look.color = code - 82;
  else if (code >= 40 && code <= 47) look.background = code - 40;
  else if (code >= 100 && code <= 107) look.background = code - 92;
}

/** `5;N` and `2;R;G;B`. Also returns the number of parameters used. */
function extended(list: readonly number[], at: number): [number | string | undefined, number] {
  if (list[at] === 5) return [indexed(byte(list[at + 1])), 2];
  if (list[at] !== 2) return [undefined, 0];
  return [`rgb(${byte(list[at + 1])} ${byte(list[at + 2])} ${byte(list[at + 3])})`, 4];
}

/** One of the six levels of the color cube. */
const level = (step: number): number => (step === 0 ? 0 : step * 40 + 55);

function indexed(index: number): number | string {
  if (index < 16) return index;
  if (index >= 232) return `rgb(${[0, 0, 0].map(() => (index - 232) * 10 + 8).join(' ')})`;
  const cube = index - 16;
  return `rgb(${[Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level).join(' ')})`;
}

const byte = (value: number | undefined): number =>
  Math.min(255, Math.max(0, Math.trunc(Number(value)) || 0));
