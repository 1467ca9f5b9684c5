export { type LocalTool, tool, type ToolContext, type ToolOutput } from '@chatd/loop';
export type { Chatd } from './app.ts';
export type { GivenSettings } from './config.ts';
export { type ChatdOptions, createChatd } from './create-chatd.ts';
export { StartError, type StartErrorKind } from './start-error.ts';
export { VERSION } from './version.ts';
