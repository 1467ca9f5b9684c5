export { createDatabase, createTestDatabase, INSTANT_DEMO, TEMPLATE } from './database.ts';
export { dump } from './dump.ts';
export { execute } from './execute.ts';
export { insertModelCalls, MODEL_CALLS_USER } from './model-calls.ts';
export {
  calls,
  DEMO_MODEL,
  insertUser,
  LEASE_MS,
  line,
  NEW_CHAT,
  readChat,
  readHistory,
  results,
  says,
  TestStore,
  text,
} from './test-store.ts';
