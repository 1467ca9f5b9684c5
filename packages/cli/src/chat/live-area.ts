import { truncate } from '../output/table.ts';
import { oneLine } from '../output/terminal-text.ts';
import type { LineEditor } from '../terminal/line-editor.ts';
import type { Page } from '../terminal/markdown.ts';
import type { LiveLines } from '../terminal/screen.ts';
import { questionLines, firstForPerson } from './answering.ts';
import type { ChatView } from './chat-view.ts';
import { noticeLines } from './message-view.ts';
import type { Picker } from './picker.ts';
import { SLASH_COMMANDS } from './slash-commands.ts';

export interface LiveArea {
  readonly page: Page;
  readonly height: number;
  readonly view: ChatView;
  readonly editor: LineEditor;
  readonly picker: Picker<unknown> | undefined;
  readonly selected: ReadonlySet<number>;
  readonly attachments: readonly string[];
  readonly model: string | undefined;
  readonly effort: string | undefined;
  readonly planning: boolean;
  /** A call to the server is in progress. */
  readonly working: boolean;
  readonly notice: string;
  readonly warning: string;
}

const INPUT_ROWS = 10;
const SUGGESTIONS = 6;
const PROMPT = '› ';

/** Everything below the transcript: activity, queue, questions and the input. */
export function drawLive(area: LiveArea): LiveLines {
  const { page, height, view } = area;
  const input = area.picker === undefined ? drawInput(area) : drawPicker(area.picker, page);
  const below = [...pendingLines(area), ...input.lines];
  const room = Math.max(3, height - below.length - 4);
  const above = view.live(page, room).slice(-Math.max(0, height - below.length - 1));
  const lines = [...above, '', ...below];
  return {
    lines,
    row: lines.length - input.lines.length + input.row,
    column: input.column,
  };
}

function pendingLines(area: LiveArea): string[] {
  const { page, view } = area;
  const { style, width } = page;
  const call = firstForPerson(view.awaited);
  const others = view.awaited.filter(({ kind }) => kind === 'dynamic');
  return [
    ...view.queue.map(({ content, busy_behavior }) => {
      const text = content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`));
      const how = busy_behavior === 'steer' ? 'steering' : 'queued';
      return style('dim', truncate(`⋯ ${how}: ${oneLine(text.join(' '))}`, width));
    }),
    ...others.map(({ tool_name }) =>
      style('dim', truncate(`… waiting for a dynamic tool: ${oneLine(tool_name)}`, width)),
    ),
    ...(call === undefined ? [] : questionLines(call, area.selected, page)),
    ...(area.warning === '' ? [] : noticeLines(area.warning, page, 'yellow')),
    ...area.attachments.map((name) => style('dim', truncate(`+ ${name}`, width))),
  ];
}

interface Drawn {
  readonly lines: string[];
  readonly row: number;
  readonly column: number;
}

function drawPicker(picker: Picker<unknown>, page: Page): Drawn {
  const { lines, column } = picker.lines(page);
  return { lines, row: 0, column };
}

function drawInput(area: LiveArea): Drawn {
  const { page, editor } = area;
  const { style, width } = page;
  const { rows, row, column } = editor.layout(width - PROMPT.length);
  const from = Math.max(0, Math.min(row - INPUT_ROWS + 1, rows.length - INPUT_ROWS));
  const shown = rows.slice(from, from + INPUT_ROWS);
  const lines = shown.map((text, index) =>
    index === 0 && from === 0 ? `${style('cyan', PROMPT)}${text}` : `  ${text}`,
  );
  return {
    lines: [...lines, ...footer(area)],
    row: row - from,
    column: column + PROMPT.length,
  };
}

function footer(area: LiveArea): string[] {
  const { page, editor } = area;
  const { style, width } = page;
  if (area.notice !== '') return [style('dim', truncate(area.notice, width))];
  const slash = suggestions(editor.text);
  if (slash.length > 0) return slash.map((line) => style('dim', truncate(line, width)));
  const facts = [
    ...(area.working ? ['…'] : []),
    ...(area.model === undefined ? [] : [oneLine(area.model)]),
    ...(area.effort === undefined ? [] : [`effort ${area.effort}`]),
    ...(area.planning ? ['plan mode'] : []),
    keysFor(area),
  ];
  return [style('dim', truncate(facts.join(' · '), width))];
}

function keysFor({ view, editor }: LiveArea): string {
  if (view.status === 'interrupting') return 'interrupting';
  if (view.isBusy) {
    return editor.isEmpty
      ? 'esc interrupt · type to queue or steer'
      : '⏎ queue · ⇥ steer · ^G interrupt and send · esc interrupt';
  }
  return editor.isEmpty ? '/help' : '⏎ send · ^J new line';
}

function suggestions(text: string): string[] {
  if (!/^\/\S*$/.test(text)) return [];
  return SLASH_COMMANDS.filter(({ name }) => `/${name}`.startsWith(text))
    .slice(0, SUGGESTIONS)
    .map(({ name, argument = '', help }) => `/${`${name} ${argument}`.padEnd(22)} ${help}`);
}
