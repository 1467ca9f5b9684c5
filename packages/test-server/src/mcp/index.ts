export { MACHINE, type OAuthServer, startOAuthServer } from './oauth-server.ts';
export { type OwnServer, type OwnTool, said, startOwnServer } from './own-server.ts';
export {
  everythingProgram,
  filesystemProgram,
  freePort,
  startEverything,
} from './published-servers.ts';
