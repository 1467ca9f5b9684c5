import type { ConnectionState } from '@chatd/client';
import type { Chat } from '../chats/find-chat.ts';
import { explain } from '../command-line/explain.ts';
import type { Context } from '../context.ts';
import { bytes, duration } from '../output/quantities.ts';
import { cutTo } from '../output/table.ts';
import { oneLine } from '../output/terminal-text.ts';
import type { Model } from '../resources/models.ts';
import type { Effort } from '../run/request.ts';
import type { KeyEvent } from '../terminal/keys.ts';
import { LineEditor } from '../terminal/line-editor.ts';
import type { Page } from '../terminal/markdown.ts';
import type { Live } from '../terminal/screen.ts';
import { firstForPerson, planLines, type Reply, replyByKey, replyByText } from './answering.ts';
import { Canvas } from './canvas.ts';
import { ChatView } from './chat-view.ts';
import type { Conversation } from './conversation.ts';
import type { Desk } from './desk.ts';
import { drawLive } from './live-area.ts';
import { noticeLines } from './message-view.ts';
import { type Choice, Picker } from './picker.ts';
import { openRawInput } from './raw-input.ts';
import { runSlash, slashNames } from './slash-commands.ts';

const AGAIN_MS = 2000;

interface OpenPicker {
  readonly picker: Picker<unknown>;
  readonly resolve: (value: unknown) => void;
}

/** The terminal client. What is said goes into the terminal's scrollback; the line to write on stays below it. */
export class TerminalChat implements Desk {
  readonly #context: Context;
  readonly #conversation: Conversation;
  readonly #canvas: Canvas;
  readonly #editor = new LineEditor();
  readonly #done = Promise.withResolvers<number>();
  #view: ChatView;
  #models: readonly Model[] = [];
  #picker: OpenPicker | undefined;
  #selected = new Set<number>();
  #plansShown = new Set<string>();
  #down: { readonly until: number; readonly why: string } | undefined;
  #notice = '';
  #working = 0;
  #leaveAsked = -Infinity;
  #suspend = () => undefined as void;

  constructor(context: Context, makeConversation: (desk: TerminalChat) => Conversation) {
    this.#context = context;
    this.#canvas = new Canvas(context.stdout, () => this.#draw());
    this.#view = new ChatView(context.now);
    this.#conversation = makeConversation(this);
  }

  /** What chats call their models by. */
  setModels(models: readonly Model[]): void {
    this.#models = models;
  }

