import type { WebhookEventData } from '@chatd/protocol';

/** What the service worker of the web UI shows. */
export interface PushNotification {
  readonly title: string;
  readonly body: string;
  /** A newer notification with the same tag replaces an older one. */
  readonly tag: string;
  /** The page to open. */
  readonly path: string;
}

const TITLE_LENGTH = 120;
const BODY_LENGTH = 240;

/** The text of a notification. It is encrypted for the browser; push services cannot read it. */
export function notificationOf(event: string, data: WebhookEventData): PushNotification {
  const { chat_id, root_chat_id, trigger, title = trigger?.name ?? '' } = data;
  // A subagent is shown in its root chat.
  const chat = root_chat_id ?? chat_id;
  return {
    title: shortened(title === '' ? 'chatd' : title, TITLE_LENGTH),
    body: shortened(bodyOf(event, data), BODY_LENGTH),
    tag: chat ?? trigger?.id ?? '',
    path: pathOf(chat, trigger?.id),
  };
}

function pathOf(chat: string | undefined, trigger: string | undefined): string {
  if (chat !== undefined) return `/chats/${chat}`;
  return trigger === undefined ? '/' : `/settings/triggers?edit=${trigger}`;
}

function bodyOf(
  event: string,
  { calls = [], error, interrupted, trigger }: WebhookEventData,
): string {
  switch (event) {
    case 'chat.error':
      return `Failed: ${error?.message ?? 'unknown error'}`;
    case 'chat.waiting':
      return interrupted === true ? 'Interrupted' : 'Finished';
    case 'trigger.failed':
      return `The trigger could not run: ${trigger?.reason ?? 'unknown reason'}`;
    case 'trigger.disabled':
      return `The trigger was disabled. ${trigger?.reason ?? ''}`.trim();
    default: {
      const call = calls.find(({ awaits }) => awaits !== 'dynamic');
      if (call?.awaits === 'question') return 'Waits for your answer';
      const what = [call?.tool_name, call?.detail].filter((word) => word !== undefined).join(' ');
      return `Waits for your approval: ${what}`;
    }
  }
}

const shortened = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
