export { type Chatd, startChatd, type StartOptions, VERSION } from './app.ts';
export { type Config, type ConfigSources, readConfig } from './config.ts';
export { createLog, type LogOptions } from './log.ts';
export { StartError, type StartErrorKind } from './start-error.ts';
