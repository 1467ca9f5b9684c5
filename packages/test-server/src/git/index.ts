export { startGitHost, type TestGitHost } from './git-host.ts';
