import { expect, test } from 'vitest';
import { notificationOf } from './notification.ts';

const owner_id = '00000000-0000-0000-0000-000000000001';

test('a notification opens the chat; that of a subagent opens its root chat', () => {
  const data = { owner_id, chat_id: 'a', title: 'Update' };
  expect(notificationOf('chat.waiting', data)).toEqual({
    title: 'Update',
    body: 'Finished',
    tag: 'a',
    path: '/chats/a',
  });
  expect(notificationOf('chat.requires_action', { ...data, root_chat_id: 'r' })).toMatchObject({
    tag: 'r',
    path: '/chats/r',
  });
});

test('a disabled trigger has no chat: its notification opens the trigger', () => {
  const trigger = { id: 't', name: 'Nightly', reason: 'Disabled after 5 consecutive failures.' };
  expect(notificationOf('trigger.disabled', { owner_id, trigger })).toEqual({
    title: 'Nightly',
    body: 'The trigger was disabled. Disabled after 5 consecutive failures.',
    tag: 't',
    path: '/settings/triggers?edit=t',
  });
});
