export { ApiClient, type Input, pathFor, rawRequest } from './api-client.ts';
export { ADMIN_TOKEN, config, startServerOn, startTestServer, type TestServer } from './server.ts';
export {
  launch,
  postgresPid,
  runToEnd,
  type ServerProcess,
  spawnServer,
} from './server-process.ts';
