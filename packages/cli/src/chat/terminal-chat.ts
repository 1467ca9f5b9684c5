import type { Client, ConnectionState } from '@chatd/client';
import type { Chat } from '../chats/find-chat.ts';
import { explain } from '../command-line/explain.ts';
import type { Context } from '../context.ts';
import { bytes, duration } from '../output/quantities.ts';
import { truncate } from '../output/table.ts';
import { oneLine } from '../output/terminal-text.ts';
import type { Model } from '../resources/models.ts';
import type { Effort } from '../run/request.ts';
import type { KeyEvent } from '../terminal/keys.ts';
import { LineEditor } from '../terminal/line-editor.ts';
import type { Page } from '../terminal/markdown.ts';
import type { LiveLines } from '../terminal/screen.ts';
import { firstForPerson, planLines, type Reply, replyByKey, replyByText } from './answering.ts';
import { Canvas } from './canvas.ts';
import { ChatView } from './chat-view.ts';
import { Conversation, type ConversationDefaults } from './conversation.ts';
import type { ChatSession } from './chat-session.ts';
import { drawLive } from './live-area.ts';
import { noticeLines } from './message-view.ts';
import { type Choice, Picker } from './picker.ts';
import { openRawInput } from './raw-input.ts';
import { runSlash, slashNames } from './slash-commands.ts';

const QUIT_WITHIN_MS = 2000;

interface OpenPicker {
  readonly picker: Picker<unknown>;
  readonly resolve: (value: unknown) => void;
}

/** The terminal client. The transcript goes to the scrollback of the terminal, the input stays below it. */
export class TerminalChat implements ChatSession {
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
  #quitRequestedAt = -Infinity;
  #suspend = () => undefined as void;

  constructor(context: Context, client: Client, defaults: ConversationDefaults) {
    this.#context = context;
    this.#canvas = new Canvas(context.stdout, () => this.#draw());
    this.#view = new ChatView(context.now);
    this.#conversation = new Conversation(
      client,
      {
        onChat: (chat, isNew) => this.#showChat(chat, isNew),
        onEvent: (event) => this.#showEvent(event),
        onConnection: (state) => this.#showConnection(state),
        onError: (error) => this.#showError(error),
      },
      defaults,
    );
  }

  /** Sets the models whose names the footer shows. */
  setModels(models: readonly Model[]): void {
    this.#models = models;
  }

  /** Runs until the user quits. */
  async run(begin: (session: ChatSession) => Promise<void>): Promise<number> {
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
      if (chat !== undefined) this.#context.print(`Resume this chat with: chatd chat ${chat.id}\n`);
    }
  }

  // Events of the conversation.

  #showChat(chat: Chat | undefined, isNew: boolean): void {
    this.#view = new ChatView(this.#context.now, isNew);
    this.#down = undefined;
    const { style, width } = this.page;
    const title =
      chat === undefined ? 'new chat' : `${chat.id} · ${truncate(oneLine(chat.title), width - 45)}`;
    this.print(['', style('dim', `── ${title}`), '']);
  }

  #showEvent(event: Parameters<ChatView['take']>[0]): void {
    this.#down = undefined;
    if (event.type === 'action_required') this.#selected.clear();
    this.print(this.#view.take(event, this.page));
    for (const call of this.#view.awaited) {
      const lines = this.#plansShown.has(call.tool_call_id) ? [] : planLines(call, this.page);
      if (lines.length > 0) this.print(['', ...lines]);
      this.#plansShown.add(call.tool_call_id);
    }
  }

  #showConnection(state: ConnectionState): void {
    if (state.state === 'waiting') {
      const until = this.#context.now() + state.delayMs;
      this.#down = { until, why: oneLine(state.reason.message) };
    } else if (state.state === 'live' && this.#down !== undefined) {
      this.#down = undefined;
      this.print(noticeLines('Reconnected. No events were missed.', this.page));
    }
    this.#canvas.request();
  }

  #showError(error: unknown): void {
    const { message, hint } = explain(error);
    const lines = noticeLines(`✗ ${message}`, this.page, 'red');
    this.print(['', ...lines, ...(hint === undefined ? [] : noticeLines(hint, this.page))]);
  }

  // ChatSession, for slash commands.

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

  choose(choice: Parameters<ChatSession['choose']>[0]): void {
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

  // Keyboard.

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
      else this.#confirmQuit();
    },
    'ctrl-d': () => {
      if (this.#editor.isEmpty) this.quit();
      else this.#editor.press({ type: 'key', name: 'delete' });
    },
    'ctrl-t': () => {
      this.#view.showsReasoning = !this.#view.showsReasoning;
      this.#notice = this.#view.showsReasoning
        ? 'Reasoning is shown from now on.'
        : 'Reasoning is collapsed from now on.';
    },
    'ctrl-l': () => this.#canvas.clear(),
    'ctrl-z': () => this.#suspend(),
  };

  get #isActive(): boolean {
    return this.#view.isBusy || this.#view.status === 'requires_action';
  }

  /** A letter or number on an empty line replies to a pending call. */
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
        // Keep the text if the server cannot be reached.
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

  #confirmQuit(): void {
    const now = this.#context.now();
    if (now - this.#quitRequestedAt < QUIT_WITHIN_MS) return this.quit();
    this.#quitRequestedAt = now;
    this.#notice = 'Press Ctrl-C again to quit.';
  }

  /** Ctrl-Z: suspends the process as the shell expects. */
  #sleep(input: { suspend(): void; resume(): void }): void {
    this.#canvas.end();
    input.suspend();
    process.once('SIGCONT', () => {
      input.resume();
      this.#canvas.begin();
    });
    process.kill(process.pid, 'SIGTSTP');
  }

  /** Runs work in the background and shows its error. */
  #do(work: () => Promise<void>): void {
    this.#working += 1;
    work()
      .catch((error: unknown) => this.#showError(error))
      .finally(() => {
        this.#working -= 1;
        this.#canvas.request();
      });
  }

  // Screen.

  #draw(): LiveLines {
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
      model: this.#activeModel()?.display_name,
      effort: this.effort,
      planning: this.planning,
      working: this.#working > 0,
      notice: this.#notice,
      warning: this.#warning(),
    });
  }

  #activeModel(): Model | undefined {
    const id = this.chat?.model_config_id;
    return (
      this.model ??
      this.#models.find((model) => (id === undefined ? model.is_default : model.id === id))
    );
  }

  #warning(): string {
    if (this.#down === undefined) return '';
    const left = Math.max(0, this.#down.until - this.#context.now());
    const when = left < 1000 ? 'now' : `in ${duration(Math.ceil(left / 1000) * 1000)}`;
    return `Connection lost (${this.#down.why}). The chat continues; reconnecting ${when}.`;
  }
}
