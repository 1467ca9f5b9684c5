export { readyWorkspace } from './ready-workspace.ts';
export { makeRepository } from './repository.ts';
