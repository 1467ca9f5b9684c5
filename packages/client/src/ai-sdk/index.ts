export { chatTransport, type ChatTransportOptions } from './chat-transport.ts';
export { loadUIMessages } from './load-chat.ts';
export { toUIMessages, type ToUIMessagesOptions } from './ui-messages.ts';