  /** Until the person leaves. */
  async run(begin: (desk: Desk) => Promise<void>): Promise<number> {
    const input = openRawInput(this.#context.stdin, (event) => this.#press(event));
    this.#suspend = () => this.#sleep(input);
    const onSignal = () => this.quit();
    process.on('SIGTERM', onSignal).on('SIGHUP', onSignal);
    this.#canvas.begin();
    try {
      this.#do(() => begin(this));
      return await this.#done.promise;
    } finally {
      process.off('SIGTERM', onSignal).off('SIGHUP', onSignal);
      this.#conversation.leave();
      this.#canvas.end();
      input.close();
      const { chat } = this.#conversation;
      if (chat !== undefined) this.#context.print(`Come back with: chatd chat ${chat.id}\n`);
    }
  }

  // What the conversation tells.

  showChat(chat: Chat | undefined, isNew: boolean): void {
    this.#view = new ChatView(this.#context.now, isNew);
    this.#down = undefined;
    const { style, width } = this.page;
    const title =
      chat === undefined ? 'a new chat' : `${chat.id} · ${cutTo(oneLine(chat.title), width - 45)}`;
    this.print(['', style('dim', `── ${title}`), '']);
  }

  showEvent(event: Parameters<ChatView['take']>[0]): void {
    this.#down = undefined;
    if (event.type === 'action_required') this.#selected.clear();
    this.print(this.#view.take(event, this.page));
    for (const call of this.#view.awaited) {
      const lines = this.#plansShown.has(call.tool_call_id) ? [] : planLines(call, this.page);
      if (lines.length > 0) this.print(['', ...lines]);
      this.#plansShown.add(call.tool_call_id);
    }
  }

  showConnection(state: ConnectionState): void {
    if (state.state === 'waiting') {
      const until = this.#context.now() + state.delayMs;
      this.#down = { until, why: oneLine(state.reason.message) };
    } else if (state.state === 'live' && this.#down !== undefined) {
      this.#down = undefined;
      this.print(noticeLines('Connected again; nothing was missed.', this.page));
    }
    this.#canvas.request();
  }

  showError(error: unknown): void {
    const { message, hint } = explain(error);
    const lines = noticeLines(`✗ ${message}`, this.page, 'red');
    this.print(['', ...lines, ...(hint === undefined ? [] : noticeLines(hint, this.page))]);
  }

  // What slash commands need.

  get client() {
    return this.#conversation.client;
  }

  get chat(): Chat | undefined {
    return this.#conversation.chat;
  }

  get view(): ChatView {
    return this.#view;
  }

  get model(): Model | undefined {
    return this.#conversation.model;
  }

  get effort(): Effort | undefined {
    return this.#conversation.effort;
  }

  get planning(): boolean {
    return this.#conversation.planning;
  }

  get page(): Page {
    return { width: this.#canvas.screen.width, style: this.#context.style };
  }

  print(lines: readonly string[]): void {
    this.#canvas.print(lines);
  }

  pick<T>(title: string, choices: readonly Choice<T>[]): Promise<T | undefined> {
    return new Promise((resolve) => {
      // Only this picker's own values come back to it.
      const done = (value: unknown) => resolve(value as T | undefined);
      this.#picker = { picker: new Picker<unknown>(title, choices), resolve: done };
      this.#canvas.request();
    });
  }

  open(chat: Chat): void {
    this.#conversation.open(chat);
  }

  startNew(): void {
    this.#conversation.startNew();
  }

  choose(choice: Parameters<Desk['choose']>[0]): void {
    this.#conversation.choose(choice);
  }

  async attach(path: string): Promise<void> {
    await this.#conversation.attach(path);
  }

  detach(): void {
    this.#conversation.detach();
  }

  async send(text: string, behavior: 'queue' | 'steer' | 'interrupt'): Promise<void> {
    await this.#conversation.send(text, behavior);
  }

  changed(chat: Chat): void {
    this.#conversation.changed(chat);
  }

  async setPlanning(planning: boolean): Promise<void> {
    await this.#conversation.setPlanning(planning);
  }

  quit(): void {
    this.#done.resolve(0);
  }

  // The keyboard.

  #press(event: KeyEvent): void {
    this.#notice = '';
    if (this.#picker !== undefined) this.#pressPicker(this.#picker, event);
    else if (!this.#pressCommand(event) && !this.#pressAnswer(event)) {
      this.#editor.press(event);
    }
    this.#canvas.request();
  }

  #pressPicker({ picker, resolve }: OpenPicker, event: KeyEvent): void {
    const chosen = picker.press(event);
    if (chosen === undefined) return;
    this.#picker = undefined;
    resolve(chosen?.value);
  }

  /** Keys that do something to the chat or to the program. */
  #pressCommand(event: KeyEvent): boolean {
    const command = event.type === 'key' ? this.#commands[event.name] : undefined;
    command?.();
    return command !== undefined;
  }

  readonly #commands: Readonly<Record<string, () => void>> = {
    enter: () => this.#enter(),
    tab: () => {
      if (this.#editor.text.startsWith('/')) this.#complete();
      else if (!this.#editor.isEmpty && this.#isActive) this.#submit('steer');
    },
    'ctrl-g': () => {
      if (!this.#editor.isEmpty) this.#submit('interrupt');
    },
    escape: () => {
      if (this.#isActive) this.#interrupt();
    },
    'ctrl-c': () => {
      if (!this.#editor.isEmpty) this.#editor.set('');
      else if (this.#isActive && this.#view.status !== 'interrupting') this.#interrupt();
      else this.#askToLeave();
    },
    'ctrl-d': () => {
      if (this.#editor.isEmpty) this.quit();
      else this.#editor.press({ type: 'key', name: 'delete' });
    },
    'ctrl-t': () => {
      this.#view.unfolded = !this.#view.unfolded;
      this.#notice = this.#view.unfolded
        ? 'Thoughts are shown from now on.'
        : 'Thoughts are folded.';
    },
    'ctrl-l': () => this.#canvas.clear(),
    'ctrl-z': () => this.#suspend(),
  };

  get #isActive(): boolean {
    return this.#view.isBusy || this.#view.status === 'requires_action';
  }

  /** One letter or number on an empty line, while the chat waits for the person. */
  #pressAnswer(event: KeyEvent): boolean {
    const call = firstForPerson(this.#view.awaited);
    if (call === undefined || event.type !== 'text' || !this.#editor.isEmpty) return false;
    const reply = replyByKey(call, event.text);
    if (reply === undefined) return false;
    if ('select' in reply) {
      if (!this.#selected.delete(reply.select)) this.#selected.add(reply.select);
      return true;
    }
    this.#reply(reply);
    return true;
  }

  #enter(): void {
    const { text } = this.#editor;
    if (text.endsWith('\\')) {
      this.#editor.press({ type: 'key', name: 'backspace' });
      this.#editor.press({ type: 'key', name: 'newline' });
      return;
    }
    this.#submit('queue');
  }

  #submit(behavior: 'queue' | 'steer' | 'interrupt'): void {
    const call = firstForPerson(this.#view.awaited);
    const written = this.#editor.text;
    if (written.startsWith('/')) {
      this.#editor.take();
      return this.#do(() => runSlash(this, written.trim()));
    }
    if (call !== undefined && behavior === 'queue' && call.kind === 'question') {
      const reply = replyByText(call, written, this.#selected);
      if (reply !== undefined) {
        this.#editor.take();
        return this.#reply(reply);
      }
    }
    if (written.trim() === '' && this.#conversation.attachments.length === 0) return;
    const text = this.#editor.take();
    this.#do(async () => {
      try {
        await this.send(text.trim(), behavior);
      } catch (error) {
        // What was written is not lost because the server is away.
        if (this.#editor.isEmpty) this.#editor.set(text);
        throw error;
      }
    });
  }

  #reply(reply: Reply): void {
    this.#do(() => this.#conversation.reply(reply));
  }

  #interrupt(): void {
    this.#do(() => this.#conversation.interrupt());
  }

  #complete(): void {
    const names = slashNames().filter((name) => name.startsWith(this.#editor.text));
    if (names.length === 1) this.#editor.set(`${names[0]} `);
    else if (names.length > 1) this.#notice = names.join('  ');
  }

  #askToLeave(): void {
    const now = this.#context.now();
    if (now - this.#leaveAsked < AGAIN_MS) return this.quit();
    this.#leaveAsked = now;
    this.#notice = 'Once more to leave.';
  }

  /** As other programs do on Ctrl-Z. */
  #sleep(input: { suspend(): void; resume(): void }): void {
    this.#canvas.end();
    input.suspend();
    process.once('SIGCONT', () => {
      input.resume();
      this.#canvas.begin();
    });
    process.kill(process.pid, 'SIGTSTP');
  }

  /** Something that takes a while; what goes wrong is said. */
  #do(work: () => Promise<void>): void {
    this.#working += 1;
    work()
      .catch((error: unknown) => this.showError(error))
      .finally(() => {
        this.#working -= 1;
        this.#canvas.request();
      });
  }

  // The picture.

  #draw(): Live {
    return drawLive({
      page: this.page,
      height: this.#canvas.screen.height,
      view: this.#view,
      editor: this.#editor,
      picker: this.#picker?.picker,
      selected: this.#selected,
      attachments: this.#conversation.attachments.map(
        ({ name, bytes: content }) => `${oneLine(name)} (${bytes(content.length)})`,
      ),
      model: this.#answering()?.display_name,
      effort: this.effort,
      planning: this.planning,
      working: this.#working > 0,
      notice: this.#notice,
      trouble: this.#trouble(),
    });
  }

  #answering(): Model | undefined {
    const id = this.chat?.model_config_id;
    return (
      this.model ??
      this.#models.find((model) => (id === undefined ? model.is_default : model.id === id))
    );
  }

  #trouble(): string {
    if (this.#down === undefined) return '';
    const left = Math.max(0, this.#down.until - this.#context.now());
    const when = left < 1000 ? 'now' : `in ${duration(Math.ceil(left / 1000) * 1000)}`;
    return `The connection is lost; the chat goes on without us. Trying again ${when}. (${this.#down.why})`;
  }
}
